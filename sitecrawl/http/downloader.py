"""Downloader without queues: the scheduler alone paces requests."""

from __future__ import annotations

import asyncio

from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.http import Response
from scrapy.utils.defer import _process_pending_io, _schedule_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from typing_extensions import override

from sitecrawl.http.early_close import has_receivers

MAX_HELD_BYTES = 100_000_000


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
