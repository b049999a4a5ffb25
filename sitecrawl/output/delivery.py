"""Deliver outbox rows to the feeds, and mark the safe ones in the crawl database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.frontier.base import Change
from sitecrawl.items import line_of
from sitecrawl.output.feeds import Feeds
from sitecrawl.policy.documents.document_options import DocumentOptions

MARK_SECONDS = 1.0
FOLLOW_SECONDS = 0.3
BATCH_ROWS = 500
NAMED = 3  # files in one log line
KEPT = "%d lines of an unfinished crawl are in %s and stay there."
AGAIN = "%d lines of an unfinished crawl are no longer in %s: they are written again."

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Delivery:
    """Delivery of outbox rows, each marked only when its line is safe in every feed.

    A line in a local file of lines is safe once it was synced to disk; a line of any other feed
    once the whole file has been stored. Lines that an interrupted crawl delivered are kept, or
    delivered again if their file is gone.
    """

    _crawler: Crawler
    _owner: FrontierOwner
    _options: DocumentOptions
    _of_workers: bool = False
    _collected: int = 0
    _collecting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _following: asyncio.Task[None] | None = None
    _feeds: Feeds | None = None
    _marking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _sending: set[asyncio.Task[None]] = field(default_factory=set)
    _ending: bool = False
    _timer: asyncio.TimerHandle | None = None

    def find_feeds(self) -> None:
        """Connect to the feeds, which are created later; without feeds nothing is delivered."""
        self._feeds = self._crawler.get_extension(Feeds)
        if self._feeds is not None:
            self._feeds.line_written.connect(self._exported)
            self._feeds.expect_lines()

    async def resume(self) -> None:
        """Keep the lines that interrupted crawls sent to the same feeds, or send them again."""
        feeds = self._feeds
        if feeds is None or self._owner.failure is not None:
            return
        with self._owner.failures_end_crawl():
            found = await self._owner.frontier.take_over_deliveries(feeds.names)
            kept = [each for each in found if feeds.holds(each.files)]
            lost = [each for each in found if each not in kept]
            await self._owner.frontier.undeliver([each.number for each in lost])
            for deliveries, text in ((kept, KEPT), (lost, AGAIN)):
                if deliveries:
                    paths = sorted({file.path for each in deliveries for file in each.files})
                    named = ", ".join(paths[:NAMED]) + (", ..." if len(paths) > NAMED else "")
                    logger.info(text, sum(each.lines for each in deliveries), named)
            feeds.keep(file for each in kept for file in each.files)

    @property
    def busy(self) -> bool:
        """True while a change is being sent to the feeds."""
        return bool(self._sending)

    def send(self, change: Change) -> asyncio.Task[None]:
        """Send a change to the feeds; it went through the pipelines when its page was read."""
        return self._begin(self._send(change))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send(self, change: Change) -> None:
        await self._crawler.signals.send_catch_log_async(
            signals.item_scraped,
            item=line_of(change, self._options),
            response=None,
            spider=self._crawler.spider,
        )

    async def collect(self) -> None:
        """Send, oldest first, the changes that an earlier run or a dead worker did not deliver.

        Stops early when the output fails or the crawl ends: the next run sends the rest.
        """
        with self._owner.failures_end_crawl():
            async with self._collecting:
                await self._collect()

    def follow(self) -> None:
        """Send the changes of worker processes, in order, while they crawl."""
        self._following = asyncio.create_task(self._follow())

    async def end_following(self) -> None:
        """Send the rest of the changes of worker processes, which have ended."""
        if self._following is not None:
            self._following.cancel()
            with suppress(asyncio.CancelledError):
                await self._following
            self._following = None
            await self.collect()

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            await asyncio.shield(self.collect())

    async def _collect(self) -> None:
        async for change in self._undelivered():
            if self._ending or (self._feeds is not None and self._feeds.failure):
                return
            await asyncio.wait({self.send(change)})

    async def _undelivered(self) -> AsyncIterator[Change]:
        if self._feeds is None:
            return
        after = self._collected
        while rows := await self._owner.frontier.undelivered(BATCH_ROWS, after):
            for row in rows:
                yield row
                after = row.seq
                if self._of_workers:
                    self._collected = after

    def _exported(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(MARK_SECONDS, self._mark_soon)

    def _mark_soon(self) -> None:
        self._timer = None
        self._begin(self._mark())

    async def complete(self, *, finished: bool) -> None:
        """Wait for the changes being sent; no more will follow."""
        self._ending = not finished
        while self._sending:
            await asyncio.wait(self._sending)
        await self._mark()  # before the files are closed, which a later mark would not notice
        self._ending = True
        if self._feeds is not None:
            self._feeds.end_lines()

    async def feeds_closed(self) -> bool:
        """Mark the lines that became safe as the feeds closed; return True if all are safe."""
        if self._timer is not None:
            self._timer.cancel()
        feeds = self._feeds
        if feeds is None:  # the crawl uses another feed extension
            return True
        await self._mark()
        if not feeds.stored and not feeds.failure:
            logger.error("Not all output could be stored. The next run writes what is missing.")
        return feeds.stored

    async def end(self) -> None:
        """Discard the delivery records of a crawl that ended well: its files may be removed."""
        with self._owner.failures_end_crawl():
            await self._owner.frontier.end_deliveries()

    async def _mark(self) -> None:
        feeds = self._feeds
        if feeds is None:
            return
        frontier = self._owner.frontier
        async with self._marking:
            with self._owner.failures_end_crawl():
                for files, lines, found in await feeds.take_safe_lines():
                    if self._owner.failure is not None:
                        return
                    files.number = await frontier.delivered(lines, found, files.number)
