"""Local proxy for the requests of one rendered page: address checks and a size limit."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from sitecrawl.http.dialing import connect_first, permitted_addresses
from sitecrawl.http.fetch_errors import AddressRefusedError
from sitecrawl.policy.http.network_addresses import AddressRule

HEAD_SECONDS = 30.0
CONNECT_SECONDS = 10.0
CHUNK = 65536
NETWORK_ERRORS = (OSError, TimeoutError, CannotResolveHostError)
# Hop-by-hop headers are not forwarded (RFC 9110, 7.6.1).
_HOP_BY_HOP = ("connection:", "proxy-connection:", "proxy-authorization:", "keep-alive:")


class SandboxProxy:
    """HTTP proxy that listens while one page is rendered; it closes every connection at the end.

    Each address is checked at the moment of connecting, so that neither names that resolve
    elsewhere by then nor redirects nor WebSockets bypass the check. ``refused`` counts the
    connections that were not made; ``exceeded`` is set once more than ``max_bytes`` arrived.
    """

    def __init__(self, rule: AddressRule, max_bytes: int, address: str = "127.0.0.1") -> None:
        self.refused = 0
        self.exceeded = False
        self.url = ""
        self._rule = rule
        self._left = max_bytes
        self._address = address
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Start listening on a port of the system's choice."""
        self._server = await asyncio.start_server(self._accept, self._address, 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://{self._address}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        server = await self._connect(parts.hostname or "", parts.port or 80)
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
                place = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
                to_server.write(_single_use_head(head, f"{method} {place} HTTP/1.1"))
                writer.write(
                    _single_use_head((await answer.readuntil(b"\r\n\r\n")).decode("latin-1"))
                )
            await self._exchange(reader, writer, answer, to_server)
        finally:
            to_server.close()

    async def _exchange(
        self, reader: StreamReader, writer: StreamWriter, answer: StreamReader, to: StreamWriter
    ) -> None:
        """Copy bytes in both directions until the server closes."""
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

    async def _connect(self, host: str, port: int) -> tuple[StreamReader, StreamWriter] | None:
        """Connect to an allowed address of ``host``; None if there is none."""
        async with asyncio.timeout(CONNECT_SECONDS):
            try:
                addresses = await permitted_addresses(host, self._rule, CONNECT_SECONDS)
            except AddressRefusedError:
                self.refused += 1
                return None
            return await asyncio.open_connection(sock=await connect_first(addresses, port, None))


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


def _single_use_head(head: str, first: str = "") -> bytes:
    """Rewrite a message's head for a connection that serves one exchange only.

    Otherwise the browser would reuse it for a request to another host.
    """
    line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
    kept = [each for each in fields if not each.lower().startswith(_HOP_BY_HOP)]
    return "\r\n".join([first or line, *kept, "Connection: close", "", ""]).encode("latin-1")
