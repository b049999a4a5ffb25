"""Background tasks on the crawl database, which wake Scrapy's engine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

from scrapy.crawler import Crawler

from sitecrawl.crawl.frontier_owner import FrontierOwner


class EngineWaker:
    """Waker of the engine, which then asks the scheduler; no effect while no spider is open."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def wake(self, *, at_once: bool = False) -> None:
        """Make the engine ask in the next iteration of the event loop, or at once."""
        engine = None
        with suppress(RuntimeError):  # newer versions of Scrapy raise it before the crawl starts
            engine = self._crawler.engine
        slot = engine._slot if engine is not None else None
        if slot is not None and at_once:
            slot.nextcall()
        elif slot is not None:
            slot.nextcall.schedule()


class BackgroundTasks:
    """Background tasks; the engine is woken whenever one is done.

    A task that fails ends the crawl: its work is not done, and waiting for it would never end.
    """

    def __init__(self, owner: FrontierOwner, engine: EngineWaker) -> None:
        self._engine = engine
        self._owner = owner
        self._ended = False
        self._running: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """True while any task is running."""
        return bool(self._running)

    def wake(self) -> None:
        """Make the engine ask for requests: some may be ready by now."""
        self._engine.wake()

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Start a task, unless the crawl has ended."""
        if self._ended:
            work.close()
            return
        task = asyncio.create_task(self._run(work))
        self._running.add(task)
        task.add_done_callback(self._done)

    async def end(self) -> None:
        """Wait for the running tasks and accept no more: the database is closed next."""
        self._ended = True
        while self._running:
            await asyncio.wait(self._running)

    async def _run(self, work: Coroutine[None, None, None]) -> None:
        with self._owner.errors_end_crawl("Work on the crawl database failed"):
            await work

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self.wake()
