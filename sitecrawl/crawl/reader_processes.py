"""Pools of processes that read pages, for several cores, and files, which cannot crash the crawl."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sitecrawl
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_process import LENGTH, framed
from sitecrawl.web.read_options import ReadOptions

# python -I leaves out the path of this package, so it is passed as an argument.
BOOT = "import sys; sys.path += sys.argv[1].split('\\n'); from {} import main; main(sys.argv[2:])"
PIPE_BUFFER = 4_000_000  # bytes
PAGE_MODULE = "sitecrawl.web.page_process"
TRIES = 2
FILE_MODULE = "sitecrawl.web.files.worker"
TIMEOUT_FACTOR = 10  # timeout of a reply, as a multiple of the processor seconds of a file
START_SECONDS = 60
MAX_MEMORY = 600_000_000  # bytes for one file


class ReaderProcesses:
    """At most ``size`` processes of a module's ``main``, started on demand and reused.

    They have no environment, and a session that Ctrl-C does not reach. ``greeting`` is the first thing
    that each is sent. They end with ``close``, and when the crawl is killed.
    """

    def __init__(
        self, module: str, arguments: Sequence[str] = (), *, size: int, greeting: bytes = b""
    ) -> None:
        self._boot = BOOT.format(module)
        self._arguments = arguments
        self._greeting = greeting
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Process] = []
        self._busy: set[Process] = set()

    @asynccontextmanager
    async def process(self) -> AsyncIterator[tuple[asyncio.StreamWriter, asyncio.StreamReader]]:
        """Yield the pipes of a process that waits for a request; raises OSError if none can be started.

        One that is left by an exception, a cancellation too, is killed: it may be in mid-answer.
        """
        async with self._slots:
            process = self._idle.pop() if self._idle else await self._start()
            self._busy.add(process)
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                yield process.stdin, process.stdout
            except BaseException:
                await _end(process)
                raise
            else:
                self._idle.append(process)
            finally:
                self._busy.discard(process)

    async def close(self) -> None:
        """Kill all processes."""
        processes = [*self._idle, *self._busy]
        self._idle.clear()
        for process in processes:
            await _end(process)

    async def _start(self) -> Process:
        parent = str(Path(sitecrawl.__file__).parent.parent)
        paths = [parent, *(each for each in sys.path if each.startswith("/"))]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", self._boot, "\n".join(paths), *self._arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            start_new_session=True,
            limit=PIPE_BUFFER,
        )
        if self._greeting:
            assert process.stdin is not None
            process.stdin.write(self._greeting)
        return process


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


class ReadersError(Exception):
    """No process can be started, or none has answered."""


class PageReaders:
    """At most ``size`` processes, each of which reads one page at a time."""

    def __init__(self, options: ReadOptions, size: int) -> None:
        self._processes = ReaderProcesses(PAGE_MODULE, size=size, greeting=framed(options))
        self.close = self._processes.close

    async def read(self, **arguments: Any) -> Page:
        """Read a page by the arguments of ``read_page``; a process that ends costs a second try.

        Raises ReadersError.
        """
        frame, failure = framed(arguments), ""
        for _ in range(TRIES):
            try:
                async with self._processes.process() as (target, source):
                    target.write(frame)
                    await target.drain()
                    length = int.from_bytes(await source.readexactly(LENGTH), "big")
                    packed = await source.readexactly(length)
            except (OSError, EOFError) as error:
                failure = repr(error)
            else:
                page: Page = pickle.loads(packed)  # noqa: S301 -- of our own process
                return page
        raise ReadersError(f"the process that read the page failed, twice: {failure}")


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file converted to HTML, or the reason why it failed; ``cpu`` is processor seconds."""

    html: bytes = b""
    fault: str = ""
    detail: str = ""
    cuts: tuple[str, ...] = ()
    cpu: float = 0.0


class FileReaders:
    """Processes that read files, at most one for each core.

    A file takes at most so many ``seconds`` of the processor and MAX_MEMORY. A process that does
    not answer is killed, and a new one started for the next file.
    """

    def __init__(self, formats: Sequence[str], size: int = 0, seconds: float = 20.0) -> None:
        self._seconds = seconds
        cores = len(os.sched_getaffinity(0))
        self._processes = ReaderProcesses(FILE_MODULE, formats, size=size or cores)
        self.close = self._processes.close

    async def read(self, body: bytes, kind: str) -> ReadFile:
        """Read a file of a media type; raises ReadersError if no process can."""
        limits = {"seconds": self._seconds, "memory": MAX_MEMORY}
        request = json.dumps({"kind": kind, "size": len(body), **limits}).encode()
        try:
            async with self._processes.process() as (target, source):
                async with asyncio.timeout(self._seconds * TIMEOUT_FACTOR + START_SECONDS):
                    target.write(request + b"\n" + body)
                    await target.drain()
                    head = json.loads(await source.readline())
                    html = await source.readexactly(head["size"])
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            raise ReadersError(f"no process has read it: {error!r}") from error
        cuts = tuple(head.get("cuts", ()))
        return ReadFile(html, head["fault"], head["detail"], cuts, head["cpu"])
