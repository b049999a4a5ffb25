"""Drops a body that is not wanted as soon as the headers say what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import StopDownload

from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import header

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers

    from sitecrawl.policy.decision import Decision


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
