"""Feeds whose lines are whole, and known to be written."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.extensions.feedexport import (
    FeedExporter,
    FeedSlot,
    FileFeedStorage,
    StdoutFeedStorage,
)
from scrapy.extensions.postprocessing import PostProcessingManager

from sitecrawl.params.problems import without_passwords

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler

TAIL_BYTES = 65536
STORED = "feedexport/success_count/"
MISTAKES = (AttributeError, ImportError, KeyError, NameError, NotConfigured, TypeError, ValueError)
"""What Scrapy's feeds raise where FEEDS says what cannot be."""

logger = logging.getLogger(__name__)


class WithoutPasswords(logging.Filter):
    """Takes the passwords out of the URLs in a line, as of a feed on an FTP server.

    Of a failure it says what was wrong, in place of where in the program.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the line."""
        line = record.getMessage()
        if record.exc_info and (error := record.exc_info[1]):
            record.exc_info, line = None, f"{line}: {error!s}"
        record.msg, record.args = without_passwords(line), ()
        return True


OF_FEEDS = WithoutPasswords()


class Feeds(FeedExporter):
    """Scrapy's feeds, of which the first that fails ends the crawl.

    Where one cannot be had at all nothing is requested: Scrapy would crawl without it.
    ``taken`` is told of each item that every feed has; ``last_lines`` returns when no more
    will come. ``failure`` says what went wrong.
    """

    def __init__(self, crawler: Crawler) -> None:
        logging.getLogger(FeedExporter.__module__).addFilter(OF_FEEDS)
        self.taken: Callable[[Any], None] = lambda _: None
        self.last_lines: Callable[[], Awaitable[Any]] | None = None
        self.failure = ""
        self._end: asyncio.Task[None] | None = None
        try:
            super().__init__(crawler)
        except MISTAKES as error:
            if not crawler.settings["FEEDS"]:
                raise
            self.failure = str(error) or "the line above says why"

    def open_spider(self, spider: Spider) -> None:
        """Find the place of each feed; raises CloseSpider where one has none."""
        try:
            if not self.failure:
                super().open_spider(spider)
        except (*MISTAKES, OSError) as error:
            self.failure = f"of {' '.join(self.feeds)} no place can be made: {error!r}"
        if self.failure:
            logger.error(
                "The output (-O, -o, FEEDS) cannot be written, nothing is requested: %s.",
                without_passwords(self.failure),
            )
            raise CloseSpider("output_failed")

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item; nothing more behind what may be half a line."""
        if self.failure:
            return
        try:
            super().item_scraped(item, spider)
        except (*MISTAKES, OSError) as error:
            self._fail(error)
        else:
            self.taken(item)

    def flush(self) -> bool:
        """Whether all that was taken so far now survives a crash of this process."""
        try:
            return not self.failure and all(flushed(slot) for slot in self.slots)
        except OSError as error:
            self._fail(error)
            return False

    async def close_spider(self, spider: Spider) -> None:
        """Store the feeds, once the last lines have come."""
        if self.last_lines is not None:
            await self.last_lines()
        await super().close_spider(spider)

    @property
    def stored(self) -> bool:
        """Whether every feed that took a line, and now is closed, has been stored."""
        assert self.crawler.stats is not None
        stats = self.crawler.stats.get_stats()
        stored = sum(count for name, count in stats.items() if name.startswith(STORED))
        return not self.failure and stored >= sum(map(_files, self.slots))

    def _fail(self, error: Exception) -> None:
        self.failure = str(error)
        logger.error(
            "The output cannot be written and the crawl ends: %s. The next run writes what is "
            "missing.",
            error,
        )
        assert self.crawler.engine is not None
        close = self.crawler.engine.close_spider_async(reason="output_failed")
        self._end = asyncio.create_task(close)


def _files(slot: FeedSlot) -> int:
    """How many files a feed has come to."""
    begun = slot.itemcount or (slot.store_empty and slot.batch_id == 1)
    return slot.batch_id - 1 + bool(begun)


class LocalFeedStorage(FileFeedStorage):
    """A feed file on this machine, of one crawl at a time.

    What a crash left of a last line is cut off first.
    """

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file for the run, ready for a whole line; OSError while another writes it."""
        overwrite, self.write_mode = self.write_mode == "wb", "ab"
        file = super().open(spider)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        claim(file, self.path)
        if overwrite:
            file.truncate(0)
            file.seek(0)
        else:
            cut_partial_line(self.path)
        return file


class OpenStdoutFeedStorage(StdoutFeedStorage):
    """Standard output, unless it is closed."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        output: IO[str] | None = sys.stdout
        if output is None:
            raise NotConfigured("standard output is closed")
        super().__init__(uri, feed_options=feed_options)


def claim(file: IO[Any], path: str) -> None:
    """Lock a file for as long as it is open; where locks do not work, do without.

    Raises OSError, and closes the file, while a crawl or a command has it.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        told = "another crawl is writing this file; give each a file of its own"
        raise OSError(error.errno, told, path) from error
    except OSError:
        logger.debug("%s cannot be locked", path)


def cut_partial_line(path: str) -> int:
    """Cut what follows the last line end of a file; returns the number of bytes cut."""
    with Path(path).open("r+b") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - TAIL_BYTES)
            file.seek(start)
            line_end = file.read(end - start).rfind(b"\n")
            if line_end >= 0:
                end = start + line_end + 1
                break
            end = start
        file.truncate(end)
    return size - end


def flushed(slot: FeedSlot) -> bool:
    """Flush a feed; whether what it exported so far now survives a crash of this process."""
    file: Any = slot.file
    local = isinstance(slot.storage, LocalFeedStorage | StdoutFeedStorage)
    if not local or isinstance(file, PostProcessingManager):
        return False
    if file is not None:
        file.flush()
    return True
