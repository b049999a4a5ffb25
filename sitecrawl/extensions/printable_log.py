"""Escape control characters in the log, as pages could send commands to a terminal with them."""

from __future__ import annotations

import logging
from copy import copy
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.log import get_scrapy_root_handler

from sitecrawl.console.terminal import printable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PrintableLog:
    """Escaping of control characters in everything that Scrapy's log handler writes."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PrintableLog:
        """Build for each crawl: Scrapy creates a new handler before the spider is opened."""
        extension = cls()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        """Wrap the handler's own formatter."""
        handler = get_scrapy_root_handler()
        if handler is not None and not isinstance(handler.formatter, PrintableFormatter):
            handler.setFormatter(PrintableFormatter(handler.formatter or logging.Formatter()))


class PrintableFormatter(logging.Formatter):
    """Formatter that escapes control characters in another formatter's text."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; keep the colours that the other formatter adds."""
        clean = copy(record)
        clean.msg, clean.args = printable(record.getMessage()), ()
        if record.exc_info:
            clean.exc_text = printable(self._formatter.formatException(record.exc_info))
        return self._formatter.format(clean)
