"""Follow redirects and retry failures of the project's own requests, as Scrapy does."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler, load_object

from sitecrawl.components import Component
from sitecrawl.reqmeta import is_adhoc
from sitecrawl.scheduling.fetch_outcomes import RequestDropped

RETRY = "scrapy.downloadermiddlewares.retry.RetryMiddleware"
REDIRECT = "scrapy.downloadermiddlewares.redirect.RedirectMiddleware"

logger = logging.getLogger(__name__)


class AdhocMiddleware(Component):
    """Proxy of Scrapy's retry and redirect middlewares, which are loaded when needed.

    Refusals by the rules or robots.txt are logged, because Scrapy drops them silently.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._loaded: dict[str, Any] = {}

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Retry or redirect; any other response goes to the spider, or its errback."""
        if 200 <= response.status < 300 or not is_adhoc(request):
            return response
        answer: Request | Response = response
        for path in (RETRY, REDIRECT):
            middleware = self._load(path)
            if middleware is not None and not isinstance(answer, Request):
                answer = middleware.process_response(request, answer)
        return answer

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Retry a request that failed without a response."""
        if not is_adhoc(request):
            return None
        if isinstance(exception, RequestDropped):
            logger.info("Not requested: %s (%s)", request.url, exception.reason)
            return None
        middleware = self._load(RETRY)
        again: Request | None = middleware and middleware.process_exception(request, exception)
        return again

    def _load(self, path: str) -> Any:
        if path not in self._loaded:
            try:
                self._loaded[path] = build_from_crawler(load_object(path), self._crawler)
            except NotConfigured:
                self._loaded[path] = None
        return self._loaded[path]
