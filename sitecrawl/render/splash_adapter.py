"""scrapy-splash 0.11.1 for today's Scrapy, which its release does not import on.

What is broken, and mended here: it imports ``canonicalize_url`` from where it no longer is;
its spider middleware knows neither asynchronous output nor ``process_start``; it asks the
downloader for ``_get_slot_key``, now ``get_slot_key``; its methods want the ``spider``
argument that Scrapy no longer passes. A test says when a release no longer needs this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import scrapy.utils.url
from w3lib.url import canonicalize_url

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


@contextmanager
def _canonicalize_url_restored() -> Iterator[None]:
    """Put ``canonicalize_url`` back to where scrapy-splash imports it from."""
    url: Any = scrapy.utils.url
    url.canonicalize_url = canonicalize_url
    yield
    del url.canonicalize_url


with _canonicalize_url_restored():
    from scrapy_splash import middleware as released
    from scrapy_splash.request import SplashRequest

__all__ = ["Cookies", "DeduplicateArgs", "Splash", "SplashRequest", "released"]


class Splash(released.SplashMiddleware):  # type: ignore[misc]
    """Turns a request for a page into one to the Splash server, and its answer back."""

    def process_request(self, request: Request) -> Request | None:
        """The request to the Splash server; None for one that is not meant for it."""
        converted: Request | None = super().process_request(request, self.crawler.spider)
        return converted

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """The page's response; a request where arguments have to be sent once more."""
        converted: Response | Request = super().process_response(
            request, response, self.crawler.spider
        )
        return converted

    def _get_slot_key(self, request_or_response: Request) -> str:
        key: str = self.crawler.engine.downloader.get_slot_key(request_or_response)
        return key


class Cookies(released.SplashCookiesMiddleware):  # type: ignore[misc]
    """Keeps the cookies of Splash sessions."""

    crawler: Crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built for each crawl."""
        cookies: Self = super().from_crawler(crawler)
        cookies.crawler = crawler
        return cookies

    def process_request(self, request: Request) -> None:
        """Send the session's cookies along."""
        super().process_request(request, self.crawler.spider)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies that came back."""
        kept: Response = super().process_response(request, response, self.crawler.spider)
        return kept


class DeduplicateArgs(released.SplashDeduplicateArgsMiddleware):  # type: ignore[misc]
    """Spider middleware: keeps large arguments out of the requests, as ``cache_args`` asks."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Built for each crawl."""
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Treat the requests that the spider starts with."""
        async for each in start:
            yield self._deduplicate(each)

    def process_spider_output(
        self,
        response: Response,  # noqa: ARG002 -- Scrapy names it
        result: Iterable[Any],
    ) -> Iterator[Any]:
        """Treat the requests that come of a response."""
        for each in result:
            yield self._deduplicate(each)

    async def process_spider_output_async(
        self,
        response: Response,  # noqa: ARG002 -- Scrapy names it
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        """Treat the requests that come of a response, one by one."""
        async for each in result:
            yield self._deduplicate(each)

    def _deduplicate(self, each: Any) -> Any:
        if not isinstance(each, scrapy.Request):
            return each
        spider: Any = self._crawler.spider
        spider.state = getattr(spider, "state", {})
        spider.state.setdefault(self.local_values_key, {})
        return self._process_request(each, spider)
