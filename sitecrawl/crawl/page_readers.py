"""Processes that read pages, so that a crawl of one origin uses several cores."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sitecrawl
from sitecrawl.web.page_process import LENGTH, framed

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page
    from sitecrawl.web.read_options import ReadOptions

BOOT = "import sys; sys.path += sys.argv[1].split('\\n'); from sitecrawl.web.page_process import main; main()"
PIPE_BUFFER = 1_000_000  # bytes
TRIES = 2


class PageReadersError(Exception):
    """No process that reads pages can be started, or two in a row ended with a page."""


class PageReaders:
    """At most ``size`` processes, started on demand; each reads one page at a time.

    They end with ``close``, and with the crawl.
    """

    def __init__(self, options: ReadOptions, size: int) -> None:
        self._options = options
        self._slots = asyncio.Semaphore(size)
        self._idle: list[asyncio.subprocess.Process] = []
        self._busy: set[asyncio.subprocess.Process] = set()

    async def read(self, **arguments: Any) -> Page:
        """Read a page by the arguments of ``read_page``; a process that ends costs a second try.

        Raises PageReadersError.
        """
        frame = framed(arguments)
        async with self._slots:
            for _ in range(TRIES):
                process = self._idle.pop() if self._idle else await self._start()
                self._busy.add(process)
                try:
                    page = await _ask(process, frame)
                    self._idle.append(process)
                    return page
                except (OSError, EOFError):
                    await _end(process)
                finally:
                    self._busy.discard(process)
        raise PageReadersError("the process that read the page ended, twice")

    async def close(self) -> None:
        """End all processes."""
        for process in (*self._idle, *self._busy):
            await _end(process)
        self._idle.clear()

    async def _start(self) -> asyncio.subprocess.Process:
        parent = str(Path(sitecrawl.__file__).parent.parent)
        paths = [parent, *(each for each in sys.path if each.startswith("/"))]
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-c", BOOT, "\n".join(paths)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=PIPE_BUFFER,
            )
        except OSError as error:
            raise PageReadersError(f"no process can be started: {error}") from error
        assert process.stdin is not None
        process.stdin.write(framed(self._options))
        return process


async def _ask(process: asyncio.subprocess.Process, frame: bytes) -> Page:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(frame)
    await process.stdin.drain()
    head = await process.stdout.readexactly(LENGTH)
    packed = await process.stdout.readexactly(int.from_bytes(head, "big"))
    page: Page = pickle.loads(packed)  # noqa: S301 -- of our own process
    return page


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
