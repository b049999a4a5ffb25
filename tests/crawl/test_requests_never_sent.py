"""Requests that are refused at the door take no turn of their origin."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import pytest
import pytest_twisted
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from twisted.internet.defer import Deferred

from sitecrawl.downloadermiddlewares import turn as turn_middleware
from sitecrawl.extensions.crawl import Crawl
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import BEGAN, ORIGIN
from sitecrawl.scheduling.fetch_outcomes import RequestDropped
from sitecrawl.spiders.site import SiteSpider
from tests.frontier.workers import SITE

RETRY_AFTER = 500.0


@pytest.mark.behaviour("P-03")
@pytest.mark.parametrize(("sent", "learned"), [(False, 0.0), (True, 0.0), (False, RETRY_AFTER)])
@pytest_twisted.inlineCallbacks
def test_a_request_that_was_never_sent_has_no_pause(
    sent: bool, learned: float, monkeypatch: pytest.MonkeyPatch
) -> Generator[Any, Any, None]:
    async def pause() -> float:
        crawler = Crawler(SiteSpider, {"SITECRAWL_DATABASE": "sqlite:///:memory:"})
        crawler.spider = SiteSpider.from_crawler(crawler, start=f"{SITE}/", delay="100")
        crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        monkeypatch.setattr(turn_middleware, "crawl_of", lambda _: crawl)
        turn = turn_middleware.TurnMiddleware(crawler)
        origin = crawl.leased.ensure(SITE)
        origin.open_visits += 1  # a page is on its way, or it would be given back
        before, now = origin.ready_at, asyncio.get_running_loop().time()
        request = Request(f"{SITE}/sitemap.xml", meta={ORIGIN: origin, BEGAN: (before, now)})
        origin.request_sent(now)
        if sent:
            turn.process_request(request)
        origin.postpone(now + learned)
        turn.process_exception(request, RequestDropped(Outcome.BLOCKED_BY_ROBOTS_TXT, "robots_txt"))
        return origin.ready_at - before

    waits = yield Deferred.fromFuture(asyncio.ensure_future(pause()))
    assert (waits >= 100, waits >= RETRY_AFTER) == (sent or learned > 0, learned > 0)
