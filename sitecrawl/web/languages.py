"""Languages: their tags in usual form, and detection from text."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

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

MIN_WORDS = 50
MIN_SIGNS = 120  # characters, in scripts without spaces
SAMPLE = 1_500  # characters, in three parts spread over the text
ALL_LANGUAGES = 200  # more than the detector knows
MAX_DISTANCE = 900  # from a language's profile; beyond it, the language is unknown
# SURE: minimum ratio of the second distance to the nearest; below it, texts of 50 words are
# mistaken for a related language. PLAINLY: ratio from which a declared language is wrong.
SURE, PLAINLY = 1.05, 1.2
_SPACELESS = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
# Scripts of a single language; kana first, because Japanese texts contain Han characters too.
_SCRIPTS = (
    ("ja", "[\u3040-\u30ff]"),
    ("zh", "[\u3400-\u9fff]"),
    ("th", "[\u0e00-\u0e7f]"),
    ("lo", "[\u0e80-\u0eff]"),
    ("my", "[\u1000-\u109f]"),
    ("km", "[\u1780-\u17ff]"),
)
MIN_SHARE = 0.3  # of a sample, in scripts without spaces
MIN_KANA = 0.02  # of a sample; a Chinese text with Japanese names has fewer
# Declared codes, mapped to those of the profiles.
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "sh": "sr", "fil": "tl"}
# Languages that cannot be distinguished by their letters alone.
_CLOSE = (
    *(frozenset({"hr", "sr", "bs"}), frozenset({"id", "ms"}), frozenset({"no", "da"})),
    *(frozenset({"zh", "yue"}), frozenset({"zh", "wuu"}), frozenset({"zh", "lzh"})),
)


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


def judged_language(declared: str, text: str) -> tuple[str, bool]:
    """Return the language, and True if it is detected; a plausible declared one is kept."""
    sample = sampled(text)
    if not sample:
        return declared, False
    script = _by_script(sample)
    near = [(script, 1), ("", MAX_DISTANCE)] if script else _distances(sample, 2)
    best, distance = near[0]
    if distance > MAX_DISTANCE or near[1][1] < distance * SURE:
        return declared, False
    if not declared:
        return best, True
    primary = primary_language(declared)
    primary = _SAME.get(primary, primary)
    if primary == best or any({primary, best} <= group for group in _CLOSE):
        return declared, False
    if script:
        return best, True
    far_ones = _distances(sample, ALL_LANGUAGES)
    other = next((far for language, far in far_ones if language == primary), 0)
    return (best, True) if other >= distance * PLAINLY else (declared, False)


def _by_script(sample: str) -> str:
    """Return the language of a text in a script without spaces, else an empty string."""
    if sample.isascii() or _count(_SPACELESS, sample) < MIN_SHARE * len(sample):
        return ""
    shares = ((name, _count(letters, sample) / len(sample)) for name, letters in _SCRIPTS)
    return next((name for name, share in shares if share > MIN_KANA), "")


def _count(letters: str, text: str) -> int:
    return len(_compiled(letters).findall(text))


@cache
def _compiled(letters: str) -> re.Pattern[str]:
    """Compile a pattern on first use: it takes milliseconds, and many sites are in ASCII."""
    return re.compile(letters)


def sampled(text: str) -> str:
    """Return a sample of a text for language detection; empty if the text is too short."""
    top = text[:SAMPLE]
    words = top.count(" ") + top.count("\n") + 1
    if words < MIN_WORDS and (top.isascii() or _count(_SPACELESS, top) < MIN_SIGNS):
        return ""
    if len(text) <= SAMPLE:
        return text
    part = SAMPLE // 3
    quarter = len(text) // 4
    return " ".join(text[start : start + part] for start in (quarter, 2 * quarter, 3 * quarter))


def _distances(sample: str, count: int) -> list[tuple[str, int]]:
    """Return the nearest languages with their distances from a text."""
    found: list[tuple[str, int]] = _detector()(sample, cutoff=100_000, n_results=count)
    return found


@cache
def _detector() -> Any:
    """Return the detector, imported on first use; its profiles take 3 MB."""
    from resiliparse.parse.lang import detect_fast  # noqa: PLC0415

    return detect_fast
