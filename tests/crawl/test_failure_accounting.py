"""Cost of each response to the failure budget of its origin."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import pytest
import pytest_twisted
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector
from twisted.internet.defer import Deferred

from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import DueUrl
from sitecrawl.scheduling.fetch_outcomes import charge_response
from sitecrawl.spiders.site import SiteSpider
from tests.frontier.workers import SITE

CASES = [
    ([429, 200] * 20, 40, 5),
    ([429] * 7, 7, 0),
    ([429] * 7, 1, 0),
    ([500, 200] * 4, 8, 5),
    ([200, 500, 500, 500, 404], 5, 3),
    ([408] * 4, 1, 4),
    ([408] * 4, 2, 3),
    ([404, 301, 403, 304], 4, 5),
]


@pytest.mark.parametrize(("statuses", "urls", "left"), CASES)
@pytest_twisted.inlineCallbacks
def test_what_is_left_of_patience(
    statuses: list[int], urls: int, left: int
) -> Generator[Any, Any, None]:
    async def told() -> tuple[int, bool]:
        crawler = Crawler(SiteSpider, {"SITECRAWL_DATABASE": "sqlite:///:memory:"})
        crawler.spider = SiteSpider.from_crawler(crawler, start=f"{SITE}/")
        stats = crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        origin = crawl.leased.ensure(SITE)
        for number, status in enumerate(statuses):
            due = DueUrl(SITE, number % urls, f"{SITE}/{number % urls}", 1, "link", None)
            request = crawl.visit_requests.request(due, origin)
            answered = Response(request.url, status=status, headers={"Location": "/b"})
            charge_response(request, answered, stats, crawl.leased.knowledge.yields)
        return origin.failure_budget.left, bool(origin.given_up)

    assert (yield Deferred.fromFuture(asyncio.ensure_future(told()))) == (left, not left)
