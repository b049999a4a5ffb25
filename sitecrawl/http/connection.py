"""One connection to a server."""

from __future__ import annotations

import asyncio
import ssl
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Protocol, cast

from scrapy.exceptions import DownloadCancelledError, DownloadFailedError

from sitecrawl.http.exchange import Disposition, Exchange, FetchLimits, ReadTimer
from sitecrawl.http.messages import Route

if TYPE_CHECKING:
    from twisted.internet.ssl import Certificate


class ConnectionObserver(Protocol):
    """Who keeps connections from one request to the next."""

    def on_open(self, connection: Connection) -> None:
        """A connection has been made."""
        ...

    def on_idle(self, connection: Connection) -> None:
        """It is free for another request."""
        ...

    def on_closed(self, connection: Connection) -> None:
        """It is no more."""
        ...


class Connection(asyncio.Protocol):
    """Carries one exchange after the other; what breaks it fails the exchange under way.

    ``address`` is where it leads to; ``closed`` is done when nothing is left of it.
    """

    transport: asyncio.Transport
    address: IPv4Address | IPv6Address | None

    def __init__(self, route: Route, limits: FetchLimits, observer: ConnectionObserver) -> None:
        self.route = route
        self._observer = observer
        self._timer = ReadTimer(limits, self._fail)
        self._exchange: Exchange | None = None
        self._has_ended = self._truncated = False
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def send_request(self, request: bytes, exchange: Exchange) -> bytes:
        """Send a request; the body of the answer. Raises what the exchange fails with."""
        self._exchange = exchange
        self._timer.start()
        self.transport.write(request)
        try:
            return await exchange.done
        finally:
            if not exchange.done.done() or exchange.done.cancelled():
                self.abort()

    @property
    def is_open(self) -> bool:
        """Whether a request can be sent."""
        return not (self._has_ended or self.transport.is_closing())

    @cached_property
    def certificate(self) -> Certificate | None:
        """The server's certificate, as Scrapy's responses have it."""
        if not self._certificate:
            return None
        from twisted.internet.ssl import Certificate  # noqa: PLC0415 - not for plain HTTP

        return Certificate.load(self._certificate)

    def close(self) -> None:
        """End it, as TLS demands where it is spoken."""
        self.transport.close()

    def abort(self) -> None:
        """Cut it at once; what the server still sends is thrown away."""
        self._timer.cancel()
        self._exchange = None
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is made."""
        self.transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")  # both are forgotten when it ends
        self.address = ip_address(peer[0]) if peer else None
        tls = self._tls
        self._certificate = tls.getpeercert(binary_form=True) if tls is not None else None
        self._observer.on_open(self)

    def data_received(self, data: bytes) -> None:
        """Hand bytes to the exchange under way."""
        exchange = self._exchange
        if exchange is None or exchange.done.done():
            self.abort()  # what nobody asked for would be taken for the next answer
            return
        self._timer.extend(len(data))
        try:
            exchange.take(data)
        except (DownloadFailedError, DownloadCancelledError) as error:
            self._fail(error)
            return
        if exchange.done.done():
            self._finish(exchange.disposition)

    def eof_received(self) -> None:
        """The server sends no more."""
        tls = self._tls
        self._has_ended = True
        self._truncated = tls is not None and not _has_close_notify(tls)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is no more."""
        self._timer.cancel()
        self._observer.on_closed(self)
        self.closed.set_result(None)
        if self._exchange is not None:
            self._exchange.end(exc, truncated=self._truncated)
            self._exchange = None

    @property
    def _tls(self) -> ssl.SSLObject | None:
        tls: ssl.SSLObject | None = self.transport.get_extra_info("ssl_object")
        return tls

    def _finish(self, disposition: Disposition) -> None:
        self._timer.pause()
        self._exchange = None
        if disposition is Disposition.ABORT:
            self.abort()
        elif disposition is Disposition.KEEP_ALIVE and not self.transport.get_write_buffer_size():
            self._observer.on_idle(self)
        else:
            self.close()

    def _fail(self, error: Exception) -> None:
        if self._exchange is not None:
            self._exchange.fail(error)
            self._finish(Disposition.ABORT)


def _has_close_notify(tls: ssl.SSLObject) -> bool:
    """Whether the server said that it has on_closed, without which a page may be half a page."""
    try:
        return not tls.read(1)
    except ssl.SSLZeroReturnError:
        return True
    except ssl.SSLError:
        return False
