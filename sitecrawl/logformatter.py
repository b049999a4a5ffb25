"""Log messages of pages and items, made only where the log takes them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import logformatter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.logformatter import LogFormatterResult


class LogFormatter(logformatter.LogFormatter):
    """Scrapy's messages, without those below ``LOG_LEVEL``.

    Scrapy's root logger takes every level and leaves the choice to its handler: two records
    are made for each page and thrown away.
    """

    def __init__(self, level: int = logging.DEBUG) -> None:
        self._level = level

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LogFormatter:
        """With the level of the crawl's log."""
        level = crawler.settings["LOG_LEVEL"]
        return cls(logging.getLevelName(level) if isinstance(level, str) else int(level))

    def crawled(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """A page was fetched."""
        return super().crawled(*args) if self._level <= logging.DEBUG else None

    def scraped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """An item came out of the pipelines."""
        return super().scraped(*args) if self._level <= logging.DEBUG else None

    def dropped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        """A pipeline dropped an item."""
        message = super().dropped(*args)
        return message if message["level"] >= self._level else None
