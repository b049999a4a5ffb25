"""Search for documents with nearly the same text, among those that are in the index."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from heapq import nsmallest
from zlib import crc32

SHINGLE = 4  # words
SKETCH = 16
"""Smallest hashes of a text's shingles that are compared (Broder, "Resemblance", 1997)."""
NEAR = 14
"""Common hashes of two sketches from which texts count as nearly equal: about 19 words of 20."""
MAX_SHARED = 50
"""Texts with one shingle from which it belongs to the site and not to a page."""


def sketch(text: str) -> tuple[int, ...]:
    """Return the smallest hashes of a text's shingles; empty for a short text."""
    words = text.split()
    if len(words) < SHINGLE + SKETCH:
        return ()
    ends = range(SHINGLE, len(words) + 1)
    return tuple(
        nsmallest(SKETCH, {crc32(" ".join(words[i - SHINGLE : i]).encode()) for i in ends})
    )


def near_pages(sketches: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Yield each page with an earlier one whose text is nearly the same."""
    having: dict[int, list[int]] = defaultdict(list)
    for page, hashes in sketches.items():
        common = Counter(
            other for each in hashes if len(having[each]) <= MAX_SHARED for other in having[each]
        )
        for other, number in common.most_common(1):
            if number >= NEAR:
                yield page, other
        for each in hashes:
            having[each].append(page)
