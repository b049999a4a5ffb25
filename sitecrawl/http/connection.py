"""Connections to servers, each used for one exchange at a time."""

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
    """Observer of a connection's life, such as the connection pool."""

    def on_open(self, connection: Connection) -> None:
        """Register a new connection."""
        ...

    def on_idle(self, connection: Connection) -> None:
        """Register a connection that is free for another request."""
        ...

    def on_closed(self, connection: Connection) -> None:
        """Forget a connection that was closed."""
        ...


class Connection(asyncio.Protocol):
    """Connection that carries one exchange after another; an error fails the current exchange.

    ``address`` is the peer's; ``closed`` is done once the connection has ended completely.
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
        """Send a request and return the body of the response. Raises the error of the exchange."""
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
        """True while a request can be sent."""
        return not (self._has_ended or self.transport.is_closing())

    @cached_property
    def certificate(self) -> Certificate | None:
        """The server's certificate in the form that Scrapy's responses have."""
        if not self._certificate:
            return None
        from twisted.internet.ssl import Certificate  # noqa: PLC0415 - not for plain HTTP

        return Certificate.load(self._certificate)

    def close(self) -> None:
        """Close the connection, with a TLS shutdown where TLS is used."""
        if not self.transport.is_closing():  # after a second close, Python 3.11.2 cannot abort it
            self.transport.close()

    def abort(self) -> None:
        """Abort the connection at once; discard what the server still sends."""
        self._timer.cancel()
        self._exchange = None
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Record the peer's address and certificate; the transport forgets both when it closes."""
        self.transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")  # the transport forgets it on close
        self.address = ip_address(peer[0]) if peer else None
        tls = self._tls
        self._certificate = tls.getpeercert(binary_form=True) if tls is not None else None
        self._observer.on_open(self)

    def data_received(self, data: bytes) -> None:
        """Pass received bytes to the current exchange."""
        exchange = self._exchange
        if exchange is None or exchange.done.done():
            self.abort()  # unsolicited data would be read as the next response
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
        """Handle the end of the server's stream."""
        tls = self._tls
        self._has_ended = True
        self._truncated = tls is not None and not _has_close_notify(tls)

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the loss of the connection: fail the exchange that is under way."""
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
    """Return True if TLS was closed by close_notify; without it the body may be truncated."""
    try:
        return not tls.read(1)
    except ssl.SSLZeroReturnError:
        return True
    except ssl.SSLError:
        return False
