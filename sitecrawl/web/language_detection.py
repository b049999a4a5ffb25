"""The language that a text is written in, where none is declared or another plainly is."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

MIN_WORDS = 50
MIN_SIGNS = 120  # of scripts without spaces
SAMPLE = 1_500  # characters, in three parts from all over the text
MAX_DISTANCE = 900  # from the profile of a language; a greater distance is no known language
# Ratio to the distance of the next language, at which the nearest is it: with less, texts of 50
# words are mistaken for a neighbour. Beyond the greater one a declared language is plainly wrong.
SURE, PLAINLY = 1.05, 1.2
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# Scripts that one language alone writes; kana before the Han signs that stand between them.
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
)
MIN_SHARE = 0.3  # of a sample in such a script
MIN_KANA = 0.02  # a Japanese name in a Chinese text has fewer
# Declared codes, and those of the profiles.
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "sh": "sr", "fil": "tl"}
# Languages that cannot be distinguished by their letters alone.
_CLOSE = (
    *(frozenset({"hr", "sr", "bs"}), frozenset({"id", "ms"}), frozenset({"no", "da"})),
    *(frozenset({"zh", "yue"}), frozenset({"zh", "wuu"}), frozenset({"zh", "lzh"})),
)


def judged_language(declared: str, text: str) -> tuple[str, bool]:
    """The language of a text, and whether that is detected: the declared one stays if it may be."""
    sample = sampled(text)
    if not sample:
        return declared, False
    script = _by_script(sample)
    near = [(script, 1), ("", MAX_DISTANCE)] if script else _distances(sample)
    best, distance = near[0]
    if distance > MAX_DISTANCE or near[1][1] < distance * SURE:
        return declared, False
    if not declared:
        return best, True
    primary = declared.partition("-")[0].lower()
    primary = _SAME.get(primary, primary)
    if primary == best or any({primary, best} <= group for group in _CLOSE):
        return declared, False
    if script:
        return best, True
    other = next((far for language, far in near if language == primary), 0)
    return (best, True) if other >= distance * PLAINLY else (declared, False)


def _by_script(sample: str) -> str:
    """The language of a text in a script without spaces, else nothing."""
    if sample.isascii() or len(_SPACELESS.findall(sample)) < MIN_SHARE * len(sample):
        return ""
    shares = ((name, len(pattern.findall(sample)) / len(sample)) for name, pattern in _SCRIPTS)
    return next((name for name, share in shares if share > MIN_KANA), "")


def sampled(text: str) -> str:
    """Parts of a text from which its language is detected, empty for a text that is too short."""
    top = text[:SAMPLE]
    words = top.count(" ") + top.count("\n") + 1
    if words < MIN_WORDS and (top.isascii() or len(_SPACELESS.findall(top)) < MIN_SIGNS):
        return ""
    if len(text) <= SAMPLE:
        return text
    part = SAMPLE // 3
    quarter = len(text) // 4
    return " ".join(text[start : start + part] for start in (quarter, 2 * quarter, 3 * quarter))


def _distances(sample: str) -> list[tuple[str, int]]:
    """The languages by their distance from a text, the nearest first."""
    found: list[tuple[str, int]] = _detector()(sample, cutoff=100_000, n_results=200)
    return found


@cache
def _detector() -> Any:
    """The detector, whose profiles take 3 MB, on first use."""
    from resiliparse.parse.lang import detect_fast  # noqa: PLC0415

    return detect_fast
