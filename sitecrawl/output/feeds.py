"""Feeds of complete lines, which are marked delivered only once they are safely written."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter
from scrapy.extensions.feedexport import (
    FeedExporter,
    FeedSlot,
    FeedStorageProtocol,
    FileFeedStorage,
    StdoutFeedStorage,
)
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from sitecrawl.config.config_errors import without_passwords
from sitecrawl.events import Event
from sitecrawl.items import Record

OUTPUT_FAILED = "output_failed"
"""Reason for which a crawl ends whose output cannot be written."""
TAIL_BYTES = 65536
NO_FSYNC = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}  # on file systems without fsync
UNSTORED = "feedexport/failed_count/"
OVERWRITTEN = (
    "%s was overwritten and holds only the %d lines of this run; all documents: "
    "scrapy export -O FILE"
)
REPLACED = "it was deleted, replaced or truncated while it was written"
MISTAKES = (AttributeError, ImportError, KeyError, NameError, NotConfigured, TypeError, ValueError)
"""Exceptions that Scrapy's feeds raise for unusable FEEDS."""

logger = logging.getLogger(__name__)


class WithoutPasswords(logging.Filter):
    """Logging filter that removes passwords from URLs, such as that of a feed on an FTP server.

    A traceback is replaced with the error's message.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record."""
        line = record.getMessage()
        if record.exc_info and (error := record.exc_info[1]):
            record.exc_info, line = None, f"{line}: {error!s}"
        record.msg, record.args = without_passwords(line), ()
        return True


PASSWORD_FILTER = WithoutPasswords()


@dataclass(eq=False, slots=True)
class FileSet:
    """Files that receive the same lines, one for each feed, and the lines not yet known to be safe.

    ``number`` identifies their delivery in the crawl database, 0 before the first.
    """

    slots: tuple[FeedSlot, ...]
    lines: list[int] = field(default_factory=list)
    number: int = 0


