"""`scrapy view`: Scrapy's own, without a crawl."""

from __future__ import annotations

from scrapy.commands import view

from sitecrawl.console.scrapy_commands import SinglePageCommand


class Command(SinglePageCommand, view.Command):
    """Open one page in a browser as Scrapy fetches it."""
