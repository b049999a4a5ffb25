"""Asks, once the head of an answer is there, whether its body is wanted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import StopDownload
from twisted.python.failure import Failure

from sitecrawl.download.early_close import EarlyClose
from sitecrawl.download.listeners import is_heard

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers

logger = logging.getLogger(__name__)


class Stopping:
    """Stops downloads for the crawl's rules, and for whoever listens to ``headers_received``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.early_close = crawler.get_extension(EarlyClose)

    def decide(self, request: Request, headers: Headers, length: int | None) -> StopDownload | None:
        """Why the download stops; ``length`` is the one announced for the body, in bytes."""
        stop = self.early_close.decide(headers, request) if self.early_close else None
        if not is_heard(signals.headers_received, self._crawler):
            return stop
        return self._tell(request, headers, length) or stop

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
