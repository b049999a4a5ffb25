"""Sends what the scheduler hands out, without making it wait a second time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.utils.defer import _process_pending_io
from typing_extensions import override

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

NO_EFFECT = "%s has no effect on this crawl: give the seconds between requests with -a delay=..."

logger = logging.getLogger(__name__)


class Downloader(ScrapyDownloader):
    """Scrapy's downloader without its queues.

    The scheduler has kept every delay and limit of the origin before; here each request would
    be queued, and taken out of the queue by a task of its own, for nothing.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self._delay:
            logger.warning(NO_EFFECT, "DOWNLOAD_DELAY")
        if self.per_slot_settings:
            logger.warning(NO_EFFECT, "DOWNLOAD_SLOTS")

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
        self.signals.send_catch_log(signal, request=request, spider=self.crawler.spider, **more)
