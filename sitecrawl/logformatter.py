"""Log messages of pages and items, created only if they will be logged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import logformatter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.logformatter import LogFormatterResult


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
