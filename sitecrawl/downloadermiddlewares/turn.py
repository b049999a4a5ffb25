"""Release the origin's slot when its request has ended, and set the time of the next."""

from __future__ import annotations

import asyncio
import time

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.http.fetch_errors import LeaseExpiredError
from sitecrawl.policy.http.politeness import MAX_RETRY_AFTER
from sitecrawl.reqmeta import BEGAN, SENT_AT, origin_of, robots_of, visit_of
from sitecrawl.responses import header
from sitecrawl.scheduling.fetch_outcomes import charge_failure, charge_response
from sitecrawl.scheduling.origin import Origin
from sitecrawl.web.validators import retry_after

REQUESTS_PER_SAVE = 200
"""Requests to an origin after which its receipt is stored, so that a kill loses no more."""


class TurnMiddleware(Component):
    """Middleware nearest to the downloader, which sees each request begin and end.

    The delay is counted from the end of the response, which is never sooner than from its
    beginning. The failure budget is charged before the next request is sent.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._queues = crawl_of(crawler).queues
        self._leased = crawl_of(crawler).leased
        self._stats = crawler.stats

    def process_request(self, request: Request) -> None:
        """Record when the request is sent."""
        request.meta[SENT_AT] = now = asyncio.get_running_loop().time()
        origin = origin_of(request)
        if origin is not None:
            origin.receipt.sent(now, origin.pace.promised)
            if origin.receipt.requests % REQUESTS_PER_SAVE == 0:
                self._leased.save(origin)
        visit = visit_of(request)
        if visit is not None:
            visit.sent(time.time())

    def process_response(self, request: Request, response: Response) -> Response:
        """Release the slot: a response of any status ends the request."""
        charge_response(request, response, self._stats, self._leased.knowledge.yields)
        origin = origin_of(request)
        if origin is None:
            return response
        self._end(request, origin, response)
        if response.status in (429, 503):
            # A pause that the origin asks for holds for every later request, even after a kill.
            self._leased.save(origin)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Release the slot after a failure, or a request that was dropped before it was sent."""
        if isinstance(exception, LeaseExpiredError):
            request.meta.pop(SENT_AT, None)
        elif SENT_AT in request.meta:
            charge_failure(request, exception, self._stats)
        origin = origin_of(request)
        if origin is not None:
            self._end(request, origin)

    def _end(self, request: Request, origin: Origin, response: Response | None = None) -> None:
        sent_at = request.meta.pop(SENT_AT, None)
        if sent_at is not None:
            now = asyncio.get_running_loop().time()
            duration = now - sent_at
            visit = visit_of(request)
            if visit is not None:
                visit.duration = duration
            origin.postpone(self._ready_at(request, origin, response, now, duration))
        elif BEGAN in request.meta:
            origin.request_withdrawn(*request.meta[BEGAN])
        self._queues.request_ended(origin)

    def _ready_at(
        self, request: Request, origin: Origin, response: Response | None, now: float, took: float
    ) -> float:
        pace = origin.pace
        if response is None:
            return pace.failed(now, took)
        wait = None
        if response.status in (429, 503):
            wait = retry_after(header(response.headers, "Retry-After"), time.time())
            origin.receipt.overloaded(response.status, wait, time.time())
        if response.status != 429 and wait is None:
            good = response.status < 500
            return pace.answered(now, took) if good else pace.failed(now, took)
        if response.status == 429 or wait is None or robots_of(request) is not None:
            return pace.limited(now, took, wait)
        visit = visit_of(request)
        if visit is not None:
            visit.not_before = time.time() + min(wait, MAX_RETRY_AFTER)
        return pace.unavailable(now, took, wait, request.url)
