"""Decision to stop a download once its headers are known."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Self

from pydispatch.dispatcher import getAllReceivers
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers
from twisted.python.failure import Failure

from sitecrawl.policy.decision import Decision
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import header
from sitecrawl.web.files.formats import GENERIC_TYPES, is_file_type
from sitecrawl.web.media_type import declared_type


def has_receivers(signal: object, crawler: Crawler) -> bool:
    """Return True if a signal has a receiver, in less time than sending it without one."""
    return next(getAllReceivers(crawler.signals.sender, signal), None) is not None


class EarlyClose:
    """Rule that stops downloads whose Content-Type is not wanted, after the headers.

    The download handler applies it. The response goes on without a body, so that the middlewares
    record its outcome. Only page visits are judged: a robots.txt is read whatever its declared
    type.
    """

    def __init__(
        self, judge: Callable[[str, str | None], Decision], *, wants_files: bool = False
    ) -> None:
        self._judge = judge
        self._wants_files = wants_files

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the rules of the crawl's spider."""
        rules: Rules = crawler.spider.rules  # type: ignore[union-attr]
        return cls(rules.content_type, wants_files=bool(rules.media_types.formats))

    def is_file(self, headers: Headers, request: Request) -> bool:
        """Return True for a wanted file, whose size has a limit of its own."""
        if not self._wants_files or visit_of(request) is None:
            return False
        declared = declared_type(header(headers, "Content-Type"))
        return is_file_type(declared) or declared in GENERIC_TYPES

    def decide(self, headers: Headers, request: Request) -> StopDownload | None:
        """Return the exception that stops an unwanted download, else None."""
        if visit_of(request) is None:
            return None
        wanted = self._judge(request.url, header(headers, "Content-Type") or None).allowed
        return None if wanted else StopDownload(fail=False)


logger = logging.getLogger(__name__)


class DownloadStopper:
    """Decision of the rules and of the receivers of ``headers_received`` to stop a download."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.early_close = crawler.get_extension(EarlyClose)

    def decide(self, request: Request, headers: Headers, length: int | None) -> StopDownload | None:
        """Return the exception that stops the download, or None; ``length`` is the announced body
        size.
        """
        stop = self.early_close.decide(headers, request) if self.early_close else None
        if not has_receivers(signals.headers_received, self._crawler):
            return stop
        return self._tell(request, headers, length) or stop

    def is_file(self, request: Request, headers: Headers) -> bool:
        """Return True for a wanted file, whose size has a limit of its own."""
        return self.early_close is not None and self.early_close.is_file(headers, request)

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
