"""Decompression: Zstandard for all Python versions, and gzip files within a size limit."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]


GZIP_MAGIC = b"\x1f\x8b"
CHUNK_BYTES = 65536
SIZE_LIMIT = 50 * 1024 * 1024  # limit of the sitemap protocol, uncompressed


def read_chunks(
    body: bytes, *, limit: int = SIZE_LIMIT, problems: list[str] | None = None
) -> Iterator[bytes]:
    """Yield ``body`` in chunks, decompressed if it is gzip, at most ``limit`` bytes in all.

    A damaged or truncated file yields what could be read. ``problems`` receives ``too_large`` or
    ``damaged_gzip``.
    """
    pieces = _inflated(body, problems) if body.startswith(GZIP_MAGIC) else _sliced(body)
    for piece in pieces:
        if len(piece) > limit:
            _note(problems, "too_large")
            yield piece[:limit]
            return
        limit -= len(piece)
        yield piece


def _sliced(body: bytes) -> Iterator[bytes]:
    """Yield ``body`` in chunks."""
    for start in range(0, len(body), CHUNK_BYTES):
        yield body[start : start + CHUNK_BYTES]


def _inflated(body: bytes, problems: list[str] | None) -> Iterator[bytes]:
    """Yield the decompressed members of a gzip file (RFC 1952, 2.2)."""
    inflater = zlib.decompressobj(wbits=31)
    for piece in _sliced(body):
        while piece:
            if inflater.eof and not piece.startswith(GZIP_MAGIC):
                return  # padding after the last member
            inflater = zlib.decompressobj(wbits=31) if inflater.eof else inflater
            try:
                yield inflater.decompress(piece, CHUNK_BYTES)
            except zlib.error:
                _note(problems, "damaged_gzip")
                return
            piece = inflater.unconsumed_tail or inflater.unused_data  # noqa: PLW2901
    if not inflater.eof:
        _note(problems, "damaged_gzip")


def _note(problems: list[str] | None, word: str) -> None:
    """Report a problem to the caller's list, if given."""
    if problems is not None:
        problems.append(word)
