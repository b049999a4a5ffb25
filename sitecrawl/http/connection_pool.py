"""Pool of persistent connections, reused by requests of the same route."""

from __future__ import annotations

import asyncio
import resource

from sitecrawl.http.connection import Connection
from sitecrawl.http.messages import Route

KEEPALIVE_EXPIRY = 240.0  # seconds
MAX_IDLE = 1000  # connections of all routes together
RESERVED_FDS = 100  # file descriptors for the database, the feeds, DNS lookups, a browser
CLOSE_TIMEOUT = 1.0  # seconds for the servers to close as well


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
        """Close the connections that were idle for ``KEEPALIVE_EXPIRY``."""
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
