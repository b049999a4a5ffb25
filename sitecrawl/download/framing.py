"""Where the body of an answer ends (RFC 9112, 6)."""

from __future__ import annotations

import re
from typing import Protocol

from sitecrawl.download.failures import GibberishError
from sitecrawl.download.head import Head

BODILESS = frozenset({204, 304})
NUMBER = re.compile(rb"[0-9]{1,18}")
SIZE_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;.*)?")  # RFC 9112, 7.1
LONGEST_LINE = 1024
LARGEST_TRAILER = 65_536


class Framing(Protocol):
    """Tells the body from what is around it.

    ``rest`` is what came behind the body, once that is complete. ``ends_by_close``: the
    close of the connection is its proper end.
    """

    rest: bytes | None
    ends_by_close: bool

    def take(self, data: bytes) -> bytes:
        """The part of ``data`` that is body; raises GibberishError."""
        ...


class Sized:
    """A body of announced length."""

    __slots__ = ("_left", "rest")
    ends_by_close = False

    def __init__(self, size: int) -> None:
        self._left = size
        self.rest: bytes | None = None

    def take(self, data: bytes) -> bytes:
        """The body's share."""
        part = data[: self._left]
        self._left -= len(part)
        if not self._left:
            self.rest = data[len(part) :]
        return part


class UntilClose:
    """A body that the end of the connection ends."""

    __slots__ = ("rest",)
    ends_by_close = True

    def __init__(self) -> None:
        self.rest: bytes | None = None

    def take(self, data: bytes) -> bytes:
        """Everything."""
        return data


class Chunked:
    """A body in chunks (RFC 9112, 7.1); a trailer is passed over."""

    __slots__ = ("_held", "_left", "_read", "_trailer", "rest")
    ends_by_close = False

    def __init__(self) -> None:
        self._held = b""
        self._left = 0  # bytes of the current chunk that are still to come
        self._trailer = LARGEST_TRAILER
        self._read = self._read_size  # what the next line is
        self.rest: bytes | None = None

    def take(self, data: bytes) -> bytes:
        """The chunks' share."""
        if self._held:
            data = self._held + data
            self._held = b""
        parts: list[bytes] = []
        at = 0
        while at < len(data):
            if self._left:
                part = data[at : at + self._left]
                parts.append(part)
                at += len(part)
                self._left -= len(part)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                self._hold(data[at:])
                break
            line, at = data[at:end].removesuffix(b"\r"), end + 1
            if self._read(line):
                self.rest = data[at:]
                break
        return b"".join(parts)

    def _hold(self, begun: bytes) -> None:
        """Keep the beginning of a line."""
        if len(begun) > LONGEST_LINE:
            raise GibberishError("a line between the chunks does not end")
        self._held = begun

    def _read_size(self, line: bytes) -> bool:
        found = SIZE_LINE.fullmatch(line)
        if found is None:
            raise GibberishError(f"not a chunk's size: {line[:80]!r}")
        self._left = int(found[1], 16)
        self._read = self._read_end if self._left else self._read_trailer
        return False

    def _read_end(self, line: bytes) -> bool:
        if line:
            raise GibberishError("a chunk is longer than its size")
        self._read = self._read_size
        return False

    def _read_trailer(self, line: bytes) -> bool:
        self._trailer -= len(line) + 1
        if self._trailer < 0:
            raise GibberishError("the trailer behind the chunks is too large")
        return not line


def framing_of(head: Head, *, to_head: bool) -> tuple[Framing, int | None]:
    """How the body is framed, and its length where that is announced.

    ``to_head``: the answer is one to a HEAD request. Raises GibberishError.
    """
    if to_head or head.status in BODILESS:
        return Sized(0), 0
    codings = set(head.values(b"Transfer-Encoding")) - {b"identity", b""}
    if codings == {b"chunked"}:
        return Chunked(), None
    if codings:
        raise GibberishError(f"unknown Transfer-Encoding: {codings}")
    length = _agreed(head.values(b"Content-Length"))
    return (UntilClose() if length is None else Sized(length)), length


def _agreed(lengths: list[bytes]) -> int | None:
    """The one number; RFC 9110, 8.6 lets it be said more than once. What is none is passed over."""
    numbers = {int(length) for length in lengths if NUMBER.fullmatch(length)}
    if len(numbers) > 1:
        raise GibberishError(f"Content-Lengths that contradict each other: {lengths[:3]}")
    return next(iter(numbers), None)


def is_persistent(head: Head) -> bool:
    """Whether the connection may be used again (RFC 9112, 9.3)."""
    options = head.values(b"Connection")
    if b"close" in options:
        return False
    return head.version.upper() != "HTTP/1.0" or b"keep-alive" in options
