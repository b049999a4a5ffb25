"""Local proxy for the requests of one rendered page: address checks and a size limit."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from typing import Self
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from sitecrawl.http.dialing import (
    connect_by_socks,
    connect_bytes,
    connect_first,
    permitted_addresses,
)
from sitecrawl.http.fetch_errors import AddressRefusedError, TunnelError
from sitecrawl.http.messages import SOCKS, Route, Tunnel
from sitecrawl.policy.http.network_addresses import AddressRule, is_address

HEAD_SECONDS = 30.0
CONNECT_SECONDS = 10.0
CHUNK = 65536
NETWORK_ERRORS = (OSError, TimeoutError, CannotResolveHostError, TunnelError)
# Hop-by-hop headers are not forwarded (RFC 9110, 7.6.1).
_HOP_BY_HOP = ("connection:", "proxy-connection:", "proxy-authorization:", "keep-alive:")


class SandboxProxy:
    """HTTP proxy that listens while one page is rendered; it closes every connection at the end.

    Each address is checked at the moment of connecting, so that neither names that resolve
    elsewhere by then nor redirects nor WebSockets bypass the check. ``refused`` counts the
    connections that were not made; ``exceeded`` is set once more than ``max_bytes`` arrived.
    With ``upstream``, the proxy of the page itself, all goes through that, which resolves names; of
    addresses written as such those are refused that the rule refuses.
    """

    def __init__(
        self,
        rule: AddressRule,
        max_bytes: int,
        address: str = "127.0.0.1",
        upstream: Tunnel | None = None,
    ) -> None:
        self.refused = 0
        self.exceeded = False
        self.url = ""
        self._rule = rule
        self._left = max_bytes
        self._address = address
        self._upstream = upstream
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Start listening on a port of the system's choice."""
        self._server = await asyncio.start_server(self._accept, self._address, 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://{self._address}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening and cancel all connections."""
        self._server.close()
        self._cancel_all()

    def _cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._forward(head.decode("latin-1"), reader, writer)
        except (*NETWORK_ERRORS, ValueError, EOFError, asyncio.LimitOverrunError):
            pass  # the page sees a lost connection
        finally:
            writer.close()

    async def _forward(self, head: str, reader: StreamReader, writer: StreamWriter) -> None:
        method, target, _ = head.partition("\r\n")[0].split(" ", 2)
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        server = await self._connect(parts.hostname or "", parts.port or 80, tunnel=tunnel)
        if server is None:
            writer.write(
                b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            await writer.drain()
            return
        answer, to_server = server
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                to_server.write(self._request_head(head, method, target))
                writer.write(
                    _single_use_head((await answer.readuntil(b"\r\n\r\n")).decode("latin-1"))
                )
            await self._exchange(reader, writer, answer, to_server)
        finally:
            to_server.close()

    async def _exchange(
        self, reader: StreamReader, writer: StreamWriter, answer: StreamReader, to: StreamWriter
    ) -> None:
        upwards = asyncio.ensure_future(_copy(reader, to))
        try:
            while chunk := await answer.read(CHUNK):
                self._left -= len(chunk)
                if self._left < 0:
                    self.exceeded = True
                    self._cancel_all()
                writer.write(chunk)
                await writer.drain()
        finally:
            upwards.cancel()

    def _request_head(self, head: str, method: str, target: str) -> bytes:
        """Return the head of a request to the server, or to a proxy that passes it on."""
        via = self._upstream
        if via is not None and via.scheme not in SOCKS:
            authorization = (via.authorization or b"").decode("latin-1")
            return _single_use_head(head, authorization=authorization)
        parts = urlsplit(target)
        place = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        return _single_use_head(head, f"{method} {place} HTTP/1.1")

    async def _connect(
        self, host: str, port: int, *, tunnel: bool
    ) -> tuple[StreamReader, StreamWriter] | None:
        """Connect to an allowed address of ``host``, or its proxy; None if there is none."""
        async with asyncio.timeout(CONNECT_SECONDS):
            try:
                if self._upstream is not None:
                    return await self._connect_through(self._upstream, host, port, tunnel=tunnel)
                addresses = await permitted_addresses(host, self._rule, CONNECT_SECONDS)
            except AddressRefusedError:
                self.refused += 1
                return None
            return await asyncio.open_connection(sock=await connect_first(addresses, port, None))

    async def _connect_through(
        self, via: Tunnel, host: str, port: int, *, tunnel: bool
    ) -> tuple[StreamReader, StreamWriter]:
        """Connect to the proxy, and through it if it is one of SOCKS or ``tunnel`` is true."""
        if is_address(host):
            await permitted_addresses(host, self._rule, CONNECT_SECONDS)
        route = Route(host, port, tunnel, None, guarded=False, tunnel=via)
        if via.scheme in SOCKS:
            made = await connect_by_socks(route, CONNECT_SECONDS)
            return await asyncio.open_connection(sock=made)
        addresses = await permitted_addresses(via.host, None, CONNECT_SECONDS)
        made = await connect_first(addresses, via.port, None)
        name = via.host if via.scheme == "https" else None
        answer, to_server = await asyncio.open_connection(
            sock=made, ssl=bool(name) or None, server_hostname=name
        )
        if tunnel:
            to_server.write(connect_bytes(route))
            status = (await answer.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
            if not status.startswith(b"2"):
                to_server.close()
                raise TunnelError(f"the proxy of {host} answered CONNECT with {status!r}")
        return answer, to_server


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    """Copy the browser's bytes to the server; close the server's side when the browser closes."""
    try:
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass  # the reader of the response sees the error too
    finally:
        writer.close()


def _single_use_head(head: str, first: str = "", authorization: str = "") -> bytes:
    """Rewrite a message's head for a connection that serves one exchange only.

    Otherwise the browser would reuse it for a request to another host.
    """
    line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
    kept = [each for each in fields if not each.lower().startswith(_HOP_BY_HOP)]
    if authorization:
        kept.append(f"Proxy-Authorization: {authorization}")
    return "\r\n".join([first or line, *kept, "Connection: close", "", ""]).encode("latin-1")
