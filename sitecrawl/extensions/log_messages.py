"""Log messages of pages and items: those that will be logged, without control characters."""

from __future__ import annotations

import logging
from copy import copy
from typing import Any

from scrapy import logformatter, signals
from scrapy.crawler import Crawler
from scrapy.logformatter import LogFormatterResult
from scrapy.utils.log import get_scrapy_root_handler

from sitecrawl.console.terminal import printable


class LogFormatter(logformatter.LogFormatter):
    """Scrapy's messages, without those below ``LOG_LEVEL``.

    Scrapy's root logger accepts every level and its handler filters: otherwise two records
    would be created for each page and dropped.
    """

    def __init__(self, level: int = logging.DEBUG) -> None:
        self._level = level

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LogFormatter:
        """Build it with the level of the crawl's log."""
        level = crawler.settings["LOG_LEVEL"]
        return cls(logging.getLevelName(level) if isinstance(level, str) else int(level))

    def crawled(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """Return the message for a fetched page."""
        return super().crawled(*args) if self._level <= logging.DEBUG else None

    def scraped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """Return the message for an item that passed the pipelines."""
        return super().scraped(*args) if self._level <= logging.DEBUG else None

    def dropped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """Return the message for an item that a pipeline dropped."""
        message = super().dropped(*args)
        return message if message["level"] >= self._level else None


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
