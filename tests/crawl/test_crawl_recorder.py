"""Visits that end while others of their origin are being written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest_twisted
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred

from sitecrawl.config.configuration import load
from sitecrawl.crawl import recorder as recording
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import DueUrl
from sitecrawl.frontier.opening import open_frontier
from tests.frontier.workers import SITE, candidate, ingested

SLOW = 3 * recording.BATCH_SECONDS  # for a commit, so that the timer rings meanwhile


class SlowFrontier:
    """A crawl database whose commits take a while, and the recorder that writes to it."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.frontier = open_frontier(f"sqlite:///{folder}/crawl.db")
        self.owner = FrontierOwner(self.frontier, load({"start": f"{SITE}/"}))
        stats = MemoryStatsCollector(get_crawler())
        self.recorder = Recorder(self.owner, list[object]().append, stats)
        self.began: list[float] = []
        commit = self.frontier.commit

        async def commit_slowly(*args: Any) -> Any:
            self.began.append(time.monotonic())
            await asyncio.sleep(seconds)
            return await commit(*args)

        self.frontier.commit = commit_slowly  # type: ignore[assignment]

    async def pop(self, *paths: str) -> list[DueUrl]:
        """Begin a run, and return some of its URLs."""
        await self.owner.open()
        await self.frontier.add([candidate(path) for path in paths])
        await self.frontier.lease(5)
        return await self.frontier.pop(SITE, len(paths))


@pytest_twisted.inlineCallbacks
def test_what_ends_while_a_slow_database_writes_is_written_next(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def record_two() -> None:
        slow = SlowFrontier(tmp_path, SLOW)
        first, second = await slow.pop("/one", "/two")
        written = [slow.recorder.record(ingested(first, "one", time.time()))]
        slow.recorder.flush_soon(SITE)
        await asyncio.sleep(0)  # the writing has begun
        written.append(slow.recorder.record(ingested(second, "two", time.time())))
        async with asyncio.timeout(20):
            await asyncio.gather(*written)
        assert not slow.recorder.busy
        await slow.owner.close("finished", {})

    yield Deferred.fromFuture(asyncio.ensure_future(record_two()))


@pytest_twisted.inlineCallbacks
def test_a_slow_database_gets_fewer_and_larger_batches(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    commit = recording.BATCH_SECONDS / 2

    async def record_many() -> None:
        slow = SlowFrontier(tmp_path, commit)
        dues = iter(await slow.pop(*(f"/{number}" for number in range(200))))
        while len(slow.began) < 3:
            slow.recorder.record(ingested(next(dues), "a page", time.time()))
            await asyncio.sleep(0.03)  # fewer than fill a batch in this time
        await slow.recorder.flush_all()
        await slow.owner.close("finished", {})
        _, second, third, *_ = slow.began  # the first one was not known to be slow
        assert third - second >= commit / recording.WRITING_SHARE

    yield Deferred.fromFuture(asyncio.ensure_future(record_many()))


def test_rounds_of_writing_have_bounds() -> None:
    assert recording.pause_after(0) == recording.BATCH_SECONDS
    assert recording.pause_after(300) == recording.MAX_BATCH_SECONDS


@pytest_twisted.inlineCallbacks
def test_a_visit_that_its_origin_waits_for_is_written_at_once(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def record_one() -> None:
        slow = SlowFrontier(tmp_path, 0)
        (only,) = await slow.pop("/one")
        slow.recorder.visit_recorded.connect(lambda _: slow.recorder.flush_soon(SITE))
        written = slow.recorder.record(ingested(only, "one", time.time()))
        await asyncio.sleep(0)  # the timer rings much later
        assert slow.began
        await written
        await slow.owner.close("finished", {})

    yield Deferred.fromFuture(asyncio.ensure_future(record_one()))
