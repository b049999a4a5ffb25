"""Ends an origin's turn when its answer has ended: what it costs, and when the next may come."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from sitecrawl.crawl.toll import judge_answer, judge_failure
from sitecrawl.extensions.crawl import Crawl
from sitecrawl.reqmeta import BEGAN, SENT_AT, origin_of, visit_of
from sitecrawl.responses import header
from sitecrawl.web.validators import retry_after

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

    from sitecrawl.crawl.hand import Hand
    from sitecrawl.crawl.todo import TodoLists


class TurnMiddleware:
    """Stands nearest to the downloader, so that it sees each request begin and end.

    The pause is counted from the end of the answer, which is never sooner than from its
    beginning. What the answer costs the origin's patience is known before the next request
    goes out.
    """

    def __init__(self, lists: TodoLists, hand: Hand, stats: StatsCollector) -> None:
        self._lists = lists
        self._hand = hand
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TurnMiddleware:
        """Shares the to-do lists with the scheduler."""
        crawl = crawler.get_extension(Crawl)
        assert crawl is not None
        assert crawler.stats is not None
        return cls(crawl.lists, crawl.hand, crawler.stats)

    def process_request(self, request: Request) -> None:
        """Note when the request is sent."""
        request.meta[SENT_AT] = asyncio.get_running_loop().time()
        visit = visit_of(request)
        if visit is not None:
            visit.started_at = time.time()

    def process_response(self, request: Request, response: Response) -> Response:
        """An answer of any status ends the turn."""
        judge_answer(request, response, self._stats)
        wait = None
        if response.status in (429, 503):
            wait = retry_after(header(response.headers, "Retry-After"), time.time())
        limited = response.status == 429 or wait is not None
        self._end(request, limited=limited, wait=wait)
        origin = origin_of(request)
        if origin is not None and limited:
            # What it asks for holds for whoever asks next, after a kill too.
            self._hand.save(origin)
        if origin is not None and response.ip_address is not None:
            self._hand.share_pace(origin, response.ip_address)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """So does a failure, and a request that was stopped before it was sent."""
        if SENT_AT in request.meta:
            judge_failure(request, exception, self._stats)
        self._end(request, limited=False, wait=None)

    def _end(self, request: Request, *, limited: bool, wait: float | None) -> None:
        origin = origin_of(request)
        if origin is None:
            return
        sent_at = request.meta.pop(SENT_AT, None)
        if sent_at is not None:
            now = asyncio.get_running_loop().time()
            duration = now - sent_at
            visit = visit_of(request)
            if visit is not None:
                visit.duration = duration
            pace = origin.pace
            ready_at = (
                pace.limited(now, duration, wait) if limited else pace.answered(now, duration)
            )
            origin.ready_at = max(origin.ready_at, ready_at)
        elif BEGAN in request.meta:
            self._lists.turns.withdraw(origin, *request.meta[BEGAN])
        self._lists.turns.end(origin)
        self._lists.check(origin)
