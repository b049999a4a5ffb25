"""Persistent connections to servers, each used for one exchange at a time, and their pool."""

from __future__ import annotations

import asyncio
import resource
import ssl
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import cast

from scrapy.exceptions import DownloadCancelledError, DownloadFailedError
from twisted.internet.ssl import Certificate

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.exchange import Disposition, Exchange, ReadTimer
from sitecrawl.http.messages import Route

Address = IPv4Address | IPv6Address | None
KEEPALIVE_EXPIRY = 240.0  # seconds
MAX_IDLE = 1000  # connections of all routes together
RESERVED_FDS = 100  # file descriptors for the database, the feeds, DNS lookups, a browser
CLOSE_TIMEOUT = 1.0  # seconds for the servers to close as well


class Connection(asyncio.Protocol):
    """Connection that carries one exchange after another; an error fails the current exchange.

    ``address`` is the peer's; ``closed`` is done once the connection has ended completely.
    """

    transport: asyncio.Transport
    address: Address

    def __init__(self, route: Route, params: FetchParams, pool: ConnectionPool) -> None:
        self.route = route
        self._pool = pool
        self._timer = ReadTimer(params, self._fail)
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
        self._pool.on_open(self)

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
        self._pool.on_closed(self)
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
            self._pool.on_idle(self)
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


class ConnectionPool:
    """Connections of one crawl; the idle ones are kept by route.

    The connection that was idle for the shortest time is reused first. Above ``per_route`` or
    ``max_idle`` the one that was idle for the longest time is closed.
    """

    def __init__(self, per_route: int, max_idle: int = MAX_IDLE) -> None:
        self._per_route = per_route
        self._max_idle = max_idle
        self._open: set[Connection] = set()
        self._idle: dict[Connection, float] = {}  # start of the idle time, longest first
        self._idle_by_route: dict[Route, list[Connection]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def acquire(self, route: Route) -> Connection | None:
        """Acquire an idle connection of the route; None if there is none."""
        while idle := self._idle_by_route.get(route):
            connection = idle[-1]
            self._forget(connection)
            if connection.is_open:
                return connection
        return None

    def on_open(self, connection: Connection) -> None:
        """Register a new connection."""
        self._open.add(connection)

    def on_idle(self, connection: Connection) -> None:
        """Keep a connection whose response is complete."""
        now = asyncio.get_running_loop().time()
        idle = self._idle_by_route.setdefault(connection.route, [])
        idle.append(connection)
        self._idle[connection] = now
        if len(idle) > self._per_route:
            self.close_idle(idle[0])
        elif len(self._idle) > self._max_idle:
            self.close_idle(next(iter(self._idle)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(
                KEEPALIVE_EXPIRY, self._close_expired
            )

    def on_closed(self, connection: Connection) -> None:
        """Forget a connection that was closed."""
        self._open.discard(connection)
        self._forget(connection)

    async def close(self) -> None:
        """Close all connections; abort those that do not close in time."""
        if self._timer is not None:
            self._timer.cancel()
        connections = list(self._open)
        for connection in connections:
            connection.close()
        if connections:
            closed = [connection.closed for connection in connections]
            await asyncio.wait(closed, timeout=CLOSE_TIMEOUT)
        for connection in list(self._open):
            connection.abort()
        await asyncio.sleep(0)  # give the transports a round to close

    def _close_expired(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        for connection, since in list(self._idle.items()):
            if since + KEEPALIVE_EXPIRY > loop.time():
                self._timer = loop.call_at(since + KEEPALIVE_EXPIRY, self._close_expired)
                return
            self.close_idle(connection)

    def close_idle(self, connection: Connection) -> None:
        """Close an idle connection."""
        self._forget(connection)
        connection.close()

    def _forget(self, connection: Connection) -> None:
        if self._idle.pop(connection, None) is None:
            return
        idle = self._idle_by_route[connection.route]
        idle.remove(connection)
        if not idle:
            del self._idle_by_route[connection.route]


def max_idle_connections(in_use: int) -> int:
    """Number of idle connections that leave enough file descriptors for those in use.

    Each of these may try two addresses at a time. Many systems allow a process 1,024.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_IDLE
    return max(0, min(MAX_IDLE, allowed - 2 * in_use - RESERVED_FDS))
