"""The crawl database in one SQLite file."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sitecrawl.frontier.base import FrontierError, NoCrawlError
from sitecrawl.frontier.database import (
    UPDATE_PATH,
    URL_COLUMNS,
    Database,
    Reconnection,
    Row,
    RowStatement,
    path_parameters,
)

logger = logging.getLogger(__name__)

BUSY_SECONDS = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.005
"""Seconds between attempts to get the write lock. SQLite itself would soon pause for 0.1 s, and a
worker that has just had the lock would get it again before those that wait."""
PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -32768",  # KiB
    "PRAGMA temp_store = MEMORY",
    "PRAGMA wal_autocheckpoint = 8000",  # pages; frequently written ones are copied back once
)
LOCKED = "%s is locked by another process; waiting for up to %.0f s"

ADD_URLS = (
    f"INSERT INTO url ({URL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
    " ON CONFLICT DO NOTHING"
)
SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
USED = (
    "SELECT (page_count - freelist_count) * page_size"
    " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
WORTH = 0.9  # used share above which a rewrite does not pay
NO_ROOM = "the disk has no room for the copy that has to be made"
HINDRANCES = {
    "SQLITE_FULL": NO_ROOM,
    "SQLITE_IOERR_WRITE": NO_ROOM,
    "SQLITE_BUSY": "another program uses the file",
    "SQLITE_LOCKED": "another program uses the file",
}
CAUSES = {
    "SQLITE_NOTADB": "is not a SQLite database; give another path or move the file away",
    "SQLITE_CORRUPT": "is damaged; restore a copy, or save what is left with sqlite3 .recover",
    "SQLITE_FULL": "cannot grow, the disk is full; make room and run again, nothing is lost",
    "SQLITE_BUSY": "is locked by another program; end it and run again",
    "SQLITE_READONLY": "cannot be written; check the permissions of the file and its folder",
    "SQLITE_CANTOPEN": "cannot be opened; check its path and permissions",
    "SQLITE_IOERR": "cannot be read or written, the disk failed or is full",
}


class SqliteDatabase(Database):
    """A connection to a SQLite file; several processes may hold one each."""

    dialect = "sqlite"
    types: Mapping[str, str] = {
        "identity": "INTEGER PRIMARY KEY",  # a BIGINT would not be an alias of the rowid
        "key": "INTEGER PRIMARY KEY",
        "bytes": "BLOB",
    }
    byte_order = "BINARY"

    def __init__(self, path: str, *, make: bool = True) -> None:
        self.name = f"The crawl database {path}"
        self.reconnection = Reconnection()
        self._path = Path(path)
        self._folder = self._path.parent
        self._inode: tuple[int, int] | None = None
        self.read_only = not make and not _is_writable(self._path)
        if self.read_only:
            self._connection = _connect_read_only(self._path)
            return
        if path != ":memory:":
            self._folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            self._write_ahead()
            for pragma in PRAGMAS:
                self._connection.execute(pragma)
        except sqlite3.Error:
            self._connection.close()
            raise
        if path != ":memory:":
            self._inode = _inode_of(self._path)

    def _write_ahead(self) -> None:
        """Switch to a write-ahead log; retry while the file is locked: SQLite does not wait."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Take the file's only write lock at the start, so that no statement has to wait for it."""
        self._check_file()
        if self.read_only:
            self._connection.execute("BEGIN")
        else:
            self._lock()
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _lock(self) -> None:
        """Begin a transaction with the write lock, after other processes have released it.

        One that is stopped in a transaction keeps it. So it is waited for at least as long as for a
        server that does not answer, unless the crawl is to end.
        """
        began, pause, warned = time.monotonic(), FIRST_PAUSE, False
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self._connection.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                        raise
                    longer = 0.0 if self.reconnection.stop.is_set() else self.reconnection.seconds
                    waited = time.monotonic() - began
                    if waited > max(BUSY_SECONDS, longer):
                        raise
                    if waited > BUSY_SECONDS and not warned:
                        warned = True
                        logger.warning(LOCKED, self.name, longer)
                    time.sleep(pause)
                else:
                    return
                pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")

    def _check_file(self) -> None:
        """Raise FrontierError if the file was deleted or replaced, which SQLite does not notice."""
        if self._inode is not None and _inode_of(self._path) != self._inode:
            raise FrontierError(
                f"{self.name} was deleted or replaced while it was in use; leave it where it is, "
                "and run again."
            )

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        for row in self._connection.execute(sql, parameters):  # noqa: UP028
            yield row  # yield from closes the cursor, which fails if the database was closed before

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        return self._connection.execute(sql, parameters).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        return self._connection.executemany(sql, rows).rowcount

    def write(self, statement: RowStatement, rows: Iterable[Row]) -> None:
        self._connection.executemany(statement.sql, rows)

    def add_urls(self, rows: Sequence[Row]) -> int:
        new = self.many(ADD_URLS, rows)
        if new < len(rows):
            self.many(UPDATE_PATH, map(path_parameters, rows))
        return new

    def script(self, sql: str) -> None:
        for statement in sql.split(";\n"):
            self._connection.execute(statement)

    def tables(self) -> set[str]:
        return {name for (name,) in self.rows("SELECT name FROM sqlite_schema")}

    def place(self) -> str:
        """Return the number of the file; that of its device may differ after a restart."""
        found = _inode_of(self._path)
        return f"file {found[1]}" if found else ""

    def size(self) -> int:
        [(size,)] = self.rows(SIZE)
        return int(size)

    def compact(self) -> str:
        """Rewrite the file if a tenth of it is free; return the reason if that is impossible, else "".

        The copy is made in the folder for temporary files, because it may be larger than the
        memory, and written through the write-ahead log next to the file.
        """
        [(used,)] = self.rows(USED)
        if used > WORTH * self.size():
            return "less than a tenth of it is free"
        if shutil.disk_usage(self._folder).free < used:
            return NO_ROOM
        self._connection.execute("PRAGMA temp_store = FILE")
        try:
            self._connection.execute("VACUUM")
        except sqlite3.OperationalError as error:
            for code, text in HINDRANCES.items():
                if error.sqlite_errorname.startswith(code):
                    return text
            raise
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return ""

    def expect_one_scan(self) -> None:
        """Shrink the page cache to 2 MiB."""
        self._connection.execute("PRAGMA cache_size = -2048")

    def wait_for_changes(self, seconds: float) -> None:
        """Wait until another connection commits, or the time has elapsed; poll every 0.2 s.

        Raises FrontierError if the file was deleted or replaced: it would be waited for in vain.
        """
        self._check_file()
        version = self.rows("PRAGMA data_version")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.rows("PRAGMA data_version") == version:
            time.sleep(0.2)

    def now(self) -> float:
        """Return the time of the machine's clock, which all processes on one file share."""
        return time.time()

    def close(self) -> None:
        self._connection.close()


