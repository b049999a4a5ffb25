"""One request's answer, while it is being received."""

from __future__ import annotations

import asyncio
from enum import Enum, auto
from typing import Protocol

from sitecrawl.download.failures import BodyTooLargeError, of_ending
from sitecrawl.download.framing import Framing, framing_of, is_persistent
from sitecrawl.download.head import Head, HeadReader


class Then(Enum):
    """What is to become of the connection after an answer."""

    KEEP = auto()
    CLOSE = auto()
    CUT = auto()  # the server is still sending


class Reading(Protocol):
    """What a request wants of its answer.

    Of a body of more than ``limit`` bytes the beginning is taken if ``prefix``; otherwise
    the request fails.
    """

    to_head: bool
    limit: int
    prefix: bool

    def begun(self, head: Head, length: int | None) -> bool:
        """Take the head, and the body's length if announced; whether the body is wanted."""
        ...

    def is_whole(self, body: bytes) -> bool:
        """Whether a body that is shorter than announced is complete nevertheless."""
        ...


class Exchange:
    """Receives one answer.

    Of one that brings no page the head tells all: whatever becomes of its body, it is an answer.
    ``done`` holds the body once it is complete. ``received`` counts the bytes that came.
    """

    __slots__ = ("_body", "_framing", "_head", "_reading", "_told", "done", "received", "then")

    def __init__(self, reading: Reading, header_limit: int) -> None:
        self.done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.then = Then.CLOSE
        self.received = 0
        self._reading = reading
        self._told = False
        self._head = HeadReader(header_limit)
        self._framing: Framing | None = None
        self._body = bytearray()

    def take(self, data: bytes) -> None:
        """Receive bytes. Raises GibberishError, HeaderTooLargeError, BodyTooLargeError."""
        self.received += len(data)
        framing = self._framing
        if framing is None:
            found = self._head.take(data)
            if found is None:
                return
            head, data = found
            framing = self._begin(head)
            if framing is None:
                return
        part = framing.take(data)
        if len(self._body) + len(part) > self._reading.limit:
            self._overflow(part)
        elif framing.rest is not None:
            self._end(part, framing.rest)
        else:
            self._body += part

    def end(self, error: Exception | None, *, truncated: bool) -> None:
        """The connection has ended; ``truncated``: without the end that TLS demands."""
        if self.done.done():
            return
        framing, body = self._framing, bytes(self._body)
        if framing is None or error or truncated:
            self.fail(of_ending(error, received=self.received, in_body=framing is not None))
        elif framing.ends_by_close or self._reading.is_whole(body):
            self.done.set_result(body)
        else:
            self.fail(of_ending(None, received=self.received, in_body=True))

    def fail(self, error: Exception) -> None:
        """There will be no answer, or no more of it."""
        if self.done.done():
            return
        if self._told:
            self.done.set_result(bytes(self._body))
        else:
            self.done.set_exception(error)

    def _begin(self, head: Head) -> Framing | None:
        framing, length = framing_of(head, to_head=self._reading.to_head)
        self._told = head.status >= 300
        if is_persistent(head):
            self.then = Then.KEEP
        if not self._reading.begun(head, length) and length != 0:
            self._cut(b"")
            return None
        if length is not None and length > self._reading.limit and not self._reading.prefix:
            raise self._too_large()
        self._framing = framing
        return framing

    def _end(self, part: bytes, rest: bytes) -> None:
        if rest:  # more than was announced would be taken for the next answer
            self.then = Then.CUT
        self.done.set_result(bytes(self._body) + part)  # most bodies are one part, and not copied

    def _overflow(self, part: bytes) -> None:
        if not self._reading.prefix:
            raise self._too_large()
        self._cut((bytes(self._body) + part)[: self._reading.limit])

    def _cut(self, body: bytes) -> None:
        self.then = Then.CUT
        self.done.set_result(body)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(
            f"the body is larger than max_body_size, {self._reading.limit} bytes"
        )
