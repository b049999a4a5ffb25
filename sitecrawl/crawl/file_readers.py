"""Pool of processes that read files, so that no file can stop or crash the crawl."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sitecrawl

if TYPE_CHECKING:
    from collections.abc import Sequence

# python -I leaves out the path of this package, so it is passed as an argument.
BOOT = "import sys; sys.path += sys.argv[1].split('\\n'); from sitecrawl.web.files.worker import main; main(sys.argv[2:])"
TIMEOUT_FACTOR = 10  # timeout of a reply, as a multiple of the processor seconds of a file
START_SECONDS = 60
PIPE_BUFFER = 4_000_000


class FileReadersError(Exception):
    """No process that reads files can be started, or it does not answer."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Bounds for reading one file: processor seconds, and bytes of memory."""

    seconds: float = 20.0
    memory: int = 600_000_000


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file converted to HTML, or the reason why it failed; ``cpu`` is processor seconds."""

    html: bytes = b""
    fault: str = ""
    detail: str = ""
    cuts: tuple[str, ...] = ()
    cpu: float = 0.0


class FileReaders:
    """Pool of at most one process per core, started on demand and reused.

    A process that does not answer is killed, and a new one started for the next file. ``close``
    ends all; they also end when the crawl is killed.
    """

    def __init__(self, formats: Sequence[str], limits: FileLimits, size: int = 0) -> None:
        self._formats = formats
        self._limits = limits
        self._slots = asyncio.Semaphore(size or len(os.sched_getaffinity(0)))
        self._idle: list[asyncio.subprocess.Process] = []
        self._busy: set[asyncio.subprocess.Process] = set()

    async def read(self, body: bytes, kind: str) -> ReadFile:
        """Read a file of a media type; raises FileReadersError if no process can."""
        async with self._slots:
            process = self._idle.pop() if self._idle else await self._start()
            self._busy.add(process)
            answered = False
            try:
                seconds = self._limits.seconds * TIMEOUT_FACTOR + START_SECONDS
                found = await asyncio.wait_for(self._ask(process, body, kind), seconds)
                answered = True
            except (OSError, EOFError, ValueError, TimeoutError) as error:
                raise FileReadersError(f"its process failed: {error!r}") from error
            finally:
                self._busy.discard(process)
                if answered:
                    self._idle.append(process)
                else:
                    await _end(process)
            return found

    async def close(self) -> None:
        """Kill all processes."""
        processes = [*self._idle, *self._busy]
        self._idle.clear()
        for process in processes:
            await _end(process)

    async def _start(self) -> asyncio.subprocess.Process:
        """Start a process without environment, in a session that Ctrl-C does not reach."""
        package_parent = str(Path(sitecrawl.__file__).parent.parent)
        paths = [package_parent, *(each for each in sys.path if each.startswith("/"))]
        try:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-c", BOOT, "\n".join(paths), *self._formats),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={},
                start_new_session=True,
                limit=PIPE_BUFFER,
            )
        except OSError as error:
            raise FileReadersError(f"no process can be started: {error}") from error

    async def _ask(self, process: asyncio.subprocess.Process, body: bytes, kind: str) -> ReadFile:
        assert process.stdin is not None
        assert process.stdout is not None
        limits = {"seconds": self._limits.seconds, "memory": self._limits.memory}
        request = {"kind": kind, "size": len(body), **limits}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.write(body)
        await process.stdin.drain()
        head = json.loads(await process.stdout.readline())
        html = await process.stdout.readexactly(head["size"])
        cuts = tuple(head.get("cuts", ()))
        return ReadFile(html, head["fault"], head["detail"], cuts, head["cpu"])


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
