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
from dataclasses import dataclass, field, replace
from hashlib import blake2b
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
    apply_uri_params,
)
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from sitecrawl import typed_program
from sitecrawl.config.config_errors import without_passwords
from sitecrawl.events import Event
from sitecrawl.frontier.base import FeedFile
from sitecrawl.items import Record

OUTPUT_FAILED = "output_failed"
"""Reason for which a crawl ends whose output cannot be written."""
TAIL_BYTES = 65536
NO_FSYNC = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}  # on file systems without fsync
HASHED_BYTES = 4096
UNREAD = "unread"  # in place of the hash of a file that cannot be read
UNSTORED = "feedexport/failed_count/"
OVERWRITTEN = (
    "%s was overwritten and holds only the lines of this run; all documents: %s export -O FILE"
)
CONTINUED = (
    "%s holds the lines of this run after those of an earlier run that did not end: no line is lost"
)
REPLACED = "it was deleted, replaced or truncated while it was written"
MISTAKES = (AttributeError, ImportError, KeyError, NameError, NotConfigured, TypeError, ValueError)
"""Exceptions that Scrapy's feeds raise for unusable FEEDS."""

logger = logging.getLogger(__name__)
NO_FILE = FeedFile("", "")
"""Placeholder for lines whose file cannot be inspected, or that went to no file."""


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
    """

    def __init__(self, crawler: Crawler) -> None:
        logging.getLogger(FeedExporter.__module__).addFilter(PASSWORD_FILTER)
        self.line_written: Event[()] = Event()
        self._all_lines_sent = asyncio.Event()
        self._all_lines_sent.set()
        self.failure = ""
        self._sets: list[FileSet] = []
        self._closed: dict[FeedSlot, FeedFile | None] = {}
        self._unstored = False
        self._kept: dict[str, int] = {}
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

    def holds(self, files: Iterable[FeedFile]) -> bool:
        """Return True if these files of an interrupted crawl keep their lines in this crawl."""
        slots = {_feed_name(slot): slot for slot in self.slots}
        return all(_is_kept(file, slots.get(file.feed)) for file in files)

    def keep(self, files: Iterable[FeedFile]) -> None:
        """Keep these files: append to them, or continue with the next number of a batch.

        A file to be overwritten is cut after its safe lines, as the others are delivered again.
        """
        for file in files:
            self._kept[file.path] = max(self._kept.get(file.path, 0), file.size or 0)
        self.slots = [
            self._start_new_batch(s.batch_id, s.uri, s.feed_options, s.spider, s.uri_template)
            for s in self.slots
        ]

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

    async def take_safe_lines(self) -> list[tuple[FileSet, list[int], list[FeedFile]]]:
        """Take the lines that now survive a crash of the machine, with the files that hold them.

        Lines that arrive during the fsync are taken next time.
        """
        safe = []
        for files in self._sets:
            lines, files.lines = files.lines, []
            found = await self._write_out(files.slots) if lines else None
            if found is None:
                files.lines[:0] = lines
            else:
                safe.append((files, lines, found))
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
                place = slot.storage
                local = place.path if isinstance(place, LocalFeedStorage) else path_of(slot)
                yield local, slot.itemcount

    def notes(self) -> Iterator[str]:
        """Yield the notices about the files."""
        for slot in self.slots:
            storage = slot.storage
            if isinstance(storage, LocalFeedStorage) and slot.feed_options.get("overwrite"):
                if path_of(slot) in self._kept:
                    yield CONTINUED % storage.path
                elif storage.overwritten:
                    yield OVERWRITTEN % (storage.path, typed_program())

    async def _write_out(self, slots: Iterable[FeedSlot]) -> list[FeedFile] | None:
        """Sync the files to disk; None if their lines may not survive."""
        found = []
        for slot in slots:
            file = await self._write_out_one(slot)
            if file is None:
                return None
            found += [file] if file.feed else []
        return found

    async def _write_out_one(self, slot: FeedSlot) -> FeedFile | None:
        if slot in self._closed:
            return self._closed[slot]
        storage = slot.storage
        if self.failure or slot not in self.slots:
            return None
        try:
            if isinstance(storage, StdoutFeedStorage):
                _flush(slot.file)
                return NO_FILE
            if not isinstance(storage, LocalFeedStorage) or storage.cut is None:
                return None
            if slot.file is None:
                return NO_FILE
            file = await storage.write_out(slot.file)
        except OSError as error:
            self._fail(error)
            return None
        if file is None and slot in self.slots:
            self._fail(FileNotFoundError(f"{path_of(slot)}: {REPLACED}"))
        return file and replace(file, feed=_feed_name(slot))

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a file; its lines are safe unless a storage of its kind failed meanwhile."""
        took, failed = slot.itemcount, self._count_failed()
        await super()._close_slot(slot, spider)
        if not took:
            self._closed[slot] = NO_FILE
            return
        if self._count_failed() > failed:
            self._unstored = True
            self._closed[slot] = None
            return
        batched = bool(self.feeds[slot.uri_template]["batch_item_count"])
        self._closed[slot] = _stored_file(slot, closed=batched)

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
        slot = super()._start_new_batch(batch_id, uri, feed_options, spider, uri_template)
        if path_of(slot) not in self._kept:
            return slot
        if not feed_options["batch_item_count"]:
            assert isinstance(slot.storage, LocalFeedStorage)
            slot.storage.keep(self._kept[path_of(slot)])
            return slot
        parameters = self._get_uri_params(spider, feed_options["uri_params"], slot)
        following = apply_uri_params(uri_template, parameters)
        return self._start_new_batch(batch_id + 1, following, feed_options, spider, uri_template)

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
        self.stored: FeedFile | None = None
        self._written: FeedFile | None = None
        self._end: int | None = None

    @property
    def place(self) -> Path:
        """Path of the file, with links resolved."""
        return Path(self.path).resolve()

    def keep(self, size: int) -> None:
        """Append to the file; one that would be overwritten keeps its first ``size`` bytes."""
        if self.write_mode == "wb":
            self._end = size
        self.write_mode = "ab"

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
            if self._end is not None:
                file.truncate(self._end)
            cut(self.path)
            file.seek(0, os.SEEK_END)
        self._written = look(file.fileno(), self.place, file.tell())
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

    async def write_out(self, file: IO[bytes]) -> FeedFile | None:
        """Sync the file to disk; None if its path no longer leads to it."""
        file.flush()
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return NO_FILE
        size = file.tell()
        descriptor = os.dup(file.fileno())  # the file may be closed meanwhile
        try:
            found = await asyncio.to_thread(sync, descriptor, self.place, size, self._written)
        finally:
            os.close(descriptor)
        self._written = found or self._written  # closing a file that was taken away fails, too
        return found

    def store(self, file: IO[bytes]) -> Deferred[None]:
        """Sync the file to disk and close it, in a thread."""
        return deferred_from_coro(run_in_thread(self._store, file))

    def _store(self, file: IO[bytes]) -> None:
        with file:
            file.flush()
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return
            size = file.tell()
            if self.cut is None:
                self._put_in_place(file, size)
                with self.place.open("rb") as whole:
                    self.stored = sync(whole.fileno(), self.place, size)
            else:
                self.stored = sync(file.fileno(), self.place, size, self._written)
        if self.stored is None:
            raise FileNotFoundError(f"{self.path}: {REPLACED}")

    def _put_in_place(self, file: IO[bytes], size: int) -> None:
        part = _partial_path(self.place)
        if sync(file.fileno(), part, size) is None:
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


