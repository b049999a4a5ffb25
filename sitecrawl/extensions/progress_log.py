"""Show the progress of a crawl: in a line of the terminal, in the log at intervals, and at the end."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter

from sitecrawl import typed_program
from sitecrawl.components import Component
from sitecrawl.console.scrapy_commands import is_warning
from sitecrawl.console.terminal import CLEAR, printable
from sitecrawl.crawl.progress import ProgressSnapshot
from sitecrawl.crawl.run_summary import counted
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.extensions.crawl_ending import ending_of
from sitecrawl.frontier.base import FrontierError
from sitecrawl.output.feeds import OUTPUT_FAILED, Feeds
from sitecrawl.statuses import DONE, MAX_PAGES

SECONDS = 0.5
STATS_LOGGER = "scrapy.statscollectors"
"""Logger of the table of all stats, which is left to log files; ``-L DEBUG`` prints it."""
NO_FEED = (
    "No feed is set: %d lines are in the crawl database alone. The next run with -O FILE writes "
    "them, or at once: %s export -O FILE"
)
NO_LINE = (
    "No line was written: nothing that this run visited is new, changed or gone. All documents: "
    "%s export -O FILE"
)
NOTHING_DUE = (
    "No page was due: %s explain URL says when it is, -a force=1 visits all pages at once."
)
NEVER = logging.CRITICAL + 1
"""Level above that of every line."""
logger = logging.getLogger(__name__)


class Progress(Component):
    """Progress line below the log lines; only on a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        is_json = crawler.settings["SITECRAWL_LOG_FORMAT"] == "json"
        if crawler.settings["LOG_FILE"] or is_json or not sys.stderr.isatty():
            raise NotConfigured
        self._terminal = sys.stderr
        self._began = 0.0
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self) -> None:
        """Start to show the line."""
        self._began = asyncio.get_running_loop().time()
        for handler in logging.getLogger().handlers:
            handler.addFilter(self._make_room)
        if self._crawler.settings["LOG_LEVEL"] != "DEBUG":
            logging.getLogger(STATS_LOGGER).addFilter(is_warning)
        self._task = asyncio.create_task(self._show())

    async def spider_closed(self) -> None:
        """Remove the line."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        for handler in logging.getLogger().handlers:
            handler.removeFilter(self._make_room)
        self._write("")

    async def _show(self) -> None:
        crawl = crawl_of(self._crawler)
        while True:
            await asyncio.sleep(SECONDS)
            with suppress(FrontierError):  # a more important call will report the same error
                seconds = asyncio.get_running_loop().time() - self._began
                figures = ProgressSnapshot.read(await crawl.work_sharing.counters())
                self._write(figures.short(seconds, await crawl.outlook(figures.rate(seconds))))

    def print(self, line: str) -> None:
        """Print a line of its own."""
        self._write(f"{printable(line)}\n", cut=False)

    def _make_room(self, _: logging.LogRecord) -> bool:
        self._write("")
        return True

    def _write(self, line: str, *, cut: bool = True) -> None:
        width = shutil.get_terminal_size().columns - 1 if cut else None
        self._terminal.write(f"{CLEAR}{line[:width]}")
        self._terminal.flush()


class ProgressLog(Component):
    """One log line for every so many more pages, at most one in so many seconds.

    On a terminal the progress line replaces all but the last.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._pages = settings.getint("SITECRAWL_STATISTICS_PAGES")
        self._seconds = settings.getfloat("SITECRAWL_STATISTICS_SECONDS")
        level: Any = logging.getLevelName(settings["LOG_LEVEL"])
        self._level = level if settings.getbool("LOG_ENABLED") else NEVER
        self._began = 0.0
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

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
            feeds = self._crawler.get_extension(FeedExporter)
            counts = [n for _, n in feeds.files()] if isinstance(feeds, Feeds) else []
            figures = replace(figures, lines=max(counts, default=0))
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

    def _written(self, figures: ProgressSnapshot) -> Iterator[str]:
        """Describe the output: files with the number of their lines, or why there are none."""
        feeds = self._crawler.get_extension(FeedExporter)
        if figures.lines and feeds is None:
            yield NO_FEED % (figures.lines, typed_program())
        ended = self._crawler.stats.get_value("finish_reason") in ("finished", MAX_PAGES)
        well = ended and ending_of(self._crawler).result.status == DONE
        looks_for_links = crawl_of(self._crawler).checks_links
        if well and not (figures.lines or feeds is None or looks_for_links):
            if not figures.pages:
                yield NOTHING_DUE % typed_program()
            yield NO_LINE % typed_program()
        if isinstance(feeds, Feeds):
            for path, count in feeds.files():
                yield f"{counted(count, 'line')} written to {path}."
            yield from feeds.notes()

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
