"""Memory of a long crawl about the URLs that it has visited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest_twisted
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from twisted.internet.defer import Deferred

from sitecrawl.crawl.visit import Visit
from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import DueUrl
from sitecrawl.policy.http.answers import answer_of_status
from sitecrawl.spiders.site import SiteSpider
from tests.frontier.workers import SITE, candidate


@pytest_twisted.inlineCallbacks
def test_only_urls_that_come_again_are_counted() -> Generator[Any, Any, None]:
    async def counted() -> list[int]:
        crawler = Crawler(SiteSpider, {"SITECRAWL_DATABASE": "sqlite:///:memory:"})
        crawler.spider = SiteSpider.from_crawler(crawler, start=f"{SITE}/")
        crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        origin = crawl.leased.ensure(SITE)
        for fingerprint, status in enumerate((304, 404, 301, 429)):
            due = DueUrl(SITE, fingerprint, f"{SITE}/{status}", 1, "link", None)
            answer = answer_of_status(status, {"location": "/"})
            crawl.visit_requests._answered(Visit(due, time.time()), origin, answer)
        return list(origin.retry_count)

    assert (yield Deferred.fromFuture(asyncio.ensure_future(counted()))) == [3]


async def until(condition: Callable[[], object]) -> None:
    """Return when the condition holds, within a minute."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


@pytest_twisted.inlineCallbacks
def test_what_a_visit_leaves_is_forgotten_with_its_end(tmp_path: Path) -> Generator[Any, Any, None]:
    async def kept() -> list[tuple[int, int]]:
        crawler = Crawler(SiteSpider, {"SITECRAWL_DATABASE": f"sqlite:///{tmp_path}/crawl.db"})
        crawler.spider = SiteSpider.from_crawler(crawler, start=f"{SITE}/", obey_robots="no")
        crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        await crawl.owner.open()
        await crawl.owner.frontier.add([candidate("/", via="seed")])
        crawl.leased.acquire()
        origin, numbers = crawl.leased.ensure(SITE), []
        crawl.robots._adopt(origin, b"User-agent: *\nDisallow: /x\n", 200)
        for status in (429, 404):
            await until(lambda: origin.has_work)
            due = crawl.queues.next_due(origin)
            assert isinstance(due, DueUrl)
            origin.alternate_url[due.fingerprint] = due.url
            visit = Visit(due, time.time())
            answer = answer_of_status(status, {})
            crawl.recorder.record(crawl.visit_requests._answered(visit, origin, answer))
            await crawl.recorder.flush(SITE)
            numbers.append((len(origin.retry_count), len(origin.alternate_url)))
        await until(lambda: not crawl.leased.origins)
        assert origin.robots.rules is None
        await crawl.tasks.end()
        await crawl.owner.close("finished", {})
        return numbers

    numbers = yield Deferred.fromFuture(asyncio.ensure_future(kept()))
    assert numbers == [(1, 1), (0, 0)]
