"""Which pages have the same content or nearly so, and which of them is kept."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

BITS = 64
SHINGLE = 3  # words
MAX_DIFFERENT_BITS = 3
MIN_COMMON_WORDS = 0.5  # of the words of both texts, in one that was edited
BANDS = MAX_DIFFERENT_BITS + 1  # near simhashes agree in one band at least
BAND_BITS = BITS // BANDS


def rank(url: str) -> tuple[bool, int, str]:
    """Sorts the URLs of equal pages, the one to keep first.

    Without a query before with one, then the shortest, then the first of the alphabet:
    nothing that depends on the order of the crawl.
    """
    return "?" in url, len(url), url


def kept(urls: Iterable[str]) -> str:
    """The one URL under which equal pages are written."""
    return min(urls, key=rank)


def simhash(text: str) -> int:
    """The signed 64-bit simhash of a text's runs of words: near texts differ in few bits.

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
    """Tell a text that took another's place from one that was edited: most words differ."""
    one, other = set(before.split()), set(after.split())
    return len(one & other) < MIN_COMMON_WORDS * len(one | other)


def bands(value: int) -> list[int]:
    """The parts of a simhash, of which near ones share at least one."""
    mask = (1 << BAND_BITS) - 1
    return [value >> (band * BAND_BITS) & mask for band in range(BANDS)]


def near(one: int, other: int) -> bool:
    """Whether two simhashes are those of nearly the same text."""
    different = (one ^ other) & ((1 << BITS) - 1)
    return different.bit_count() <= MAX_DIFFERENT_BITS
