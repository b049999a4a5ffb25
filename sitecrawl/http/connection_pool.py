"""Keeps connections for the next request of the same route."""

from __future__ import annotations

import asyncio
import resource

from sitecrawl.http.connection import Connection
from sitecrawl.http.messages import Route

LONGEST_REST = 240.0  # seconds
MOST = 1000  # resting connections
SPARE = 100  # file descriptors for the database, the feeds, look-ups of names, a browser
PARTING = 1.0  # seconds that servers have to agree to the end


class Pool:
    """The connections of one crawl, the resting ones by route.

    The one that rested for the shortest time is taken first; above ``per_route`` or ``most``,
    the one that rested longest is closed.
    """

    def __init__(self, per_route: int, most: int = MOST) -> None:
        self._per_route = per_route
        self._most = most
        self._open: set[Connection] = set()
        self._resting: dict[Connection, float] = {}  # since when, longest first
        self._of_route: dict[Route, list[Connection]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, route: Route) -> Connection | None:
        """A connection that rests, if there is one."""
        while resting := self._of_route.get(route):
            connection = resting[-1]
            self._forget(connection)
            if connection.is_open:
                return connection
        return None

    def opened(self, connection: Connection) -> None:
        """A connection has been made."""
        self._open.add(connection)

    def rests(self, connection: Connection) -> None:
        """Keep a connection whose answer has ended."""
        now = asyncio.get_running_loop().time()
        resting = self._of_route.setdefault(connection.route, [])
        resting.append(connection)
        self._resting[connection] = now
        if len(resting) > self._per_route:
            self._part(resting[0])
        elif len(self._resting) > self._most:
            self._part(next(iter(self._resting)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LONGEST_REST, self._tidy)

    def ended(self, connection: Connection) -> None:
        """A connection is no more."""
        self._open.discard(connection)
        self._forget(connection)

    async def close(self) -> None:
        """End all connections."""
        if self._timer is not None:
            self._timer.cancel()
        connections = list(self._open)
        for connection in connections:
            connection.close()
        if connections:
            gone = [connection.gone for connection in connections]
            await asyncio.wait(gone, timeout=PARTING)
        for connection in list(self._open):
            connection.abort()
        await asyncio.sleep(0)  # lets the transports go

    def _tidy(self) -> None:
        """Close what has rested too long."""
        self._timer = None
        loop = asyncio.get_running_loop()
        for connection, since in list(self._resting.items()):
            if since + LONGEST_REST > loop.time():
                self._timer = loop.call_at(since + LONGEST_REST, self._tidy)
                return
            self._part(connection)

    def _part(self, connection: Connection) -> None:
        self._forget(connection)
        connection.close()

    def _forget(self, connection: Connection) -> None:
        if self._resting.pop(connection, None) is None:
            return
        resting = self._of_route[connection.route]
        resting.remove(connection)
        if not resting:
            del self._of_route[connection.route]


def most_resting(in_use: int) -> int:
    """How many connections may rest, so that file descriptors remain for those in use.

    Each of these may try two addresses at a time. Many systems allow a process 1,024.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MOST
    return max(0, min(MOST, allowed - 2 * in_use - SPARE))
