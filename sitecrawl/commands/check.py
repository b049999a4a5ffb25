"""`scrapy check`: Scrapy's own, for the contracts of a project's spiders."""

from __future__ import annotations

from scrapy.commands import check

from sitecrawl.console.scrapy_commands import SinglePageCommand


class Command(SinglePageCommand, check.Command):
    """Check contracts, without a crawl."""
