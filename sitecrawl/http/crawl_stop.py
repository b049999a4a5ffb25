"""End of a crawl that lacks what each of its requests needs."""

from __future__ import annotations

import asyncio
import logging

from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class CrawlStop:
    """Stop of a crawl, which is logged once; the next run fetches what is missing."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None

    def stop(self, reason: str, why: str) -> None:
        """End the crawl with a finish reason."""
        if self._task is None:
            self._crawler.stats.inc_value(f"sitecrawl/stopped/{reason}")
            logger.error("%s and the crawl ends. The next run fetches what is missing.", why)
            self._task = asyncio.create_task(self._crawler.engine.close_spider_async(reason=reason))
