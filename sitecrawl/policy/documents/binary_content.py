"""Reject binary content served as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.policy.decision import ALLOWED, Decision, refuse

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions


MIN_CHARACTERS = 128
MIN_SPACE = 0.01
# Scripts without spaces between words: Thai, Lao, Khmer, Burmese, kana, Han, Hangul.
_SPACELESS = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SAMPLE = 10_000


def check_text(text: str, options: DocumentOptions) -> Decision:
    """Refuse a text that is too short, or has too little white space to consist of words."""
    if not options.binary_guard:
        return ALLOWED
    if len(text) < MIN_CHARACTERS:
        return refuse("too_little_text", f"binary_guard: fewer than {MIN_CHARACTERS} characters")
    sample = text[:_SAMPLE]
    spaces = sum(character.isspace() for character in sample)
    spaceless = len(re.findall(_SPACELESS, sample)) * 4 > len(sample)
    if not spaceless and spaces / len(sample) < MIN_SPACE:
        return refuse("too_little_space", f"binary_guard: less than {MIN_SPACE:.0%} white space")
    return ALLOWED
