"""`scrapy shell`: Scrapy's own, without a crawl."""

from __future__ import annotations

from scrapy.commands import shell

from sitecrawl.console.scrapy_commands import PlainCommand


class Command(PlainCommand, shell.Command):
    """Open Scrapy's console, to try selectors on a page."""
