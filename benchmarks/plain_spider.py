"""A first spider with plain Scrapy: a CrawlSpider, a LinkExtractor, ``::text``, JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class PlainSpider(CrawlSpider):
    """Follows every link of the starts' hosts and keeps title and text."""

    name = "plain"
    rules = (Rule(LinkExtractor(), callback="page", follow=True),)

    def __init__(self, start: str) -> None:
        super().__init__()
        self.start_urls = start.split()
        self.allowed_domains = [url.split("/")[2].partition(":")[0] for url in self.start_urls]

    def parse_start_url(self, response: Response, **_: Any) -> Iterator[dict[str, Any]]:
        """A start is a page like any other."""
        yield from self.page(response)

    def page(self, response: Response) -> Iterator[dict[str, Any]]:
        """One item a page."""
        if isinstance(response, TextResponse):
            yield {
                "url": response.url,
                "title": response.css("title::text").get(),
                "description": response.css('meta[name="description"]::attr(content)').get(),
                "body": " ".join(response.css("body ::text").getall()),
            }
