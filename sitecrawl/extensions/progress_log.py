"""Log the progress of a crawl at intervals, and at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter

from sitecrawl import typed_program
from sitecrawl.crawl.run_summary import ProgressSnapshot, counted
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.extensions.crawl_ending import ending_of
from sitecrawl.extensions.progress import Progress
from sitecrawl.frontier.base import FrontierError
from sitecrawl.output.feeds import OUTPUT_FAILED, Feeds
from sitecrawl.statuses import DONE, MAX_PAGES

NO_FEED = (
    "No feed is set: %d lines are in the crawl database alone. The next run with -O FILE writes "
    "them, or at once: %s export -O FILE"
)
NO_LINE = (
    "No line was written: nothing that this run visited is new, changed or gone. All documents: "
    "%s export -O FILE"
)

NEVER = logging.CRITICAL + 1
"""Level above that of every line."""

logger = logging.getLogger(__name__)


class ProgressLog:
    """One log line for every ``pages`` more pages, at most one every ``seconds``.

    On a terminal the progress line replaces all but the last.
    """

    def __init__(self, crawler: Crawler, pages: int, seconds: float) -> None:
        self._crawler = crawler
        self._pages = pages
        self._seconds = seconds
        settings = crawler.settings
        level: Any = logging.getLevelName(settings["LOG_LEVEL"])
        self._level = level if settings.getbool("LOG_ENABLED") else NEVER
        self._began = 0.0
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressLog:
        """Read the settings SITECRAWL_STATISTICS_PAGES and SITECRAWL_STATISTICS_SECONDS."""
        settings, connect = crawler.settings, crawler.signals.connect
        extension = cls(
            crawler,
            settings.getint("SITECRAWL_STATISTICS_PAGES"),
            settings.getfloat("SITECRAWL_STATISTICS_SECONDS"),
        )
        connect(extension.spider_opened, signals.spider_opened)
        connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def spider_opened(self) -> None:
        """Start to watch the stats."""
        self._began = asyncio.get_running_loop().time()
        if self._pages and self._crawler.get_extension(Progress) is None:
            self._task = asyncio.create_task(self._watch())

    async def engine_stopped(self) -> None:
        """Log the final figures once everything is written."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        seconds = asyncio.get_running_loop().time() - self._began
        crawl = crawl_of(self._crawler)
        end = ending_of(self._crawler)
        figures = ProgressSnapshot.read(end.counters or self._crawler.stats.get_stats())
        if end.result.finish_reason == OUTPUT_FAILED:
            figures = replace(figures, lines=self._lines_written())
        ended = logging.INFO, f"Ended after {seconds:.0f} s: {figures.line(seconds)}"
        lines = list(end.result.lines(list(self._written(figures))))
        if crawl.owner.failure is not None:
            lines = []
        progress = self._crawler.get_extension(Progress)
        if progress is None:
            for level, line in (*lines, ended):
                logger.log(level, "%s", line)
            return
        for level, line in (ended, *lines):
            if level >= self._level:
                progress.print(line)

    def _lines_written(self) -> int:
        """Return the number of lines that are in files, where a file could not be written."""
        feeds = self._crawler.get_extension(FeedExporter)
        return max((n for _, n in feeds.files()), default=0) if isinstance(feeds, Feeds) else 0

    def _written(self, figures: ProgressSnapshot) -> Iterator[str]:
        """Describe the output: files with the number of their lines, or why there are none."""
        feeds = self._crawler.get_extension(FeedExporter)
        if figures.lines and feeds is None:
            yield NO_FEED % (figures.lines, typed_program())
        if not figures.lines and feeds is not None and self._changed_nothing():
            yield NO_LINE % typed_program()
        if isinstance(feeds, Feeds):
            for path, count in feeds.files():
                yield f"{counted(count, 'line')} written to {path}."
            yield from (text % (path, count) for text, path, count in feeds.notes())

    async def _watch(self) -> None:
        crawl = crawl_of(self._crawler)
        logged = 0
        while True:
            await asyncio.sleep(self._seconds)
            figures = ProgressSnapshot.read(await crawl.work_sharing.counters())
            if figures.pages < logged + self._pages:
                continue
            logged = figures.pages
            with suppress(FrontierError):  # a more important call will report the same error
                seconds = asyncio.get_running_loop().time() - self._began
                outlook = await crawl.outlook(figures.rate(seconds))
                logger.info("%s", figures.line(seconds, outlook))

    def _changed_nothing(self) -> bool:
        """Return True if a crawl for documents finished without an error."""
        crawl = crawl_of(self._crawler)
        if crawl.checks_links:
            return False
        reason = self._crawler.stats.get_value("finish_reason")
        well = reason in ("finished", MAX_PAGES)
        return well and ending_of(self._crawler).result.status == DONE
