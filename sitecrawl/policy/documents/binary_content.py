"""Reject binary content served as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.policy.decision import ALLOWED, Decision, refuse

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions


# Scripts without spaces between words: Thai, Lao, Khmer, Burmese, kana, Han, Hangul.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_SAMPLE = 10_000


def check_text(text: str, options: DocumentOptions) -> Decision:
    """Refuse a text that is too short, or has too little white space to consist of words."""
    if len(text) < options.min_text_length:
        return refuse("too_little_text", f"min_text_length = {options.min_text_length}")
    if not options.min_space_ratio:
        return ALLOWED
    sample = text[:_SAMPLE]
    spaces = sum(character.isspace() for character in sample)
    spaceless = len(_SPACELESS.findall(sample)) * 4 > len(sample)
    if sample and not spaceless and spaces / len(sample) < options.min_space_ratio:
        return refuse("too_little_space", f"min_space_ratio = {options.min_space_ratio}")
    return ALLOWED
