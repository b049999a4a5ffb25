"""Opening of connections: TLS contexts, proxies, address checks, Happy Eyeballs."""

from __future__ import annotations

import asyncio
import socket
import ssl
from base64 import b64decode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy.exceptions import NotSupported

from sitecrawl import install_command
from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.connection import Connection, ConnectionPool
from sitecrawl.http.fetch_errors import (
    AddressRefusedError,
    TunnelError,
    connect_error,
    disconnect_error,
)
from sitecrawl.http.messages import SOCKS, BindAddress, HeadReader, Route
from sitecrawl.policy.http.network_addresses import AddressRule
from sitecrawl.resolver import addresses_of

EVERY_ORIGIN = "*"
OP_LEGACY_SERVER_CONNECT = 0x4  # as in Scrapy; Python 3.12 has a name for it
CHUNK = 65_536
CONNECTION_ATTEMPT_DELAY = 0.25  # seconds, RFC 8305, 8
TLS_SHUTDOWN_TIMEOUT = 5.0  # seconds for the close_notify of a server
SOCKS_PACKAGE = "python_socks"


class Certificates:
    """TLS contexts: certificates are verified by the system's authorities unless an origin is
    exempt, ``*`` being every one. ``own`` are files of certificates that we show, by origin.

    A context is made when it is first needed: reading the system's authorities takes several ms.
    """

    def __init__(self, *, exempt: Collection[str], own: Mapping[str, str]) -> None:
        self._all_exempt = EVERY_ORIGIN in exempt
        self._exempt = frozenset(_address(each) for each in exempt if each != EVERY_ORIGIN)
        self._own = {_address(origin): file for origin, file in own.items()}
        self._made: dict[tuple[bool, str], ssl.SSLContext] = {}

    def context(self, host: str, port: int) -> ssl.SSLContext:
        """Return the TLS context for connections to a host."""
        at = host, port
        kind = lenient, file = self._all_exempt or at in self._exempt, self._own.get(at, "")
        if kind not in self._made:
            context = lenient_context() if lenient else strict_context()
            if file:
                show_certificate(context, Path(file))
            self._made[kind] = context
        return self._made[kind]


def strict_context() -> ssl.SSLContext:
    """Make a context that verifies certificates by the system's authorities."""
    context = ssl.create_default_context()
    # Python 3.13 requires more than browsers do, such as key identifiers.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.hostname_checks_common_name = False  # RFC 9525, 2
    context.options |= OP_LEGACY_SERVER_CONNECT
    return context


def lenient_context() -> ssl.SSLContext:
    """Make a context that accepts every certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.options |= OP_LEGACY_SERVER_CONNECT
    return context


class UnusableCertificateError(Exception):
    """A file of a certificate that cannot be shown."""


def show_certificate(context: ssl.SSLContext, path: Path) -> None:
    """Let a context show the certificate of a PEM file; raises UnusableCertificateError."""
    try:
        context.load_cert_chain(path, password=str)  # which is empty: it would ask the terminal
    except ssl.SSLError as error:
        why = "is no PEM file of a certificate and its key without a password"
        raise UnusableCertificateError(f"{path} {why}") from error
    except OSError as error:
        raise UnusableCertificateError(f"{path} cannot be read: {error.strerror}") from error


def _address(origin: str) -> tuple[str, int]:
    parts = urlsplit(origin)
    return parts.hostname or "", parts.port or 443


async def open_tunnel(route: Route, made: socket.socket) -> None:
    """Open a tunnel through the proxy at ``made`` to the route's server; raises TunnelError."""
    loop, reader = asyncio.get_running_loop(), HeadReader()
    await loop.sock_sendall(made, connect_bytes(route))
    while data := await loop.sock_recv(made, CHUNK):
        if (found := reader.take(data)) is not None:
            break
    else:
        raise disconnect_error(None, in_body=False)
    if not 200 <= found[0].status < 300:
        raise TunnelError(f"the proxy of {route.host} answered CONNECT with {found[0].status}")


def connect_bytes(route: Route) -> bytes:
    """Return the CONNECT request for a tunnel."""
    host = f"[{route.host}]" if ":" in route.host else route.host
    server = f"{host}:{route.port}".encode("ascii")
    lines = [b"CONNECT %b HTTP/1.1" % server, b"Host: " + server]
    if route.tunnel is not None and route.tunnel.authorization:
        lines.append(b"Proxy-Authorization: " + route.tunnel.authorization)
    return b"\r\n".join([*lines, b"", b""])


