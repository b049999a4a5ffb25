"""Asks a proxy for a tunnel to a server (RFC 9110, 9.3.6)."""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from scrapy.exceptions import DownloadCancelledError, DownloadFailedError

from sitecrawl.download.failures import TunnelError, of_ending
from sitecrawl.download.head import Head, HeadReader
from sitecrawl.download.routes import Route


class Opening(asyncio.Protocol):
    """Waits for a proxy's answer to CONNECT; ``answer`` holds its head."""

    transport: asyncio.Transport

    def __init__(self, limit: int) -> None:
        self.answer: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._reader = HeadReader(limit)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The proxy can be asked."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Read the answer."""
        if self.answer.done():
            return
        try:
            found = self._reader.take(data)
        except (DownloadFailedError, DownloadCancelledError) as error:
            self.answer.set_exception(error)
            return
        if found is not None:
            self.answer.set_result(found[0])

    def connection_lost(self, exc: Exception | None) -> None:
        """There will be no answer."""
        if not self.answer.done():
            self.answer.set_exception(of_ending(exc, in_body=False))


async def open_tunnel(route: Route, made: socket.socket, limit: int) -> asyncio.Transport:
    """A way through the proxy at ``made`` to the route's server; raises TunnelError."""
    loop = asyncio.get_running_loop()
    _, opening = await loop.create_connection(lambda: Opening(limit), sock=made)
    try:
        opening.transport.write(connect_bytes(route))
        head = await opening.answer
        if not 200 <= head.status < 300:
            raise TunnelError(f"the proxy of {route.host} answered CONNECT with {head.status}")
    except BaseException:
        opening.transport.abort()
        raise
    return opening.transport


def connect_bytes(route: Route) -> bytes:
    """The request for a tunnel."""
    host = f"[{route.host}]" if ":" in route.host else route.host
    server = f"{host}:{route.port}".encode("ascii")
    lines = [b"CONNECT %b HTTP/1.1" % server, b"Host: " + server]
    if route.tunnel is not None and route.tunnel.authorization:
        lines.append(b"Proxy-Authorization: " + route.tunnel.authorization)
    return b"\r\n".join([*lines, b"", b""])
