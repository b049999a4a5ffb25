"""Duplicate detection: simhash comparison, and the choice of the URL to keep."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

BITS = 64
SHINGLE = 3  # words
MAX_DIFFERENT_BITS = 3
MIN_COMMON_WORDS = 0.5  # share of common words in an edited text
BANDS = MAX_DIFFERENT_BITS + 1  # near simhashes share at least one band
BAND_BITS = BITS // BANDS


class SiteRank(NamedTuple):
    """Sort key of equal pages in the order of their site; the lowest one is kept.

    Starts come first, then pages of a sitemap, then those that the fewest links lead to from a
    start, then URLs without a query, then the order of discovery.
    """

    is_linked: bool
    is_unlisted: bool
    depth: int
    has_query: bool
    found: int


def rank(url: str) -> tuple[bool, int, str]:
    """Return the sort key of URLs of which nothing else is known: the shortest without a query."""
    return "?" in url, len(url), url


def simhash(text: str) -> int:
    """Return the signed 64-bit simhash of a text's word shingles: near texts differ in few bits.

    Charikar, "Similarity estimation techniques from rounding algorithms", 2002.
    """
    words = text.split()
    last = max(len(words) - SHINGLE, 0)
    shingles = {" ".join(words[start : start + SHINGLE]) for start in range(last + 1)}
    votes = [0] * BITS
    for shingle in shingles:
        digest = blake2b(shingle.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()
        number = int.from_bytes(digest, "big")
        for bit in range(BITS):
            votes[bit] += 1 if number >> bit & 1 else -1
    total = sum(1 << bit for bit in range(BITS) if votes[bit] > 0)
    return total - (1 << BITS) if total >> (BITS - 1) else total


def is_rewritten(before: str, after: str) -> bool:
    """Return True if most words differ: a replaced text, not an edited one."""
    one, other = set(before.split()), set(after.split())
    return len(one & other) < MIN_COMMON_WORDS * len(one | other)


def bands(value: int) -> list[int]:
    """Split a simhash into bands; near ones share at least one."""
    mask = (1 << BAND_BITS) - 1
    return [value >> (band * BAND_BITS) & mask for band in range(BANDS)]


def near(one: int, other: int) -> bool:
    """Return True if two simhashes belong to nearly the same text."""
    different = (one ^ other) & ((1 << BITS) - 1)
    return different.bit_count() <= MAX_DIFFERENT_BITS
