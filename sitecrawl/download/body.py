"""Receives a body up to a size."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionAborted, ConnectionDone
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss, _DataLoss
from twisted.web.iweb import UNKNOWN_LENGTH

from sitecrawl.download.failures import BodyTooLargeError


class BodyReader(Protocol):
    """Gathers the body of one answer; ``finished`` fires with it."""

    def __init__(self, connection: Any, limit: int) -> None:
        self.finished: Deferred[bytes] = Deferred(lambda _: connection.transport.abortConnection())
        self._connection = connection
        self._limit = limit
        self._room = limit
        self._parts: list[bytes] = []

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep a part of the body, or give up where it grows too large."""
        self._room -= len(data)
        if self._room >= 0:
            self._parts.append(data)
        else:
            self.give_up()

    def give_up(self) -> None:
        """Take no more of a body that is too large."""
        if not self.finished.called:
            self._parts.clear()
            self.finished.errback(
                BodyTooLargeError(f"the body is larger than max_body_size, {self._limit} bytes")
            )
            self._connection.break_off(ConnectionAborted())

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        """The body has ended, as it should or not."""
        ending = self._connection.ending
        if self.finished.called:
            return
        # RFC 9112, 6.3: the close ends a body without length
        closed = isinstance(ending, ConnectionDone)
        why = reason.value
        if isinstance(why, ResponseDone) or (closed and isinstance(why, PotentialDataLoss)):
            self.finished.callback(b"".join(self._parts))
        elif isinstance(why, PotentialDataLoss):
            self.finished.errback(ResponseFailed([ending, _DataLoss()]))  # type: ignore[no-untyped-call]
        else:
            self.finished.errback(reason)


class PrefixReader(BodyReader):
    """Gathers what fits of one answer's body, and takes no more."""

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep a part of the body, the last one as far as it fits."""
        if self.finished.called:
            return
        self._parts.append(data[: self._room])
        self._room -= len(data)
        if self._room <= 0:
            self.finished.callback(b"".join(self._parts))
            self._connection.break_off(ConnectionAborted())


def read_prefix(response: Any, limit: int) -> Deferred[bytes]:
    """The first ``limit`` bytes of the body of Twisted's ``response``."""
    reader = PrefixReader(response.connection, limit)
    response.deliverBody(reader)
    return reader.finished


def read_body(response: Any, limit: int) -> Deferred[bytes]:
    """The body of Twisted's ``response``; fails with BodyTooLargeError beyond ``limit`` bytes."""
    reader = BodyReader(response.connection, limit)
    if response.length != UNKNOWN_LENGTH and response.length > limit:
        reader.give_up()
    response.deliverBody(reader)
    return reader.finished
