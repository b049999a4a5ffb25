"""Downloader without queues, as the scheduler alone paces requests, and what stops a download."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pydispatch.dispatcher import getAllReceivers
from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from scrapy.utils.defer import _process_pending_io, _schedule_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from typing_extensions import override

from sitecrawl.policy.decision import Decision
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import header
from sitecrawl.web.files.formats import GENERIC_TYPES, is_file_type
from sitecrawl.web.media_type import declared_type

logger = logging.getLogger(__name__)

MAX_HELD_BYTES = 100_000_000


def has_receivers(signal: object, crawler: Crawler) -> bool:
    """Return True if a signal has a receiver, in less time than sending it without one."""
    return next(getAllReceivers(crawler.signals.sender, signal), None) is not None


class DownloadStopper:
    """Decision of the rules and of the receivers of ``headers_received`` to stop a download.

    The rules stop the visit of a page whose Content-Type is not wanted. The response goes on without
    a body, so that the middlewares record its outcome. A robots.txt is read whatever its type.
    """

    def __init__(self, crawler: Crawler) -> None:
        rules = getattr(crawler.spider, "rules", None)
        self._crawler = crawler
        self.judge: Callable[[str, str | None], Decision] | None = None
        if isinstance(rules, Rules):
            self.judge = rules.media_types.decide
        self._wants_files = isinstance(rules, Rules) and bool(rules.media_types.formats)

    def decide(self, request: Request, headers: Headers, length: int | None) -> StopDownload | None:
        """Return the exception that stops the download, or None; ``length`` is the announced body
        size.
        """
        stop = None
        if self.judge is not None and visit_of(request) is not None:
            wanted = self.judge(request.url, header(headers, "Content-Type") or None)
            stop = None if wanted.allowed else StopDownload(fail=False)
        if not has_receivers(signals.headers_received, self._crawler):
            return stop
        return self._tell(request, headers, length) or stop

    def is_file(self, request: Request, headers: Headers) -> bool:
        """Return True for a wanted file, whose size has a limit of its own."""
        if not self._wants_files or visit_of(request) is None:
            return False
        declared = declared_type(header(headers, "Content-Type"))
        return is_file_type(declared) or declared in GENERIC_TYPES

    def _tell(self, request: Request, headers: Headers, length: int | None) -> StopDownload | None:
        answers = self._crawler.signals.send_catch_log(
            signals.headers_received,
            request=request,
            spider=self._crawler.spider,
            headers=headers,
            body_length=length,
        )
        for receiver, answer in answers:
            if isinstance(answer, Failure) and isinstance(answer.value, StopDownload):
                logger.debug("Download stopped for %s by %s", request, receiver.__qualname__)
                return answer.value
        return None


class Downloader(ScrapyDownloader):
    """Scrapy's downloader without its queues.

    The scheduler has already applied every delay and limit of the origin, so queueing each request
    again would only cost time. One task takes a request through the middlewares and back, and
    passes the result to the engine itself: a future in between costs one round of the event loop.
    ``held_bytes`` is the size of the bodies that wait for a file reader; above a limit no new
    request is made.
    """

    held_bytes = 0

    @override
    def needs_backout(self) -> bool:
        return super().needs_backout() or self.held_bytes > MAX_HELD_BYTES

    @override
    def fetch(self, request: Request, spider: Spider | None = None) -> Deferred[Response | Request]:
        self.active.add(request)
        answered: Deferred[Response | Request] = Deferred()
        _schedule_coro(self._fetch(request, answered))
        return answered

    async def _fetch(self, request: Request, answered: Deferred[Response | Request]) -> None:
        answer: Response | Request | Failure
        try:
            answer = await self.middleware.download_async(self._enqueue_request, request)
        except (Exception, asyncio.CancelledError):  # noqa: BLE001 - the engine handles them all
            answer = Failure()  # type: ignore[no-untyped-call]
        self.active.remove(request)
        answered.callback(answer)

    @override
    async def _enqueue_request(self, request: Request) -> Response:
        self._tell(signals.request_reached_downloader, request)
        try:
            response = await self.handlers.download_request_async(request)
            self._tell(signals.response_downloaded, request, response=response)
        except Exception:
            await _process_pending_io()
            raise
        finally:
            self._tell(signals.request_left_downloader, request)
        return response

    def _tell(self, signal: object, request: Request, **more: Response) -> None:
        if has_receivers(signal, self.crawler):
            spider = self.crawler.spider
            self.signals.send_catch_log(signal, request=request, spider=spider, **more)


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