def sync(
    descriptor: int, place: Path, size: int, before: FeedFile | None = None
) -> FeedFile | None:
    """Sync an open file and its directory entry to disk, and inspect it."""
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
    return look(descriptor, place, size, before)


def look(
    descriptor: int, place: Path, size: int, before: FeedFile | None = None
) -> FeedFile | None:
    """Inspect an open file at its path; None if another file is there, or if it lacks what was
    written ``before``.
    """
    ours = os.fstat(descriptor)
    try:
        with place.open("rb") as file:
            found = os.fstat(file.fileno())
            is_longer = found.st_size >= size and _continues(file, size, before)
            if not os.path.samestat(found, ours) or not is_longer:
                return None
            return FeedFile("", str(place), size, _tail(file, size))
    except FileNotFoundError:
        return None
    except PermissionError:  # writable, but not readable
        same = os.path.samestat(place.stat(), ours)
        return FeedFile("", str(place), size, UNREAD) if same else None


def is_intact(file: FeedFile) -> bool:
    """Return True if a file still begins with what was written to it."""
    if file.size is None:
        return False
    try:
        with Path(file.path).open("rb") as found:
            return _tail(found, file.size) == file.tail
    except OSError:
        return False


def _continues(file: IO[bytes], size: int, before: FeedFile | None) -> bool:
    """Return True if a file of ``size`` bytes still has its earlier content."""
    if before is None or before.size is None:
        return True
    return before.size <= size and before.tail in {UNREAD, _tail(file, before.size)}


def _tail(file: IO[bytes], size: int) -> str:
    """Return a hash of the end of a file's first ``size`` bytes; empty if it is shorter."""
    length = min(size, HASHED_BYTES)
    found = os.pread(file.fileno(), length, size - length)
    return blake2b(found, digest_size=16).hexdigest() if len(found) == length else ""


def _flush(file: IO[bytes] | None) -> None:
    if file is not None:
        file.flush()


def _partial_path(place: Path) -> Path:
    return Path(f"{place}.part")


def _feed_name(slot: FeedSlot) -> str:
    """Return a feed's name in the database: its path with placeholders, or its URL."""
    storage = slot.storage
    if not isinstance(storage, LocalFeedStorage):
        return without_passwords(slot.uri_template)
    template = LocalFeedStorage(slot.uri_template).path
    return str(Path(template).resolve())


def path_of(slot: FeedSlot) -> str:
    """Return the path or URL of a feed's file in the crawl database."""
    storage = slot.storage
    if isinstance(storage, LocalFeedStorage):
        return str(storage.place)
    return without_passwords(slot.uri)


def _stored_file(slot: FeedSlot, *, closed: bool) -> FeedFile:
    storage = slot.storage
    if isinstance(storage, StdoutFeedStorage):
        return NO_FILE
    if isinstance(storage, LocalFeedStorage):
        if storage.stored is None:
            return NO_FILE
        return replace(storage.stored, feed=_feed_name(slot), closed=closed)
    return FeedFile(_feed_name(slot), path_of(slot), closed=closed)


def _is_kept(file: FeedFile, slot: FeedSlot | None) -> bool:
    if slot is None or file.closed:
        return True
    storage = slot.storage
    if file.size is None or not isinstance(storage, LocalFeedStorage):
        return False
    overwritten = storage.write_mode == "wb" and storage.cut is None
    return not (overwritten and path_of(slot) == file.path) and is_intact(file)
