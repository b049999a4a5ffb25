"""Brings outbox rows to the feeds, and tells the crawl database which have arrived."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from sitecrawl.crawl.database import FrontierOwner
from sitecrawl.feeds import Feeds
from sitecrawl.frontier.base import Change, FrontierError
from sitecrawl.items import Record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.core.scraper import Scraper
    from scrapy.crawler import Crawler

MARK_SECONDS = 1.0
BATCH_ROWS = 500

logger = logging.getLogger(__name__)


class Delivery:
    """Marks an outbox row as delivered only when its line is safe in every feed.

    A line in a local file is safe once flushed; a line for any other storage is safe
    when that storage has stored the whole feed, at the end of the crawl.
    """

    def __init__(self, crawler: Crawler, owner: FrontierOwner) -> None:
        self._crawler = crawler
        self._owner = owner
        self._feeds: Feeds | None = None
        self._complete = asyncio.Event()
        self._lines: list[int] = []
        self._sending: set[asyncio.Task[None]] = set()
        self._ending = False
        self._timer: asyncio.TimerHandle | None = None

    def find_feeds(self) -> None:
        """Listen to the feeds, which are made after this; without any nothing is delivered."""
        self._feeds = self._crawler.get_extension(Feeds)
        if self._feeds is not None:
            self._feeds.taken = self.exported
            self._feeds.last_lines = self._complete.wait

    @property
    def busy(self) -> bool:
        """Whether a change is on its way through the pipelines."""
        return bool(self._sending)

    def send(self, change: Change) -> asyncio.Task[None]:
        """Send a change through the item pipelines to the feeds."""
        task = asyncio.create_task(self._send(change))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send(self, change: Change) -> None:
        assert self._crawler.engine is not None
        scraper = self._crawler.engine.scraper
        try:
            await scraper.start_itemproc_async(record_of(change), response=None)
        finally:
            let_close(scraper)

    async def collect(self) -> None:
        """Send, oldest first, what an earlier run or a worker that died did not deliver.

        It ends early when the output fails or the crawl ends: the next run sends the rest.
        """
        try:
            async for change in self._undelivered():
                if self._ending or (self._feeds is not None and self._feeds.failure):
                    return
                await asyncio.wait({self.send(change)})
        except FrontierError as error:
            self._owner.fail(error)

    async def _undelivered(self) -> AsyncIterator[Change]:
        if self._feeds is None:
            return
        after = 0
        while rows := await self._owner.frontier.undelivered(BATCH_ROWS, after):
            for row in rows:
                yield row
            after = rows[-1].seq

    def exported(self, item: Any) -> None:
        """Note the row whose line the feeds have just taken."""
        if not isinstance(item, Record):
            return
        self._lines.append(item.seq)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(MARK_SECONDS, self._mark_soon)

    async def complete(self) -> None:
        """Wait for the changes that are on their way: no more will come."""
        self._ending = True
        if self._sending:
            await asyncio.wait(self._sending)
        self._complete.set()

    async def feeds_closed(self) -> bool:
        """The feeds are closed: whatever was exported has arrived, if all could be stored."""
        if self._timer is not None:
            self._timer.cancel()
        assert self._feeds is not None
        if self._feeds.stored:
            await self._mark()
        elif not self._feeds.failure:
            logger.error("Not all output could be stored. The next run writes what is missing.")
        return self._feeds.stored

    def _mark_soon(self) -> None:
        self._timer = None
        if self._feeds is not None and self._feeds.flush():
            task = asyncio.create_task(self._mark())
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _mark(self) -> None:
        lines, self._lines = self._lines, []
        if not lines or self._owner.failure is not None:
            return
        try:
            await self._owner.frontier.delivered(lines)
        except FrontierError as error:
            self._owner.fail(error)


def let_close(scraper: Scraper) -> None:
    """Let a crawl end that waits for its last item: Scrapy 2.19 looks after pages alone."""
    closing = scraper.slot.closing if scraper.slot is not None else None
    if closing is not None and not closing.called:
        scraper._check_if_closing()


def record_of(change: Change) -> Record:
    """The line of a change."""
    return Record(change.seq, change.record)
