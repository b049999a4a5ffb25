"""Escape control characters in the log, with which pages could command a terminal."""

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
    """Escaping of control characters in all that Scrapy's log handler writes."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PrintableLog:
        """Build it for each crawl: the handler is made anew before the spider is opened."""
        extension = cls()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        """Put the formatter in front of the handler's own."""
        handler = get_scrapy_root_handler()
        if handler is not None and not isinstance(handler.formatter, PrintableFormatter):
            handler.setFormatter(PrintableFormatter(handler.formatter or logging.Formatter()))


class PrintableFormatter(logging.Formatter):
    """Another formatter's text, without what would command a terminal."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; colours, which the other formatter adds, stay."""
        clean = copy(record)
        clean.msg, clean.args = printable(record.getMessage()), ()
        if record.exc_info:
            clean.exc_text = printable(self._formatter.formatException(record.exc_info))
        return self._formatter.format(clean)
