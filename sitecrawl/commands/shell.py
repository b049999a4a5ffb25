"""`scrapy shell`: Scrapy's own, without a crawl."""

from __future__ import annotations

from scrapy.commands import shell

from sitecrawl.console.scrapy_commands import SinglePageCommand


class Command(SinglePageCommand, shell.Command):
    """Open Scrapy's console, to try selectors on a page."""
