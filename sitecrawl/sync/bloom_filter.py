"""Bloom filter: a set in little memory that may claim to contain a text, and never misses one."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

BITS = 1 << 24  # 2 MB; of a million texts 0.2 % of others are claimed, of ten million most
PROBES = 4


class BloomFilter:
    """Texts that were added, and a few more."""

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def update(self, texts: Iterable[str]) -> None:
        """Add texts."""
        for text in texts:
            for place in _places(text):
                self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, text: str) -> bool:
        """Return False only if a text was never added."""
        return all(self._bits[place >> 3] & 1 << (place & 7) for place in _places(text))


def _places(text: str) -> Iterable[int]:
    digest = blake2b(text.encode(), digest_size=4 * PROBES).digest()
    return (
        int.from_bytes(digest[start : start + 4], "big") % BITS for start in range(0, 4 * PROBES, 4)
    )
