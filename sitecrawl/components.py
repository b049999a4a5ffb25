"""Components that Scrapy builds, each from its crawler alone."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from sitecrawl.config.options.crawl_options import CrawlParams


class Component:
    """Base of middlewares, pipelines and extensions, which read what they need from the crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the component, as Scrapy does."""
        return cls(crawler)


def params_of(crawler: Crawler) -> CrawlParams:
    """Return the options of the crawl's spider."""
    spider: Any = crawler.spider
    params: CrawlParams = spider.configuration.params
    return params
