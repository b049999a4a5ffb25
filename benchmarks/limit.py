"""The least that a page can cost: fetched, and parsed once. python -m benchmarks.limit FILE

FILE lists URLs. Each origin's are fetched one after the other over one connection that is
kept alive; every body goes through one lexbor parse, and nothing else is done with it.
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

LENGTH = b"content-length:"


class Fetches(asyncio.Protocol):
    """Requests the URLs of one origin in turn; ``done`` is set after the last."""

    def __init__(self, requests: list[bytes]) -> None:
        self.done = asyncio.get_running_loop().create_future()
        self._requests = iter(requests)
        self._answer = bytearray()
        self._body = self._end = 0  # where the body begins and ends, once the head has come

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the first."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next()

    def data_received(self, chunk: bytes) -> None:
        """Parse a body that is whole, and go on."""
        self._answer += chunk
        if not self._end and not self._head():
            return
        if len(self._answer) >= self._end:
            LexborHTMLParser(bytes(memoryview(self._answer)[self._body : self._end]))
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        """Fail if there was more to fetch."""
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed before the last page"))

    def _head(self) -> bool:
        head, ended, _ = bytes(self._answer).partition(b"\r\n\r\n")
        if not ended:
            return False
        status, fields = head.split(b" ", 2)[1], head.lower()
        if status != b"200" or LENGTH not in fields:
            self._transport.abort()
            return False
        length = fields.partition(LENGTH)[2].partition(b"\r\n")[0]
        self._body = len(head) + 4
        self._end = self._body + int(length)
        return True

    def _next(self) -> None:
        self._answer.clear()
        self._end = 0
        request = next(self._requests, None)
        if request is not None:
            self._transport.write(request)
        else:
            self.done.set_result(None)
            self._transport.close()


async def fetch(host: str, port: int, targets: list[str]) -> None:
    """Fetch one origin's pages."""
    requests = [f"GET {t} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode() for t in targets]
    loop = asyncio.get_running_loop()
    _, fetches = await loop.create_connection(lambda: Fetches(requests), host, port)
    await fetches.done


async def main(urls: list[str]) -> None:
    """Fetch the pages of all origins side by side."""
    origins: dict[tuple[str, int], list[str]] = defaultdict(list)
    for url in urls:
        parts = urlsplit(url)
        origins[parts.hostname or "", parts.port or 80].append(parts.path)
    await asyncio.gather(*(fetch(*origin, targets) for origin, targets in origins.items()))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text().split()))
