"""The log: which messages of pages and items, without control characters, as text or as JSON."""

from __future__ import annotations

import logging
import time
from copy import copy
from importlib import import_module
from typing import Any

from scrapy import logformatter, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.logformatter import LogFormatterResult
from scrapy.utils.log import get_scrapy_root_handler

from sitecrawl.components import Component, params_of
from sitecrawl.console.terminal import printable

ENGINE = "scrapy.core.engine"
FIELDS = {"asctime": "time", "levelname": "level", "name": "logger"}
"""Names of the fields beside ``message``, by the attributes of a log record."""
SCRAPYS = ("crawler", "spider", "exc_text", "taskName")
"""Attributes of records that are no data."""


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


class PrintableLog(Component):
    """Escaping of control characters in everything that Scrapy's log handler writes."""

    def __init__(self, crawler: Crawler) -> None:
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self) -> None:
        """Wrap the formatter of the handler that Scrapy has created for this crawl."""
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


class JsonLog(Component, logging.Filter):
    """Formatter of Scrapy's log handler: ``time`` (UTC), ``level``, ``logger``, ``crawl``.

    Scrapy installs the handler after the extensions are built, and logs before its first signal.
    Therefore the formatter is set by the first record of the engine, as a filter that passes all, before
    any that drops some.
    """

    def __init__(self, crawler: Crawler) -> None:
        if crawler.settings["SITECRAWL_LOG_FORMAT"] != "json":
            raise NotConfigured
        logging.Filter.__init__(self)
        self._crawl = params_of(crawler).database_name
        self._is_set = False
        logging.getLogger(ENGINE).filters.insert(0, self)

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002 -- every record passes
        """Set the formatter once."""
        handler = None if self._is_set else get_scrapy_root_handler()
        self._is_set = True
        if handler is not None:
            handler.setFormatter(formatter(self._crawl))
        return True


def formatter(crawl: str) -> Any:
    """Return the formatter of a crawl's log."""
    json = import_module("pythonjsonlogger.json")
    core = import_module("pythonjsonlogger.core")
    made: Any = json.JsonFormatter(
        "%(asctime)s %(levelname)s %(name)s %(message)s",
        datefmt="%Y-%m-%dT%H:%M:%SZ",
        rename_fields=FIELDS,
        static_fields={"crawl": crawl},
        reserved_attrs=[*core.RESERVED_ATTRS, *SCRAPYS],
        json_ensure_ascii=False,
    )
    made.converter = time.gmtime
    return made
