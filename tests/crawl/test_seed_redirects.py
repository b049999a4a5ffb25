"""Seed redirects that another worker found, looked up for the origins in question."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest_twisted
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector
from twisted.internet.defer import Deferred

from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import VisitResult
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.spiders.site import SiteSpider
from tests.frontier.workers import candidate

STARTS = {
    "http://one.example/": "https://www.one.example/",
    "http://two.example/": "https://www.two.example/",
    "http://three.example/": "https://elsewhere.example/",
}


@pytest_twisted.inlineCallbacks
def test_an_origin_of_a_starts_owner_comes_into_scope(tmp_path: Path) -> Generator[Any, Any, None]:
    async def sent() -> list[list[str]]:
        settings = {"SITECRAWL_DATABASE": f"sqlite:///{tmp_path}/crawl.db"}
        crawler = Crawler(SiteSpider, settings)
        crawler.spider = SiteSpider.from_crawler(crawler, start=" ".join(STARTS))
        crawler.stats = MemoryStatsCollector(crawler)
        crawl = Crawl(crawler)
        await crawl.owner.open()
        frontier = crawl.owner.frontier
        seeds = [candidate(start, via="seed") for start in STARTS]
        await crawl.seed_redirects.begin(seeds)
        await frontier.add(seeds)
        for state in await frontier.lease(9):
            [due] = await frontier.pop(state.key, 9)
            to = STARTS[due.url]
            visit = VisitResult(due, time.time(), 0.1, Outcome.REDIRECT, 302, redirect_to=to)
            await frontier.commit(state.key, [visit])
        told = []
        for url in ("https://unknown.example", "https://www.two.example", *STARTS.values()):
            await crawl.seed_redirects.look(url)
            rules = crawl.discovery.rules
            told.append([each for each in STARTS.values() if rules.admit(each).decision.allowed])
        await crawl.owner.close("finished", {})
        return told

    one, two, _ = STARTS.values()
    told = yield Deferred.fromFuture(asyncio.ensure_future(sent()))
    assert told == [[], [two], [one, two], [one, two], [one, two]]
