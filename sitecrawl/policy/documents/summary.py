"""A summary of a text: the sentences that hold its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

MAX_CHARACTERS = 20_000
SENTENCES = 3
MIN_WORDS, MAX_WORDS = 5, 40
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
_ENDS = (".", "!", "?", "。", "！", "？")
_WORD = re.compile(r"\w{4,}")


def summary(text: str) -> str:
    """Up to three sentences in their order.

    A sentence's score is the mean frequency in the text of its words of four letters and
    more; sentences of fewer than 5 or more than 40 words do not count.
    """
    text = text[:MAX_CHARACTERS]
    frequency = Counter(word.lower() for word in _WORD.findall(text))
    scored = [
        (_score(sentence, frequency), -number, sentence)
        for number, sentence in enumerate(_SENTENCE_END.split(text))
        if sentence.endswith(_ENDS) and MIN_WORDS <= len(sentence.split()) <= MAX_WORDS
    ]
    best = sorted(scored, reverse=True)[:SENTENCES]
    return " ".join(sentence for _, _, sentence in sorted(best, key=lambda one: -one[1]))


def _score(sentence: str, frequency: Counter[str]) -> float:
    words = _WORD.findall(sentence.lower())
    return sum(frequency[word] for word in words) / len(words) if words else 0.0
