"""Begin the crawl before the requests of a spider's own ``start``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy.crawler import Crawler

from sitecrawl.extensions.crawl import Crawl, crawl_of


class StartMiddleware:
    """Middleware that adds the starts, and delivers what an earlier run left undelivered."""

    def __init__(self, crawl: Crawl, spider: Any) -> None:
        self._crawl = crawl
        self._spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StartMiddleware:
        """Build it with the crawl."""
        crawl = crawl_of(crawler)
        return cls(crawl, crawler.spider)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Begin the crawl, then continue with the requests that the spider adds."""
        await self._crawl.delivery.resume()
        await self._crawl.begin(self._spider.configuration.params.start)
        await self._crawl.delivery.collect()
        async for each in start:
            yield each
