"""Pool of processes that read files, so that no file can stop or crash the crawl."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.crawl.reader_processes import ReaderProcesses

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULE = "sitecrawl.web.files.worker"
TIMEOUT_FACTOR = 10  # timeout of a reply, as a multiple of the processor seconds of a file
START_SECONDS = 60


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
    """Processes that read files, at most one for each core.

    One that does not answer is killed, and a new one started for the next file.
    """

    def __init__(self, formats: Sequence[str], limits: FileLimits, size: int = 0) -> None:
        self._limits = limits
        cores = len(os.sched_getaffinity(0))
        self._processes = ReaderProcesses(MODULE, formats, size=size or cores)
        self.close = self._processes.close

    async def read(self, body: bytes, kind: str) -> ReadFile:
        """Read a file of a media type; raises FileReadersError if no process can."""
        limits = {"seconds": self._limits.seconds, "memory": self._limits.memory}
        request = json.dumps({"kind": kind, "size": len(body), **limits}).encode()
        try:
            async with self._processes.process() as (target, source):
                async with asyncio.timeout(self._limits.seconds * TIMEOUT_FACTOR + START_SECONDS):
                    target.write(request + b"\n" + body)
                    await target.drain()
                    head = json.loads(await source.readline())
                    html = await source.readexactly(head["size"])
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            raise FileReadersError(f"no process has read it: {error!r}") from error
        cuts = tuple(head.get("cuts", ()))
        return ReadFile(html, head["fault"], head["detail"], cuts, head["cpu"])
