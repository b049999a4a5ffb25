"""`scrapy bench`: Scrapy's own, without a crawl."""

from __future__ import annotations

from scrapy.commands import bench

from sitecrawl.console.scrapy_commands import SinglePageCommand


class Command(SinglePageCommand, bench.Command):
    """Measure Scrapy's speed on this machine."""
