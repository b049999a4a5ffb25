"""Drops a body that is not wanted as soon as the headers say what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import StopDownload

from sitecrawl.reqmeta import visit_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers

    from sitecrawl.policy.decision import Decision


class EarlyClose:
    """Closes the connection after the headers of an unwanted Content-Type.

    The response goes on without body, so that what follows gives it its outcome. Only
    visits are judged: a robots.txt is read whatever it calls itself.
    """

    def __init__(self, judge: Callable[[str, str | None], Decision]) -> None:
        self._judge = judge

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Judges by the rules of the crawl's spider."""
        closing = cls(crawler.spider.rules.content_type)  # type: ignore[union-attr]
        crawler.signals.connect(closing.headers_received, signals.headers_received)
        return closing

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Stop the download of what is not wanted."""
        if visit_of(request) is None:
            return
        named = headers.get("Content-Type")
        if not self._judge(request.url, named.decode("latin-1") if named else None).allowed:
            raise StopDownload(fail=False)