class Feeds(FeedExporter):
    """Scrapy's feeds; the first that fails ends the crawl.

    If a feed cannot be opened, nothing is requested: Scrapy would crawl without it.
    ``line_written`` is sent when every feed has an item. ``failure`` is the error's text.
    ``repeats_lines``: those of an interrupted crawl are written again.
    """

    def __init__(self, crawler: Crawler) -> None:
        logging.getLogger(FeedExporter.__module__).addFilter(PASSWORD_FILTER)
        self.line_written: Event[()] = Event()
        self._all_lines_sent = asyncio.Event()
        self._all_lines_sent.set()
        self.failure = ""
        self.repeats_lines = False
        self._sets: list[FileSet] = []
        self._closed: dict[FeedSlot, bool] = {}
        self._unstored = False
        self._end: asyncio.Task[None] | None = None
        try:
            super().__init__(crawler)
        except MISTAKES as error:
            if not crawler.settings["FEEDS"]:
                raise
            self.failure = str(error) or "the line above says why"

    def open_spider(self, spider: Spider) -> None:
        """Open the storage of each feed; raises CloseSpider if one has none."""
        try:
            if not self.failure:
                super().open_spider(spider)
        except (*MISTAKES, OSError) as error:
            self.failure = f"no output can be opened for {' '.join(self.feeds)}: {error!r}"
        if self.failure:
            logger.error(
                "The output (-O, -o, FEEDS) cannot be written, nothing is requested: %s.",
                without_passwords(self.failure),
            )
            raise CloseSpider(OUTPUT_FAILED)

    def expect_lines(self) -> None:
        """Keep the feeds open until ``end_lines``: the last lines follow the end of the crawl."""
        self._all_lines_sent.clear()

    def end_lines(self) -> None:
        """Allow the feeds to be closed: no more lines will come."""
        self._all_lines_sent.set()

    @property
    def stored(self) -> bool:
        """True if no feed has failed so far, and every line is safe."""
        return not (self.failure or self._unstored or any(each.lines for each in self._sets))

    @property
    def names(self) -> set[str]:
        """Names of the feeds in the crawl database."""
        return {_feed_name(slot) for slot in self.slots}

    def names_of(self, files: FileSet) -> list[str]:
        """Return the feeds of files whose lines may be needed again: those that store them."""
        kept = (each for each in files.slots if not isinstance(each.storage, StdoutFeedStorage))
        return sorted(map(_feed_name, kept))

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item, unless the output has failed: the last line may be incomplete."""
        if self.failure:
            return
        slots = tuple(self.slots)
        try:
            super().item_scraped(item, spider)
        except (*MISTAKES, OSError) as error:
            self._fail(error)
            return
        if isinstance(item, Record):
            if not self._sets or self._sets[-1].slots != slots:
                self._sets.append(FileSet(slots))
            self._sets[-1].lines.append(item.seq)
            self.line_written.send()

    async def take_safe_lines(self) -> list[tuple[FileSet, list[int]]]:
        """Take the lines that now survive a crash of the machine, with the files that hold them.

        Lines that arrive during the fsync are taken next time.
        """
        safe = []
        for files in self._sets:
            lines, files.lines = files.lines, []
            if lines and await self._write_out(files.slots):
                safe.append((files, lines))
            else:
                files.lines[:0] = lines
        self._sets = [files for files in self._sets if files.lines or files is self._sets[-1]]
        return safe

    async def close_spider(self, spider: Spider) -> None:
        """Store the feeds once the last lines have arrived."""
        await self._all_lines_sent.wait()
        await super().close_spider(spider)

    def files(self) -> Iterator[tuple[str, int]]:
        """Yield the feeds that got lines, each with its path or URL and the number of lines."""
        for slot in self.slots:
            if slot.itemcount:
                storage, place = slot.storage, without_passwords(slot.uri)
                if isinstance(storage, LocalFeedStorage):
                    place = storage.path
                yield place, slot.itemcount

    def overwritten(self) -> Iterator[tuple[str, int]]:
        """Yield the files that had other lines before, each with the number of its lines."""
        for slot in self.slots:
            storage = slot.storage
            if isinstance(storage, LocalFeedStorage) and storage.overwritten:
                yield storage.path, slot.itemcount

    async def _write_out(self, slots: Iterable[FeedSlot]) -> bool:
        """Sync the files to disk; return False if their lines may not survive."""
        return all([await self._write_out_one(slot) for slot in slots])

    async def _write_out_one(self, slot: FeedSlot) -> bool:
        if slot in self._closed:
            return self._closed[slot]
        storage = slot.storage
        if self.failure or slot not in self.slots:
            return False
        try:
            if isinstance(storage, StdoutFeedStorage):
                _flush(slot.file)
                return True
            if not isinstance(storage, LocalFeedStorage) or storage.cut is None:
                return False
            is_safe = slot.file is None or await storage.write_out(slot.file)
        except OSError as error:
            self._fail(error)
            return False
        if not is_safe and slot in self.slots:
            self._fail(FileNotFoundError(f"{storage.place}: {REPLACED}"))
        return is_safe

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a file; its lines are safe unless a storage of its kind failed meanwhile."""
        took, failed = slot.itemcount, self._count_failed()
        await super()._close_slot(slot, spider)
        self._closed[slot] = not took or self._count_failed() == failed
        self._unstored = self._unstored or not self._closed[slot]

    def _count_failed(self) -> int:
        stats = self.crawler.stats.get_stats()
        return sum(count for name, count in stats.items() if name.startswith(UNSTORED))

    def _start_new_batch(
        self,
        batch_id: int,
        uri: str,
        feed_options: dict[str, Any],
        spider: Spider,
        uri_template: str,
    ) -> FeedSlot:
        if "postprocessing" in feed_options:  # gzip would store the name of the partial file
            name = Path(uri).name.removesuffix(".gz")
            feed_options = {"gzip_filename": name, **feed_options}
        return super()._start_new_batch(batch_id, uri, feed_options, spider, uri_template)

    def _get_storage(self, uri: str, feed_options: dict[str, Any]) -> FeedStorageProtocol:
        storage = super()._get_storage(uri, feed_options)
        if isinstance(storage, LocalFeedStorage):
            storage.cut = cut_of(self.exporters.get(feed_options["format"]), feed_options)
        return storage

    def _fail(self, error: Exception) -> None:
        self.failure = str(error)
        logger.error(
            "The output cannot be written and the crawl ends: %s. The next run writes what is "
            "missing.",
            error,
        )
        close = self.crawler.engine.close_spider_async(reason=OUTPUT_FAILED)
        self._end = asyncio.create_task(close)


