"""What a long crawl remembers of the URLs that it has visited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from typing import Any

import pytest_twisted
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from twisted.internet.defer import Deferred

from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import DueUrl, Visit
from sitecrawl.policy.answers import answer_of_status
from sitecrawl.spiders.site import SiteSpider
from tests.frontier.workers import SITE


@pytest_twisted.inlineCallbacks
def test_only_urls_that_come_again_are_counted() -> Generator[Any, Any, None]:
    async def counted() -> list[int]:
        crawler = Crawler(SiteSpider, {"SITECRAWL_DATABASE": "sqlite:///:memory:"})
        crawler.spider = SiteSpider.from_crawler(crawler, start=f"{SITE}/")
        crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        origin = crawl.hand.ensure(SITE)
        for fingerprint, status in enumerate((304, 404, 301, 429)):
            due = DueUrl(SITE, fingerprint, f"{SITE}/{status}", 1, "link", None)
            answer = answer_of_status(status, {"location": "/"})
            crawl.outcomes._answered(Visit(due, time.time()), origin, answer)
        return list(origin.tries)

    assert (yield Deferred.fromFuture(asyncio.ensure_future(counted()))) == [3]
