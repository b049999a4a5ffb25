"""Pool of processes that read what the crawl has fetched."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sitecrawl

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Sequence

# python -I leaves out the path of this package, so it is passed as an argument.
BOOT = "import sys; sys.path += sys.argv[1].split('\\n'); from {} import main; main(sys.argv[2:])"
PIPE_BUFFER = 4_000_000  # bytes


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
