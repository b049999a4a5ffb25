"""Undoes Content-Encoding, up to a size."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain

import brotli

from sitecrawl.download.failures import BrokenEncodingError, DecodedTooLargeError
from sitecrawl.web.zstandard import zstd

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
CHUNK = 262_144
Decoder = Callable[[bytes], Iterator[bytes]]
ERRORS = (zlib.error, brotli.error, zstd.ZstdError, EOFError, OSError)


def decode_body(body: bytes, encodings: Iterable[str], limit: int) -> bytes:
    """The body without its encodings; ``encodings`` are Content-Encoding header values.

    Codings that no browser knows are passed over, as browsers do: servers write charsets
    there. Raises DecodedTooLargeError beyond ``limit`` bytes, BrokenEncodingError for a body that is
    not of its coding or ends too early: half a page must not pass for the page.
    """
    for decoder in _decoders(encodings):
        if body:
            body = _decode(body, decoder, limit)
    return body


def decode_prefix(body: bytes, encodings: Iterable[str], limit: int) -> bytes:
    """As much of the body without its encodings as can be had, up to ``limit`` bytes."""
    for decoder in _decoders(encodings):
        parts, size = [], 0
        with suppress(*ERRORS):
            for part in decoder(body):
                parts.append(part)
                size += len(part)
                if size >= limit:
                    break
        body = b"".join(parts)[:limit]
    return body


def _decoders(encodings: Iterable[str]) -> Sequence[Decoder]:
    """What undoes the codings, in the order of doing so."""
    names = chain.from_iterable(value.lower().split(",") for value in encodings)
    return [DECODERS[n.strip()] for n in names if n.strip() in DECODERS][::-1]


def _decode(body: bytes, decoder: Decoder, limit: int) -> bytes:
    parts, size = [], 0
    try:
        for part in decoder(body):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise DecodedTooLargeError(f"the body decompresses to more than {limit} bytes")
    except ERRORS as error:
        raise BrokenEncodingError(f"the body is not of its Content-Encoding: {error}") from error
    return b"".join(parts)


def _gzip(body: bytes) -> Iterator[bytes]:
    while True:  # RFC 1952, 2.2: members follow one another
        stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        yield from _zlib_parts(stream, body)
        body = stream.unused_data
        if not body.startswith(b"\x1f\x8b"):
            return


def _deflate(body: bytes) -> Iterator[bytes]:
    try:
        zlib.decompressobj().decompress(body, 1)
    except zlib.error:  # some servers leave zlib's frame away
        return _zlib_parts(zlib.decompressobj(-zlib.MAX_WBITS), body)
    return _zlib_parts(zlib.decompressobj(), body)


def _zlib_parts(stream: zlib._Decompress, body: bytes) -> Iterator[bytes]:
    while not stream.eof:
        part = stream.decompress(body, CHUNK)
        if not part and not stream.eof:
            raise EOFError("it ends too early")
        yield part
        body = stream.unconsumed_tail


def _brotli(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    part = stream.process(body, output_buffer_limit=CHUNK)
    while part:
        yield part
        part = stream.process(b"", output_buffer_limit=CHUNK)
    if not stream.is_finished():
        raise EOFError("it ends too early")


def _zstd(body: bytes) -> Iterator[bytes]:
    with zstd.ZstdFile(BytesIO(body)) as stream:
        while part := stream.read(CHUNK):
            yield part


DECODERS = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
