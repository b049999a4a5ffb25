"""Scrapy scheduler that sends requests to each origin no sooner than its pace allows."""

from __future__ import annotations

import asyncio
import logging

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from typing_extensions import override

from sitecrawl.components import Component
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import Candidate
from sitecrawl.reqmeta import BEGAN, OWN, is_adhoc, visit_of
from sitecrawl.scheduling.origin import Origin
from sitecrawl.web.urls.url import origin as origin_key

logger = logging.getLogger(__name__)


class OriginScheduler(Component, BaseScheduler):
    """Implementation of Scrapy's scheduler interface on the ready queue of origins.

    ``next_request`` returns None if no origin is ready now, and a timer wakes the engine when the
    next one is; the crawl is finished when ``has_pending_requests`` returns False.
    """

    def __init__(self, crawler: Crawler) -> None:
        crawl = self._crawl = crawl_of(crawler)
        self._callbacks = (
            crawl.page_callback.callback,
            crawl.listing_requests.answered,
            crawl.probes.answered,
            crawl.robots.answered,
            crawl.usage_files.answered,
        )
        self._fingerprint = crawler.request_fingerprinter.fingerprint
        self._seen: set[bytes] = set()
        self._login = crawl.login
        self._stats = crawler.stats
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False
        crawl.owner.failed.connect(self._stop)

    @override
    def open(self, spider: Spider) -> Deferred[None]:
        """Open the crawl database; ``Crawl`` ends the crawl if that fails."""
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        with self._crawl.owner.failures_end_crawl():
            await self._crawl.owner.open()

    @override
    def close(self, reason: str) -> None:
        """Stop sending; prefetched URLs stay due in the crawl database."""
        self._stop()

    def _stop(self) -> None:
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()

    def has_pending_requests(self) -> bool:
        """Return False if the crawl is finished, has reached its limit, or lost its database."""
        if self._closing:
            return False
        if self._crawl.recorder.busy or self._crawl.delivery.busy:
            return True
        if self._crawl.budget.is_exhausted:
            return False
        return self._crawl.leased.busy or self._crawl.tasks.busy or self._crawl.passes.more()

    def enqueue_request(self, request: Request) -> bool:
        """Accept a request that the project made; return False for a duplicate.

        A request that only follows a link becomes a candidate. Others are queued for their origin,
        before its pages.
        """
        if request.callback in self._callbacks:  # the crawl's own, sent again
            return self._crawl.queues.enqueue(request)
        if self._crawl.page_callback.is_link(request):
            candidate = self._crawl.discovery.follow(request.url, None)
            if candidate is not None:
                self._crawl.tasks.begin(self._add(candidate))
            return candidate is not None
        for name in [name for name in request.meta if name.startswith(OWN)]:
            del request.meta[name]
        wanted = request.dont_filter or not self._is_duplicate(request)
        return wanted and self._crawl.queues.enqueue(request)

    def _is_duplicate(self, request: Request) -> bool:
        fingerprint = self._fingerprint(request)
        if fingerprint not in self._seen:
            self._seen.add(fingerprint)
            return False
        logger.debug("Filtered duplicate request: %s", request)
        self._stats.inc_value("dupefilter/filtered")
        return True

    async def _add(self, candidate: Candidate) -> None:
        await self._crawl.owner.frontier.add([candidate])
        self._crawl.leased.acquire()

    def next_request(self) -> Request | None:
        """Return the request of the first ready origin."""
        if self._closing or self._crawl.budget.is_exhausted:
            return None
        now = asyncio.get_running_loop().time()
        ready = self._crawl.queues.ready
        if not self._crawl.budget.allows:
            if ready.next_ready_at is not None and ready.next_ready_at <= now:
                self._crawl.budget.ask()
            else:
                self._wake_at(ready.next_ready_at)
            return None
        while (origin := self._crawl.queues.next_ready(now)) is not None:
            request = self._request_of(origin, now)
            if request is not None:
                if visit_of(request) is None:  # may be dropped before download
                    request.meta[BEGAN] = (origin.ready_at, now)
                origin.request_sent(now)
                ready.push(origin)
                return request
            self._crawl.queues.advance(origin)
        self._wake_at(ready.next_ready_at)
        return None

    def _request_of(self, origin: Origin, now: float) -> Request | None:
        crawl, leased = self._crawl, self._crawl.leased
        waiting = origin.urgent_requests or origin.adhoc_requests
        if waiting and leased.must_acquire_lease(origin):
            return None
        if origin.urgent_requests:
            return origin.urgent_requests.popleft()
        if crawl.robots.due(origin, now) and leased.may_request(origin):
            return self._robots_request(origin)
        if self._login is not None and self._login.comes_first(origin):
            return self._login.request(origin) if leased.may_request(origin) else None
        if crawl.usage_files.due(origin, now):
            return crawl.usage_files.request(origin) if leased.may_request(origin) else None
        return self._next_of(origin)

    def _next_of(self, origin: Origin) -> Request | None:
        if origin.adhoc_requests:
            if is_adhoc(origin.adhoc_requests[0]):
                self._crawl.budget.spend()
            return self._crawl.visit_requests.repeat(origin.adhoc_requests.popleft(), origin)
        due = self._crawl.queues.next_due(origin)
        if due is None or isinstance(due, Request):
            return due
        self._crawl.budget.spend()
        return self._crawl.visit_requests.request(due, origin)

    def _robots_request(self, origin: Origin) -> Request | None:
        """Make the request for robots.txt, or queue it at the origin that it was redirected to."""
        request = self._crawl.robots.request(origin)
        key = origin_key(request.url)
        if key in ("", origin.key):
            return request
        self._crawl.queues.enqueue_urgent(request, key)
        return None

    def _wake_at(self, when: float | None) -> None:
        if when is None or (self._timer is not None and self._timer.when() <= when):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(when, self._ring)

    def _ring(self) -> None:
        """Wake the engine; a timer's call is an iteration of the loop like any other."""
        self._timer = None
        self._crawl.engine.wake(at_once=True)
