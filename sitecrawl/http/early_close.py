"""Whether anybody listens."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from pydispatch.dispatcher import getAllReceivers
from scrapy import signals
from scrapy.exceptions import StopDownload
from twisted.python.failure import Failure

from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import header

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers

    from sitecrawl.policy.decision import Decision


def has_receivers(signal: object, crawler: Crawler) -> bool:
    """Whether a signal has a receiver; sending it takes longer than this look, even if not."""
    return next(getAllReceivers(crawler.signals.sender, signal), None) is not None


class EarlyClose:
    """Closes the connection after the headers of an unwanted Content-Type.

    The download handler asks it. The response goes on without body, so that what follows
    gives it its outcome. Only visits are judged: a robots.txt is read whatever it calls itself.
    """

    def __init__(self, judge: Callable[[str, str | None], Decision]) -> None:
        self._judge = judge

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Judges by the rules of the crawl's spider."""
        return cls(crawler.spider.rules.content_type)  # type: ignore[union-attr]

    def decide(self, headers: Headers, request: Request) -> StopDownload | None:
        """Why the download stops, if it is not wanted."""
        if visit_of(request) is None:
            return None
        wanted = self._judge(request.url, header(headers, "Content-Type") or None).allowed
        return None if wanted else StopDownload(fail=False)


logger = logging.getLogger(__name__)


class DownloadStopper:
    """Stops downloads for the crawl's rules, and for whoever listens to ``headers_received``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.early_close = crawler.get_extension(EarlyClose)

    def decide(self, request: Request, headers: Headers, length: int | None) -> StopDownload | None:
        """Why the download stops; ``length`` is the one announced for the body, in bytes."""
        stop = self.early_close.decide(headers, request) if self.early_close else None
        if not has_receivers(signals.headers_received, self._crawler):
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
