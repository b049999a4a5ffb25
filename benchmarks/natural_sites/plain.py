"""Plain Scrapy's CrawlSpider on all hosts of a natural site."""

from __future__ import annotations

from benchmarks.plain_spider import PlainSpider


class NaturalSpider(PlainSpider):
    """Follows every link of the site's hosts, from one start."""

    name = "natural"

    def __init__(self, start: str, hosts: str) -> None:
        super().__init__(start)
        self.allowed_domains = hosts.split()
