"""Show the progress of a crawl in one line of the terminal that is updated in place."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
from contextlib import suppress
from typing import TextIO

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from sitecrawl.console.scrapy_commands import is_warning
from sitecrawl.console.terminal import CLEAR, printable
from sitecrawl.crawl.run_summary import ProgressSnapshot
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import FrontierError

SECONDS = 0.5
STATS_LOGGER = "scrapy.statscollectors"
"""Logger of the table of all stats, which is left to log files; ``-L DEBUG`` prints it."""


class Progress:
    """Progress line below the log lines; only on a terminal."""

    def __init__(self, crawler: Crawler, terminal: TextIO) -> None:
        self._crawler = crawler
        self._terminal = terminal
        self._began = 0.0
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        """Build if the log goes to a terminal; raises NotConfigured otherwise."""
        settings = crawler.settings
        is_json = settings["SITECRAWL_LOG_FORMAT"] == "json"
        if settings["LOG_FILE"] or is_json or not sys.stderr.isatty():
            raise NotConfigured
        extension = cls(crawler, sys.stderr)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

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
