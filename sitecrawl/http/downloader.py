"""Downloader without queues: the scheduler alone paces requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.http import Response
from scrapy.utils.defer import _process_pending_io, _schedule_coro, ensure_awaitable
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from typing_extensions import override

from sitecrawl.direct_calls import is_known
from sitecrawl.http.early_close import has_receivers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler


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

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        methods: Mapping[str, Iterable[Any]] = self.middleware.methods
        self._asking, self._passing = methods["process_request"], methods["process_response"]
        self._are_known = all(map(is_known, (*self._asking, *self._passing)))

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
            if self._are_known:
                answer = await self._download_directly(request)
            else:
                answer = await self.middleware.download_async(self._enqueue_request, request)
        except (Exception, asyncio.CancelledError):  # noqa: BLE001 - the engine handles them all
            answer = Failure()  # type: ignore[no-untyped-call]
        self.active.remove(request)
        answered.callback(answer)

    async def _download_directly(self, request: Request) -> Response | Request:
        """Take a request through our own middlewares: Scrapy awaits each, though few ever wait."""
        answer: Response | Request
        try:
            for ask in self._asking:
                given = ask(request=request)
                if given is not None and (answer := await ensure_awaitable(given)):
                    break
            else:
                answer = await self._enqueue_request(request)
        except Exception as error:  # noqa: BLE001 - the middlewares handle them all
            await _process_pending_io()
            answer = await self.middleware._process_exception(error, request)
        for pass_on in self._passing:
            if isinstance(answer, Request):
                break
            given = pass_on(request=request, response=answer)
            answer = given if isinstance(given, Request | Response) else await given
        return answer

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
