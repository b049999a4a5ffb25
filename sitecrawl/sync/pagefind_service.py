"""Pagefind's program as a service: requests on its standard input, answers on its standard output.

Each message is JSON in base64 and ends with a comma. The Python package has a client of its own, which
sleeps 0.1 s before each answer that it reads and waits for one page before it sends the next.
"""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from pagefind.service import get_executable

from sitecrawl import install_command
from sitecrawl.sync.target import SyncError

END = b","
IN_FLIGHT = 64
"""Pages sent and not answered yet; the pipe to the program holds a few of them, it takes them in turn."""
MAX_ANSWER = 16 * 2**20
"""Bytes of an answer, of which that to a page repeats its title."""
SECONDS = 600
"""Longest time for an answer: of the bundle to be written, and of one page."""


class PagefindService:
    """A running program, which ends with the block. Raises SyncError when it fails."""

    _process: Process
    _reader: asyncio.Task[None]

    def __init__(self) -> None:
        self._last = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def __aenter__(self) -> Self:
        """Start the program."""
        program = get_executable()
        if program is None:
            raise SyncError(f"Pagefind's program is missing: {install_command('pagefind')}.")
        self._process = await asyncio.create_subprocess_exec(
            program, "--service", stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=MAX_ANSWER
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the program."""
        self._reader.cancel()
        self._fail(SyncError("Pagefind was ended."))
        with suppress(ProcessLookupError):
            self._process.terminate()
        await self._process.wait()

    async def create_index(self) -> int:
        """Begin an empty index; return its number."""
        return int((await self._answer(await self._send("NewIndex", config={})))["index_id"])

    async def add_pages(self, index: int, pages: Iterable[tuple[str, str]]) -> None:
        """Add pages, each with its URL and HTML, to an index."""
        sent: deque[asyncio.Future[dict[str, Any]]] = deque()
        for url, markup in pages:
            if len(sent) >= IN_FLIGHT:
                await self._answer(sent.popleft())
            values = {"file_contents": markup, "url": url, "file_path": None}
            sent.append(await self._send("AddFile", index_id=index, **values))
        while sent:
            await self._answer(sent.popleft())

    async def write_files(self, index: int, folder: Path) -> None:
        """Write the bundle to a folder."""
        await self._answer(await self._send("WriteFiles", index_id=index, output_path=str(folder)))

    async def _send(self, kind: str, **values: Any) -> asyncio.Future[dict[str, Any]]:
        self._last += 1
        request = {"message_id": self._last, "payload": {"type": kind, **values}}
        answer = asyncio.get_running_loop().create_future()
        self._waiting[self._last] = answer
        if self._reader.done():
            self._fail(SyncError("Pagefind's program has ended."))
            return answer
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(b64encode(json.dumps(request).encode()) + END)
        with suppress(ConnectionError):  # the reader tells why
            await stdin.drain()
        return answer

    async def _answer(self, answer: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
        return await asyncio.wait_for(answer, SECONDS)

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        error = "Pagefind's program has ended."
        try:
            while True:
                self._take(json.loads(b64decode((await stdout.readuntil(END))[: -len(END)])))
        except asyncio.IncompleteReadError as end:
            if end.partial:
                error = f"Pagefind's program has ended: {end.partial[-200:]!r}"
        except (ValueError, asyncio.LimitOverrunError) as wrong:
            error = f"Pagefind's answer cannot be read: {wrong}"
        self._fail(SyncError(error))

    def _take(self, message: dict[str, Any]) -> None:
        payload = message["payload"]
        is_error = payload["type"] == "Error"
        answer = self._waiting.pop(message.get("message_id") or 0, None)
        if answer is None:  # a request that could not be read has no number in its answer
            if is_error:
                self._fail(SyncError(f"Pagefind: {payload['message']}"))
        elif answer.done():
            return
        elif is_error:
            answer.set_exception(SyncError(f"Pagefind: {payload['message']}"))
        else:
            answer.set_result(payload)

    def _fail(self, error: SyncError) -> None:
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # only the first one is waited for
        self._waiting.clear()
