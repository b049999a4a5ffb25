"""`scrapy fetch`: Scrapy's own, without a crawl."""

from __future__ import annotations

from scrapy.commands import fetch

from sitecrawl.console.scrapy_commands import SinglePageCommand


class Command(SinglePageCommand, fetch.Command):
    """Fetch one page with Scrapy's components."""
