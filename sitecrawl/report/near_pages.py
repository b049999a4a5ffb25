"""Search for documents with nearly the same text, among those that are in the index."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from heapq import nsmallest
from zlib import crc32

SHINGLE = 4  # words
SKETCH = 64
"""Smallest hashes of a text's shingles that are compared (Broder, "Resemblance", 1997)."""
LOOKED_UP = 16
"""Hashes of a sketch by which candidates are found."""
MIN_COMMON = 0.9
"""Share of common hashes from which texts count as nearly equal."""
MAX_SHARED = 50
"""Texts with one shingle from which it belongs to the site and not to a page."""


def sketch(text: str) -> array[int]:
    """Return the smallest hashes of a text's shingles, in order; none of a short text."""
    words = text.split()
    ends = range(SHINGLE, len(words) + 1)
    hashes = {crc32(" ".join(words[end - SHINGLE : end]).encode()) for end in ends}
    return array("L", nsmallest(SKETCH, hashes) if len(hashes) >= LOOKED_UP else ())


def near_pages(sketches: Mapping[int, array[int]]) -> Iterator[tuple[int, int]]:
    """Yield each page with an earlier one whose text is nearly the same."""
    having: dict[int, list[int]] = defaultdict(list)
    for page, hashes in sketches.items():
        first = hashes[:LOOKED_UP]
        found = (having[each] for each in first if len(having[each]) <= MAX_SHARED)
        common = Counter(other for pages in found for other in pages)
        for other, _ in common.most_common(3):
            one, two = set(hashes), set(sketches[other])
            smallest = nsmallest(max(len(one), len(two)), one | two)
            if len(one & two & set(smallest)) >= MIN_COMMON * len(smallest):
                yield page, other
                break
        for each in first:
            having[each].append(page)
