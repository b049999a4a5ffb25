"""Reads the head of an answer: status line and header fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sitecrawl.download.failures import GibberishError, HeaderTooLargeError

END = re.compile(rb"\n\r?\n")  # RFC 9112, 2.2: a bare LF ends a line too
STATUS_LINE = re.compile(rb"((?i:HTTP)/\d+(?:\.\d+)?)[ \t]+(\d{1,4})(?!\d)[^\n]*\n")
FIELD = re.compile(rb"^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:(.*)$", re.MULTILINE)
FOLD = re.compile(rb"\r?\n[ \t]+")  # RFC 9112, 5.2


@dataclass(slots=True)
class Head:
    """The head of one answer; ``fields`` are in order, with names written ``Like-This``."""

    version: str
    status: int
    fields: list[tuple[bytes, bytes]]

    def values(self, name: bytes) -> list[bytes]:
        """All values of the fields called ``name``, in lower case and parted at commas."""
        found = [value for key, value in self.fields if key == name]
        return [part.strip() for part in b",".join(found).lower().split(b",")] if found else []


class HeadReader:
    """Gathers the head of an answer, and passes over interim ones, within a size in bytes."""

    __slots__ = ("_held", "_left")

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._held = bytearray()

    def take(self, data: bytes) -> tuple[Head, bytes] | None:
        """The head and what follows it, once it is there.

        Raises GibberishError for what is not HTTP, HeaderTooLargeError.
        """
        searched = max(0, len(self._held) - 2)
        buffer: bytes | bytearray = data
        if self._held:
            self._held += data
            buffer = self._held
        begin = 0
        while end := END.search(buffer, max(begin, searched)):
            head = parse_head(bytes(buffer[begin : end.end()]))
            self._spend(end.end() - begin)
            begin = end.end()
            if not 100 <= head.status < 200:  # RFC 9110, 15.2: interim answers may be ignored
                return head, bytes(buffer[begin:])
        self._hold(buffer[begin:])
        return None

    def _hold(self, rest: bytes | bytearray) -> None:
        """Keep the beginning of a head, if it can become one."""
        if b"\n" in rest:
            _read_status(rest)
        if len(rest) > self._left:
            self._spend(len(rest))
        self._held = bytearray(rest)

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise HeaderTooLargeError("the head of the answer is larger than max_header_size")


def parse_head(block: bytes) -> Head:
    """Read a whole head. Lines that are no field are passed over, as browsers do."""
    found = _read_status(block)
    fields = block[found.end() :]
    if b"\n " in fields or b"\n\t" in fields:
        fields = FOLD.sub(b" ", fields)
    pairs = FIELD.findall(fields)
    return Head(
        found[1].decode("ascii"),
        int(found[2]),
        # RFC 9112, 2.2: a bare CR means a space
        [(name.title(), value.strip().replace(b"\r", b" ")) for name, value in pairs],
    )


def _read_status(block: bytes | bytearray) -> re.Match[bytes]:
    found = STATUS_LINE.match(block)
    if found is None:
        raise GibberishError(f"not an HTTP status line: {bytes(block[:80])!r}")
    return found