def _inode_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_writable(path: Path) -> bool:
    if not os.access(path, os.W_OK):
        return False
    return os.access(path.parent, os.W_OK | os.X_OK) or _log_of(path).exists()


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a file read-only.

    A file without a write-ahead log is not in use, and is opened as immutable: otherwise SQLite
    would leave a log and its index next to it, owned by the reader.
    """
    log = _log_of(path)
    in_use = log.exists()
    uri = f"{path.absolute().as_uri()}?{'mode=ro' if in_use else 'immutable=1'}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError as error:
        connection.close()
        if not in_use or error.sqlite_errorname != "SQLITE_CANTOPEN":
            raise
        raise FrontierError(
            f"The crawl database {path} cannot be read: the changes in {log.name} need a folder "
            "that can be written; copy both files to one."
        ) from error
    return connection


class SqliteBackend:
    """Backend for a SQLite file."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)
    transient: tuple[type[Exception], ...] = ()

    def __init__(self, url: str) -> None:
        self._path = url.removeprefix("sqlite:///")

    def connect(self, *, make: bool = True) -> SqliteDatabase:
        """Open the file; ``make`` creates it and its folder if missing.

        Without ``make``, a file that cannot be written is opened read-only.
        """
        if not make and not Path(self._path).is_file():
            raise NoCrawlError(f"There is no crawl database {self._path}.")
        return SqliteDatabase(self._path, make=make)

    def readable(self, error: Exception) -> FrontierError:
        """Return an error that names the file, the cause and the remedy."""
        code = getattr(error, "sqlite_errorname", "")
        for prefix, text in CAUSES.items():
            if code.startswith(prefix):
                return FrontierError(f"The crawl database {self._path} {text}.")
        if isinstance(error, OSError):
            return FrontierError(
                f"The crawl database {self._path} cannot be made: {error.strerror}: "
                f"{error.filename}; give another place with -s SITECRAWL_DATABASE=sqlite:///FILE."
            )
        return FrontierError(f"The crawl database {self._path} failed: {error}.")
