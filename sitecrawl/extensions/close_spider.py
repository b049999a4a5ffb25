"""Scrapy's CLOSESPIDER limits, counted over all workers of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.extensions import closespider

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.scheduling.work_sharing import HEARTBEAT_SECONDS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

COUNTERS = {
    "itemcount": "item_scraped_count",
    "pagecount": "response_received_count",
    "errorcount": "spider_exceptions/count",
}
"""Stats that are limited, by the ends of the names of the settings."""


class CloseSpider(closespider.CloseSpider):
    """Scrapy's extension, which counts what this process does, and with every heartbeat what the
    others have reported: several workers may exceed a limit by what they do in two heartbeats.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._task: asyncio.Task[None] | None = None
        self._pages_at_item = 0, 0
        crawler.signals.connect(self._begin, signals.spider_opened)
        crawler.signals.connect(self._end, signals.spider_closed)

    def _begin(self) -> None:
        counted = (*COUNTERS, "pagecount_no_item")
        if any(self.close_on.get(name) for name in counted):
            self._task = asyncio.create_task(self._watch())

    def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        reached = ""
        while not reached:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            reached = self._reached(await crawl_of(self.crawler).work_sharing.counters())
        self._close_spider(f"closespider_{reached}")

    def _reached(self, counters: Mapping[str, Any]) -> str:
        """Return the name of the limit that the workers have reached; empty if none."""
        for limit, name in COUNTERS.items():
            if 0 < self.close_on[limit] <= counters.get(name, 0):
                return limit
        items, pages = (counters.get(COUNTERS[each], 0) for each in ("itemcount", "pagecount"))
        if items > self._pages_at_item[0]:
            self._pages_at_item = items, pages
        if 0 < self.close_on["pagecount_no_item"] <= pages - self._pages_at_item[1]:
            return "pagecount_no_item"
        return ""
