"""Set the headers of a well-behaved crawler."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl.config.assembly import header_policy
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.http.request_headers import HeaderPolicy, Wanted
from sitecrawl.reqmeta import robots_of, sitemap_of, visit_of


class HeadersMiddleware:
    """User-Agent, From, Accept, Referer, credentials and custom headers, as configured."""

    def __init__(self, policy: HeaderPolicy) -> None:
        self._policy = policy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> HeadersMiddleware:
        """Build it with the spider's configuration."""
        crawl = crawl_of(crawler)
        origins = crawl.discovery.rules.scope.start_origins
        return cls(header_policy(crawler.spider.configuration.params, origins))  # type: ignore[union-attr]

    def process_request(self, request: Request) -> None:
        """Add the headers that the request does not have yet."""
        visit = visit_of(request)
        wanted: Wanted = "robots" if robots_of(request) is not None else "page"
        if sitemap_of(request) is not None:
            wanted = "feed"
        referrer = visit.due.referrer if visit is not None else None
        known = visit is not None and visit.due.indexed_at is not None
        headers = self._policy.of(request.url, wanted=wanted, referrer=referrer, known=known)
        for name, value in headers.items():
            request.headers.setdefault(name, value)
