"""One connection to a server, which gives up when the server costs too much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from twisted.internet.interfaces import IAddress
from twisted.python.failure import Failure

from sitecrawl.download.failures import HeaderTooLargeError, SilenceError, TooSlowError
from sitecrawl.download.limits import Limits

LINGER = 5.0  # seconds until a connection that the server does not close is cut


class BoundedParser(_LenientHTTPClientParser):
    """Reads an answer's head within a size, interim answers and line ends included."""

    header_left: int

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        """Read one line of the head."""
        self.header_left -= len(line) + 1
        if self.header_left < 0:
            self.lineLengthExceeded(line)
        super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:  # noqa: ARG002, N802
        """Give up; Twisted would close the connection as if the server had."""
        raise HeaderTooLargeError("the head of the answer is larger than max_header_size")


class BoundedProtocol(_LenientHTTP11ClientProtocol):
    """HTTP/1.1 as Scrapy speaks it, with a watch on every request.

    The server is given ``silence`` seconds. Each byte earns it 1/rate seconds more, but
    never more than ``silence`` ahead, nor beyond ``total``: one timer bounds handshake,
    head and body alike, and a server that is slow to begin has its time to do so.
    """

    def __init__(self, callback: Callable[[Any], None], limits: Limits, clock: Any) -> None:
        super().__init__(callback)  # type: ignore[no-untyped-call]
        self.ending: BaseException | None = None
        self.received = 0
        self._limits = limits
        self._clock = clock
        self._timer: Any = None
        self._deadline = self._last = 0.0

    def request(self, request: Any) -> Any:
        """Send a request, and begin to watch."""
        answer = super().request(request)
        parser: Any = self._parser
        parser.__class__ = BoundedParser
        parser.header_left = parser.MAX_LENGTH = self._limits.header
        self.received, self.ending = 0, None
        now = self._clock.seconds()
        self._last = now + self._limits.total
        self._deadline = min(now + self._limits.silence, self._last)
        self._timer = self._clock.callLater(self._deadline - now, self._look)
        return answer.addCallback(self._sign)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Take bytes of the answer."""
        self.received += len(data)
        now = self._clock.seconds()
        earned = len(data) / self._limits.rate if self._limits.rate else self._limits.silence
        self._deadline = min(self._deadline + earned, now + self._limits.silence, self._last)
        super().dataReceived(data)  # type: ignore[no-untyped-call]

    def break_off(self, why: Exception) -> None:
        """Cut the connection at once, with no more bytes taken; the request fails with ``why``."""
        self.transport.abortConnection()  # type: ignore[union-attr]
        self._disconnectParser(Failure(why))  # type: ignore[no-untyped-call]

    def _sign(self, response: Any) -> Any:
        response.connection = self
        return response

    def _look(self) -> None:
        left = self._deadline - self._clock.seconds()
        if left > 0:
            self._timer = self._clock.callLater(left, self._look)
        elif self.received:
            self.break_off(TooSlowError("the server sends below min_rate or beyond max_time"))
        else:
            self.break_off(SilenceError("the server was silent for longer than timeout"))

    def _finishResponse(self, rest: bytes) -> None:  # noqa: N802 - Twisted's name
        super()._finishResponse(rest)
        if rest:  # more than was announced: what follows would be taken for the next answer
            self.transport.abortConnection()  # type: ignore[union-attr]

    def _disconnectParser(self, reason: Any) -> None:  # noqa: N802 - Twisted's name
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self._parser is not None and isinstance(reason, Failure):
            self.ending = reason.value
        super()._disconnectParser(reason)  # type: ignore[no-untyped-call]

    def _giveUp(self, reason: Any) -> None:  # noqa: N802 - Twisted's name
        super()._giveUp(reason)  # type: ignore[no-untyped-call]
        # A TLS connection would be read until the server agrees to close it.
        self._clock.callLater(LINGER, self.transport.abortConnection)  # type: ignore[union-attr]


class BoundedFactory(_LenientHTTP11ClientFactory):
    """Makes the connections of a pool."""

    def __init__(self, callback: Callable[[Any], None], metadata: str, **kept: Any) -> None:
        super().__init__(callback, metadata)  # type: ignore[no-untyped-call]
        self._kept = kept

    def buildProtocol(self, addr: IAddress | None) -> BoundedProtocol:  # noqa: ARG002, N802
        """One connection."""
        return BoundedProtocol(self._quiescentCallback, **self._kept)
