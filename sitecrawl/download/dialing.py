"""Makes connections, to permitted addresses only."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any

from sitecrawl.download.certificates import Certificates
from sitecrawl.download.connection import Connection, Keeper
from sitecrawl.download.failures import AddressRefusedError, of_connecting
from sitecrawl.download.limits import Limits
from sitecrawl.download.routes import BindAddress, Route
from sitecrawl.download.tunnel import open_tunnel
from sitecrawl.policy.addresses import AddressRule
from sitecrawl.resolver import addresses_of

HEAD_START = 0.25  # seconds of one address before the next, RFC 8305, 8
LINGER = 5.0  # seconds that a server has to agree to the end of a TLS connection


class Dialer:
    """Connects where a route leads.

    Each address is judged at the moment of connecting to it, so that neither a name that
    leads elsewhere now nor a literal in any notation gets past.
    """

    def __init__(self, rule: AddressRule, certificates: Certificates, limits: Limits) -> None:
        self._rule = rule
        self._certificates = certificates
        self._limits = limits

    async def dial(self, route: Route, keeper: Keeper) -> Connection:
        """A new connection; raises one of Scrapy's download exceptions or of ``failures``."""
        host, port = route.tunnel[:2] if route.tunnel else route[:2]
        addresses = await self._permitted(host, guarded=route.guarded)
        connection = Connection(route, self._limits, keeper)
        try:
            async with asyncio.timeout(self._limits.silence):
                made = await connected(addresses, port, route.bind)
                await self._begin(connection, made)
        except OSError as error:
            at = "" if route.guarded else f"proxy {host}:{port}: "
            raise of_connecting(error, at) from error
        return connection

    async def _permitted(self, host: str, *, guarded: bool) -> list[str]:
        addresses = await addresses_of(host, self._limits.silence)
        if not guarded:
            return addresses
        self._rule.resolved(host, addresses)
        decisions = [(address, self._rule.decide(address)) for address in addresses]
        permitted = [address for address, decision in decisions if decision.allowed]
        if not permitted:
            raise AddressRefusedError(decisions[0][1].rule)
        return permitted

    async def _begin(self, connection: Connection, made: socket.socket) -> None:
        """Let the connection speak, through TLS and a tunnel where its route says so."""
        loop = asyncio.get_running_loop()
        route = connection.route
        if route.tunnel is None:
            tls = self._tls(route) if route.is_tls else {}
            await loop.create_connection(lambda: connection, sock=made, **tls)
            return
        plain = await open_tunnel(route, made, self._limits.header)
        tls = self._tls(route)
        transport = await loop.start_tls(plain, connection, tls.pop("ssl"), **tls)
        if transport is None:
            raise ConnectionAbortedError("the tunnel was closed")
        connection.connection_made(transport)

    def _tls(self, route: Route) -> dict[str, Any]:
        return {
            "ssl": self._certificates.context(route.host, route.port),
            "server_hostname": route.host.rstrip("."),
            "ssl_handshake_timeout": self._limits.silence,
            "ssl_shutdown_timeout": LINGER,
        }


async def connected(addresses: Sequence[str], port: int, bind: BindAddress) -> socket.socket:
    """A connection to the first address that answers; each has a head start before the next."""
    waiting = list(addresses)
    under_way: set[asyncio.Task[socket.socket]] = set()
    first_error: BaseException | None = None
    try:
        while waiting or under_way:
            if waiting:
                under_way.add(asyncio.create_task(_connect(waiting.pop(0), port, bind)))
            done, under_way = await asyncio.wait(
                under_way,
                timeout=HEAD_START if waiting else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            made = [task.result() for task in done if task.exception() is None]
            if made:
                for late in made[1:]:
                    late.close()
                return made[0]
            first_error = first_error or next((task.exception() for task in done), None)
    finally:
        for task in under_way:
            task.cancel()
            task.add_done_callback(_close_late)
    assert first_error is not None
    raise first_error


def _close_late(task: asyncio.Task[socket.socket]) -> None:
    """Close a connection that nobody waits for any more."""
    if not task.cancelled() and task.exception() is None:
        task.result().close()


async def _connect(address: str, port: int, bind: BindAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)  # noqa: FBT003 - takes no name
        if bind is not None:
            made.bind(bind)
        await asyncio.get_running_loop().sock_connect(made, (address, port))
    except BaseException:
        made.close()
        raise
    return made
