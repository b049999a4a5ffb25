"""Adapter of scrapy-splash 0.11.1, whose release cannot be imported, to the current Scrapy.

It works around four faults: it imports ``canonicalize_url`` from a former place; its spider
middleware lacks asynchronous output and ``process_start``; it calls the downloader's
``_get_slot_key``, now ``get_slot_key``; its methods need the ``spider`` argument that Scrapy no
longer passes. A test fails once a release no longer needs the adapter.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import scrapy.utils.url
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from w3lib.url import canonicalize_url


@contextmanager
def _canonicalize_url_restored() -> Iterator[None]:
    """Restore ``canonicalize_url`` to the place from which scrapy-splash imports it."""
    url: Any = scrapy.utils.url
    url.canonicalize_url = canonicalize_url
    yield
    del url.canonicalize_url


with _canonicalize_url_restored():
    from scrapy_splash import middleware as released
    from scrapy_splash.request import SplashRequest

__all__ = ["Cookies", "DeduplicateArgs", "Splash", "SplashRequest", "released"]


class Splash(released.SplashMiddleware):  # type: ignore[misc]
    """Downloader middleware that converts requests to Splash API calls, and the responses back."""

    def process_request(self, request: Request) -> Request | None:
        """Return the request to the Splash server; None for a request not meant for it."""
        converted: Request | None = super().process_request(request, self.crawler.spider)
        return converted

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Return the page's response, or a request if cached arguments must be sent again."""
        converted: Response | Request = super().process_response(
            request, response, self.crawler.spider
        )
        return converted

    def _get_slot_key(self, request_or_response: Request) -> str:
        key: str = self.crawler.engine.downloader.get_slot_key(request_or_response)
        return key


class Cookies(released.SplashCookiesMiddleware):  # type: ignore[misc]
    """Cookies middleware for Splash sessions."""

    crawler: Crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawler."""
        cookies: Self = super().from_crawler(crawler)
        cookies.crawler = crawler
        return cookies

    def process_request(self, request: Request) -> None:
        """Add the session's cookies to the request."""
        super().process_request(request, self.crawler.spider)

    def process_response(self, request: Request, response: Response) -> Response:
        """Store the cookies of the response."""
        kept: Response = super().process_response(request, response, self.crawler.spider)
        return kept


class DeduplicateArgs(released.SplashDeduplicateArgsMiddleware):  # type: ignore[misc]
    """Spider middleware that takes large arguments out of requests, as ``cache_args`` asks."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawler."""
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Deduplicate the arguments of the start requests."""
        async for each in start:
            yield self._deduplicate(each)

    def process_spider_output(
        self,
        response: Response,  # noqa: ARG002 -- Scrapy names it
        result: Iterable[Any],
    ) -> Iterator[Any]:
        """Deduplicate the arguments of the requests of a response."""
        for each in result:
            yield self._deduplicate(each)

    async def process_spider_output_async(
        self,
        response: Response,  # noqa: ARG002 -- Scrapy names it
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        """Deduplicate the arguments of the requests of a response, asynchronously."""
        async for each in result:
            yield self._deduplicate(each)

    def _deduplicate(self, each: Any) -> Any:
        if not isinstance(each, scrapy.Request):
            return each
        spider: Any = self._crawler.spider
        spider.state = getattr(spider, "state", {})
        spider.state.setdefault(self.local_values_key, {})
        return self._process_request(each, spider)
