"""Sends what the scheduler hands out, without making it wait a second time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.defer import _process_pending_io, _schedule_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from typing_extensions import override

from sitecrawl.download.listeners import is_heard

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

NO_EFFECT = "%s has no effect on this crawl: give the seconds between requests with -a delay=..."
NOT_HEEDED = "%s has no effect on this crawl: %s"
INSTEAD = {
    "AUTOTHROTTLE_ENABLED": "its pace follows the answers by itself, see -a politeness=...",
    "DEPTH_LIMIT": "give it with -a max_depth=...",
    "DOWNLOAD_MAXSIZE": "give it with -a max_body_size=...",
    "DOWNLOAD_TIMEOUT": "give it with -a timeout=... and -a max_time=...",
    "HTTPCACHE_ENABLED": "its database remembers the pages, and asks only whether they changed",
    "JOBDIR": "its database remembers what is to do, and the next run goes on",
    "USER_AGENT": "give it with -a user_agent=... or -a contact=...",
}
OFF = ("", "0", "False", "None")
GIVEN = SETTINGS_PRIORITIES["cmdline"]

logger = logging.getLogger(__name__)


class Downloader(ScrapyDownloader):
    """Scrapy's downloader without its queues.

    The scheduler has kept every delay and limit of the origin before; here each request would
    be queued, and taken out of the queue by a task of its own, for nothing. One task brings it
    through the middlewares and back, and hands the answer to the engine itself: a future in
    between costs a round of the event loop.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self._delay:
            logger.warning(NO_EFFECT, "DOWNLOAD_DELAY")
        if self.per_slot_settings:
            logger.warning(NO_EFFECT, "DOWNLOAD_SLOTS")
        for name, instead in INSTEAD.items():
            given = crawler.settings.getpriority(name) == GIVEN
            if given and str(crawler.settings[name]) not in OFF:
                logger.warning(NOT_HEEDED, name, instead)

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
        except (Exception, asyncio.CancelledError):  # noqa: BLE001 - the engine has them all
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
        if is_heard(signal, self.crawler):
            spider = self.crawler.spider
            self.signals.send_catch_log(signal, request=request, spider=spider, **more)
