"""Worker processes of a crawl that was started with several: seen from the first process.

The first process, the coordinator, does not fetch pages: it adds the starts, writes the output, and
ends with the status of the crawl. The workers are forked from it before it begins, and wait
for its sign; when its end of the pipe closes, they end as after Ctrl-C.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sitecrawl.events import Event
from sitecrawl.statuses import BAD_USAGE, DATABASE_ERROR, NO_RESULT

POLL_SECONDS = 0.1
GO = b"+"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class WorkerProcess:
    """One worker: its process, and the pipe that lets it go."""

    number: int
    pid: int
    lifeline: int
    status: int | None = None


class WorkerProcesses:
    """The workers under way. ``changed`` is sent when one of them has ended."""

    def __init__(self, processes: Sequence[WorkerProcess]) -> None:
        self.changed: Event[()] = Event()
        self._processes = processes
        self._task: asyncio.Task[None] | None = None
        self._last_died = False

    @property
    def alive(self) -> bool:
        """True while one of them runs."""
        return any(each.status is None for each in self._processes)

    @property
    def failure(self) -> int:
        """Exit status of a crawl with waiting URLs whose last worker failed; 0 if it did not."""
        if any(each.status == DATABASE_ERROR for each in self._processes):
            return DATABASE_ERROR
        return NO_RESULT if self._last_died else 0

    def begin(self) -> None:
        """Let them go, now that the starts are known, and watch them."""
        for each in self._processes:
            with suppress(BrokenPipeError):
                os.write(each.lifeline, GO)
        self._task = asyncio.create_task(self._watch())

    async def end(self) -> None:
        """End those that still run as after Ctrl-C, and wait until they have stored everything."""
        for each in self._processes:
            if each.status is None:
                with suppress(ProcessLookupError):
                    os.kill(each.pid, signal.SIGTERM)
        if self._task is not None:
            await self._task

    async def _watch(self) -> None:
        while self.alive:
            await asyncio.sleep(POLL_SECONDS)
            for each in self._processes:
                if each.status is None:
                    pid, status = os.waitpid(each.pid, os.WNOHANG)  # noqa: ASYNC222
                    if pid:
                        self._ended(each, os.waitstatus_to_exitcode(status))

    def _ended(self, worker: WorkerProcess, status: int) -> None:
        worker.status = status
        self._last_died = status < 0 or status in (BAD_USAGE, DATABASE_ERROR)
        if self._last_died:
            cause = f"signal {-status}" if status < 0 else f"status {status}"
            others = sum(each.status is None for each in self._processes)
            rest = f"the other {others} go on with its origins" if others else "no other is left"
            logger.error(
                "Worker %d (process %d) died (%s); %s", worker.number, worker.pid, cause, rest
            )
        self.changed.send()
