"""Normalization of language tags."""

from __future__ import annotations

import re
from functools import lru_cache

# RFC 5646, 2.1, as far as pages use it: language, script, region, variants.
_TAG = re.compile(r"([A-Za-z]{2,3}|i|x)((?:-[A-Za-z0-9]{1,8})*)")
_NAMES = {
    "english": "en",
    "german": "de",
    "deutsch": "de",
    "french": "fr",
    "francais": "fr",
    "français": "fr",
    "spanish": "es",
    "español": "es",
    "italian": "it",
    "italiano": "it",
    "dutch": "nl",
    "portuguese": "pt",
    "russian": "ru",
    "chinese": "zh",
    "japanese": "ja",
}


@lru_cache(maxsize=512)
def read_language(tag: str) -> str:
    """Return a language tag in its usual case (``de-AT``, ``zh-Hant``); empty if it is not one.

    Accepts ``en_US``, ``en_US.UTF-8``, a list, of which the first tag counts, and plain names of
    languages.
    """
    first = (
        tag.split(",", maxsplit=1)[0]
        .split(";", maxsplit=1)[0]
        .split(".", maxsplit=1)[0]
        .strip()
        .replace("_", "-")
    )
    matched = _TAG.fullmatch(first)
    if matched is None:
        return _NAMES.get(first.lower(), "")
    subtags = [_subtag(part) for part in matched[2].split("-")[1:]]
    return "-".join([matched[1].lower(), *subtags])


def _subtag(part: str) -> str:
    """Return a subtag in the case of RFC 5646, 2.1.1: Script, REGION, others lower case."""
    if len(part) == 2 and part.isalpha():
        return part.upper()
    return part.title() if len(part) == 4 and part.isalpha() else part.lower()


def primary_language(language: str | None) -> str:
    """Return the primary language of a BCP 47 tag: ``de`` of ``de-AT``; empty without a tag."""
    return (language or "").partition("-")[0].lower()
