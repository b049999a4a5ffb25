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
from sitecrawl.frontier import open_frontier
from tests.frontier.workers import SITE, candidate, ingested

SLOW = 3 * recording.BATCH_SECONDS  # for a commit, so that the timer rings meanwhile


@pytest_twisted.inlineCallbacks
def test_what_ends_while_a_slow_database_writes_is_written_next(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def record_two() -> None:
        frontier = open_frontier(f"sqlite:///{tmp_path}/crawl.db")
        owner = FrontierOwner(frontier, load({"start": f"{SITE}/"}))
        await owner.open()
        recorder = Recorder(owner, list[object]().append, MemoryStatsCollector(get_crawler()))
        commit = frontier.commit

        async def commit_slowly(*args: Any) -> Any:
            await asyncio.sleep(SLOW)
            return await commit(*args)

        frontier.commit = commit_slowly  # type: ignore[assignment]
        await frontier.add([candidate("/one"), candidate("/two")])
        await frontier.lease(5)
        first, second = await frontier.pop(SITE, 5)
        written = [recorder.record(ingested(first, "one", time.time()))]
        recorder.flush_soon(SITE)
        await asyncio.sleep(0)  # the writing has begun
        written.append(recorder.record(ingested(second, "two", time.time())))
        async with asyncio.timeout(20):
            await asyncio.gather(*written)
        assert not recorder.busy
        await owner.close("finished", {})

    yield Deferred.fromFuture(asyncio.ensure_future(record_two()))
