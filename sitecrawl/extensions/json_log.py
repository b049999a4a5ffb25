"""Write the log as JSON, one object a line."""

from __future__ import annotations

import logging
import time
from importlib import import_module
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.log import get_scrapy_root_handler

ENGINE = "scrapy.core.engine"
FIELDS = {"asctime": "time", "levelname": "level", "name": "logger"}
"""Names of the fields beside ``message``, by the attributes of a log record."""
SCRAPYS = ("crawler", "spider", "exc_text", "taskName")
"""Attributes of records that are no data."""


class JsonLog(logging.Filter):
    """Formatter of Scrapy's log handler: ``time`` (UTC), ``level``, ``logger``, ``crawl``.

    Scrapy installs the handler after the extensions are built, and logs before its first signal.
    Therefore the formatter is set by the first record of the engine, as a filter that passes all.
    """

    def __init__(self, crawl: str) -> None:
        super().__init__()
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> JsonLog:
        """Wait for the first record; raises NotConfigured for a log of text."""
        if crawler.settings["SITECRAWL_LOG_FORMAT"] != "json":
            raise NotConfigured
        spider: Any = crawler.spider
        extension = cls(spider.configuration.params.database_name)
        logging.getLogger(ENGINE).addFilter(extension)
        return extension

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002 -- every record passes
        """Set the formatter once."""
        logging.getLogger(ENGINE).removeFilter(self)
        handler = get_scrapy_root_handler()
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