class LocalFeedStorage(FileFeedStorage):
    """A local feed file, written by one crawl at a time.

    A file of lines is written in place, and ``cut`` removes a partial last line after a crash.
    Without ``cut`` a file is valid only as a whole: it is written beside its place, as FILE.part,
    after what it already has if that stays, and renamed when it is complete.
    """

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self.cut: Callable[[str], int] | None = cut_partial_line
        self.overwritten = False
        self._written = 0

    @property
    def place(self) -> Path:
        """Path of the file, with links resolved."""
        return Path(self.path).resolve()

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file at the end of a whole line; raises OSError while another writes it."""
        overwrite, self.write_mode = self.write_mode == "wb", "ab"
        special = self.place.exists() and not self.place.is_file()
        cut = self.cut
        if cut is None and not special:
            self._overwrite = overwrite
            return self._open_part()
        file = super().open(spider)
        if cut is None or special or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        claim(file, self.path)
        if overwrite:
            self.overwritten = bool(file.tell())
            file.truncate(0)
            file.seek(0)
        else:
            cut(self.path)
            file.seek(0, os.SEEK_END)
        return file

    def _open_part(self) -> IO[bytes]:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        file = _partial_path(self.place).open("ab")
        claim(file, self.path)
        file.truncate(0)
        file.seek(0)
        if not self._overwrite and self.place.exists():
            with self.place.open("rb") as before:
                shutil.copyfileobj(before, file)
        return file

    async def write_out(self, file: IO[bytes]) -> bool:
        """Sync the file to disk; return False if its path no longer leads to it."""
        file.flush()
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return True
        descriptor = os.dup(file.fileno())  # the file may be closed meanwhile
        try:
            return await asyncio.to_thread(self._sync, descriptor, file.tell())
        finally:
            os.close(descriptor)

    def _sync(self, descriptor: int, size: int) -> bool:
        """Sync the file, and compare its size with that of the last time: it only grows."""
        if size < self._written or not sync(descriptor, self.place, size):
            return False
        self._written = size
        return True

    def store(self, file: IO[bytes]) -> Deferred[None]:
        """Sync the file to disk and close it, in a thread."""
        return deferred_from_coro(run_in_thread(self._store, file))

    def _store(self, file: IO[bytes]) -> None:
        with file:
            file.flush()
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return
            if self.cut is None:
                self._put_in_place(file)
            if not self._sync(file.fileno(), file.tell()):
                raise FileNotFoundError(f"{self.path}: {REPLACED}")

    def _put_in_place(self, file: IO[bytes]) -> None:
        part = _partial_path(self.place)
        if not sync(file.fileno(), part, file.tell()):
            raise FileNotFoundError(f"{part}: {REPLACED}")
        if self.place.exists():
            self.overwritten = self._overwrite and self.place.stat().st_size > 0
            shutil.copymode(self.place, part)
        part.replace(self.place)


class OpenStdoutFeedStorage(StdoutFeedStorage):
    """Standard output, unless it is closed."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        output: IO[str] | None = sys.stdout
        if output is None:
            raise NotConfigured("standard output is closed")
        super().__init__(uri, feed_options=feed_options)


def claim(file: IO[Any], path: str) -> None:
    """Lock a file for as long as it is open, unless locks do not work.

    If a crawl or a command has locked it, close the file and raise OSError.
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


def cut_partial_record(path: str) -> int:
    """Cut what follows the last whole record of a CSV file; returns the number of bytes cut.

    A line end within quotes ends no record (RFC 4180, 2.6).
    """
    end = position = 0
    quoted = False
    with Path(path).open("r+b") as file:
        while chunk := file.read(TAIL_BYTES):
            start = 0
            for piece in chunk.split(b'"'):
                if not quoted and (line_end := piece.rfind(b"\n")) >= 0:
                    end = position + start + line_end + 1
                start += len(piece) + 1
                quoted = not quoted
            quoted = not quoted  # the last part of a chunk continues in the next one
            position += len(chunk)
        file.truncate(end)
    return position - end


def cut_of(exporter: type[Any] | None, options: dict[str, Any]) -> Callable[[str], int] | None:
    """Return the function that cuts a feed's file to whole lines; None without such lines."""
    encoding = options.get("encoding") or "utf-8"
    if exporter is None or "postprocessing" in options or "\n".encode(encoding) != b"\n":
        return None
    if issubclass(exporter, CsvItemExporter):
        return cut_partial_record
    return cut_partial_line if issubclass(exporter, JsonLinesItemExporter) else None


def sync(descriptor: int, place: Path, size: int) -> bool:
    """Sync an open file and its directory entry to disk; return False if another or a shorter file
    is at its place."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_FSYNC:
            raise
    with suppress(OSError):  # a folder that cannot be read
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    ours = os.fstat(descriptor)
    try:
        found = place.stat()
    except FileNotFoundError:
        return False
    same = (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)
    return same and found.st_size >= size


def _flush(file: IO[bytes] | None) -> None:
    if file is not None:
        file.flush()


def _partial_path(place: Path) -> Path:
    return Path(f"{place}.part")


def _feed_name(slot: FeedSlot) -> str:
    """Return a feed's name in the database: its path with placeholders, or its URL."""
    if not isinstance(slot.storage, LocalFeedStorage):
        return without_passwords(slot.uri_template)
    return str(LocalFeedStorage(slot.uri_template).place)