@dataclass(frozen=True, slots=True)
class Dialer:
    """Opener of connections; it checks every address that a route resolves to.

    Each address is checked at the moment of connecting, so that neither a name that resolves
    elsewhere by then nor a literal in any notation bypasses the check.
    """

    _rule: AddressRule
    _certificates: Certificates
    _params: FetchParams

    async def dial(self, route: Route, pool: ConnectionPool) -> Connection:
        """Open a connection; raises one of Scrapy's download exceptions or of ``fetch_errors``."""
        host, port = route.tunnel[:2] if route.tunnel else route[:2]
        seconds = self._params.timeout
        rule = self._rule if route.guarded else None
        by_socks = route.tunnel is not None and route.tunnel.scheme in SOCKS
        addresses = [] if by_socks else await permitted_addresses(host, rule, seconds)
        connection = Connection(route, self._params, pool)
        try:
            async with asyncio.timeout(seconds):
                if by_socks:
                    made = await connect_by_socks(route, seconds)
                else:
                    made = await connect_first(addresses, port, route.bind)
                await self._begin(connection, made)
        except OSError as error:
            at = "" if route.guarded else f"proxy {host}:{port}: "
            raise connect_error(error, at) from error
        return connection

    async def _begin(self, connection: Connection, made: socket.socket) -> None:
        """Start the connection's protocol, with TLS and a tunnel where the route needs them."""
        route = connection.route
        try:
            if route.tunnel is not None and route.tunnel.scheme not in SOCKS:
                await open_tunnel(route, made)
        except BaseException:
            made.close()
            raise
        tls = self._tls(route) if route.is_tls else {}
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: connection, sock=made, **tls)

    def _tls(self, route: Route) -> dict[str, Any]:
        return {
            "ssl": self._certificates.context(route.host, route.port),
            "server_hostname": route.host.rstrip("."),
            "ssl_handshake_timeout": self._params.timeout,
            "ssl_shutdown_timeout": TLS_SHUTDOWN_TIMEOUT,
        }


async def permitted_addresses(host: str, rule: AddressRule | None, seconds: float) -> list[str]:
    """Look up the addresses of ``host`` and return those that the rule allows.

    Without a rule, that is for a proxy, which the user chose, all are returned. Raises
    CannotResolveHostError and AddressRefusedError.
    """
    addresses = await addresses_of(host, seconds)
    if rule is None:
        return addresses
    permitted, decision = rule.permitted(host, addresses)
    if not permitted:
        raise AddressRefusedError(decision.rule)
    return permitted


async def connect_first(addresses: Sequence[str], port: int, bind: BindAddress) -> socket.socket:
    """Connect to the addresses with staggered starts (RFC 8305); return the first socket
    connected.
    """
    waiting = list(addresses)
    under_way: set[asyncio.Task[socket.socket]] = set()
    errors: list[BaseException] = []
    try:
        while waiting or under_way:
            if waiting:
                under_way.add(asyncio.create_task(_connect(waiting.pop(0), port, bind)))
            done, under_way = await asyncio.wait(
                under_way,
                timeout=CONNECTION_ATTEMPT_DELAY if waiting else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            made = [task.result() for task in done if task.exception() is None]
            if made:
                for late in made[1:]:
                    late.close()
                return made[0]
            errors += [error for task in done if (error := task.exception()) is not None]
    finally:
        for task in under_way:
            task.cancel()
            task.add_done_callback(_close_late)
    raise errors[0]


def _close_late(task: asyncio.Task[socket.socket]) -> None:
    """Close a socket that was connected after another one had won."""
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


async def connect_by_socks(route: Route, seconds: float) -> socket.socket:
    """Connect to the server of a route; raises OSError for the proxy, TunnelError for the server."""
    if find_spec(SOCKS_PACKAGE) is None:
        raise NotSupported(
            f"SOCKS proxies need the package {SOCKS_PACKAGE}: {install_command('socks')}"
        )
    from python_socks import ProxyConnectionError, ProxyError, ProxyType  # noqa: PLC0415 -- optional
    from python_socks.async_.asyncio import Proxy  # noqa: PLC0415

    tunnel = route.tunnel
    assert tunnel is not None
    known = b64decode((tunnel.authorization or b"").removeprefix(b"Basic ")).decode("latin-1")
    user, _, password = known.partition(":")
    kind = ProxyType.SOCKS4 if tunnel.scheme.startswith("socks4") else ProxyType.SOCKS5
    proxy = Proxy(kind, tunnel.host, tunnel.port, user or None, password or None, rdns=True)
    try:
        made = await proxy.connect(route.host, route.port, seconds, local_addr=route.bind)
    except ProxyConnectionError as error:
        raise OSError(error.errno, error.strerror) from error
    except ProxyError as error:
        raise TunnelError(f"the proxy of {route.host}: {error}") from error
    return made
