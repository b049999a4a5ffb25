"""Decoding of Content-Encoding within a size limit."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import brotli

from sitecrawl.http.fetch_errors import BrokenEncodingError, DecodedTooLargeError
from sitecrawl.web.decompression import zstd

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
CHUNK = 262_144
MAX_CODINGS = 5  # as in curl; each is decoded in full
MAX_MEMBERS = 1000  # in one body: the remaining bytes are copied for each
GZIP_FRAME = 10, 8  # bytes before and after a stream (RFC 1952, 2.3; RFC 1950, 2.2)
ZLIB_FRAME = 2, 4
Decoder = Callable[[bytes], Iterator[bytes]]
ERRORS = (zlib.error, brotli.error, zstd.ZstdError, EOFError, OSError)


def decode_body(body: bytes, encodings: Iterable[str], limit: int) -> bytes:
    """Decode a body; ``encodings`` are Content-Encoding header values.

    Codings that no browser knows are ignored, as in browsers: some servers write charsets there.
    Raises DecodedTooLargeError beyond ``limit`` bytes, and BrokenEncodingError for a body that is
    not in its coding or ends too early: half a page must not be taken for the page.
    """
    for decoder in _decoders(encodings):
        if not body:
            break
        parts, size = [], 0
        try:
            for part in decoder(body):
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise DecodedTooLargeError(f"the body decompresses to more than {limit} bytes")
        except ERRORS as error:
            why = f"the body does not match its Content-Encoding: {error}"
            raise BrokenEncodingError(why) from error
        body = b"".join(parts)
    return body


def decode_prefix(body: bytes, encodings: Iterable[str], limit: int) -> bytes:
    """Decode the beginning of a body, up to ``limit`` bytes, as far as it can be decoded.

    A body that cannot be decoded at all is returned unchanged: some servers announce codings that
    they do not apply.
    """
    for decoder in _decoders(encodings):
        parts, size = [], 0
        try:
            for part in decoder(body):
                parts.append(part)
                size += len(part)
                if size >= limit:
                    break
        except ERRORS:
            if not size:
                continue
        body = b"".join(parts)[:limit]
    return body


def _decoders(encodings: Iterable[str]) -> Sequence[Decoder]:
    names = chain.from_iterable(value.lower().split(",") for value in encodings)
    decoders = [DECODERS[n.strip()] for n in names if n.strip() in DECODERS][::-1]
    if len(decoders) > MAX_CODINGS:
        raise BrokenEncodingError(f"the body is encoded {len(decoders)} times over")
    return decoders


def _gzip(body: bytes) -> Iterator[bytes]:
    for _ in range(MAX_MEMBERS):  # RFC 1952, 2.2: members are concatenated
        stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        yield from _checked_parts(stream, body, GZIP_FRAME)
        body = stream.unused_data
        if not body.startswith(b"\x1f\x8b"):
            return
    raise EOFError("its members do not end")


def _deflate(body: bytes) -> Iterator[bytes]:
    try:
        zlib.decompressobj().decompress(body, 1)
    except zlib.error:  # some servers omit zlib's frame
        return _zlib_parts(zlib.decompressobj(-zlib.MAX_WBITS), body)
    return _checked_parts(zlib.decompressobj(), body, ZLIB_FRAME)


def _checked_parts(
    stream: zlib._Decompress, body: bytes, frame: tuple[int, int]
) -> Iterator[bytes]:
    """Decompress a stream; accept a missing checksum, but not a wrong one.

    Scripts that compress their pages by hand leave the checksum out, or write zlib's in place of
    gzip's.
    """
    header, checksum = frame
    size = 0
    try:
        for part in _zlib_parts(stream, body):
            yield part
            size += len(part)
    except (zlib.error, EOFError):
        bare = zlib.decompressobj(-zlib.MAX_WBITS)
        for part in _zlib_parts(bare, body[header:]):
            yield part[size:]
            size = max(0, size - len(part))
        if len(bare.unused_data) >= checksum:
            raise


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
    for _ in range(MAX_MEMBERS):  # RFC 8878, 3: frames are concatenated
        stream = zstd.ZstdDecompressor()
        yield stream.decompress(body, CHUNK)
        while not stream.eof:
            if stream.needs_input:
                raise EOFError("it ends too early")
            yield stream.decompress(b"", CHUNK)
        body = stream.unused_data
        if not body:
            return
    raise EOFError("its frames do not end")


DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd}
