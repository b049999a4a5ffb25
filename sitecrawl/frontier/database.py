"""Database protocol of the frontier: one connection, used by one thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.resources import files
from secrets import token_hex
from typing import Any, Protocol

from sitecrawl.frontier.base import FrontierError, NoCrawlError

Row = tuple[Any, ...]

URL_COLUMNS = "origin, fingerprint, url, depth, via, priority, referrer, referrer_url, found_at"
NEARER = (
    "UPDATE url SET depth = ?, via = ?, priority = ?, referrer = ?, referrer_url = ?"
    " WHERE origin = ? AND fingerprint = ? AND (depth > ? OR priority < ?)"
)


class Database(Protocol):
    """A connection that speaks the common SQL of the frontier, with ``?`` for parameters.

    ``name`` is what a person calls it, ``byte_order`` the collation that compares bytes,
    ``types`` the column types of the schema that differ. ``read_only`` is set where it could be
    opened for reading alone.
    """

    dialect: str
    types: Mapping[str, str]
    name: str
    read_only: bool
    byte_order: str

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, apart from every other writer of the same rows."""

    def exclusive_lock(self) -> None:
        """Inside a transaction: go on when no other one that asked for this is at work."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Every row of the answer."""

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of the answer one by one, however many there are."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows it touched."""

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement for each row; how many rows were touched in all."""

    def add_urls(self, rows: Sequence[Row]) -> int:
        """Insert rows of ``URL_COLUMNS`` whose URLs are not known yet; how many were new.

        All are of one origin. What is known and has a shorter way now, or is a start, gets it
        by ``NEARER``.
        """

    def script(self, sql: str) -> None:
        """Run several statements without parameters."""

    def tables(self) -> set[str]:
        """The names of the tables that are there."""

    def size(self) -> int | None:
        """Bytes of the file; None where a server keeps the tables."""

    def compact(self) -> str:
        """Give free space back, outside of a transaction; what prevents that, or nothing."""

    def notify(self) -> None:
        """Wake who waits for changes, once the transaction at hand has ended."""

    def wait_for_changes(self, seconds: float) -> None:
        """Wait until another connection has written changes, at most so long."""

    def now(self) -> float:
        """UTC epoch seconds by the database's clock."""

    def close(self) -> None:
        """Give the connection back."""


class Backend(Protocol):
    """A place where a crawl database is, by its URL.

    ``errors`` are what a connection raises; after the ``transient`` ones of them the
    transaction is worth another try.
    """

    errors: tuple[type[Exception], ...]
    transient: tuple[type[Exception], ...]

    def connect(self, *, make: bool = True) -> Database:
        """Open a connection for the thread that calls; ``make`` the database if missing."""

    def readable(self, error: Exception) -> FrontierError:
        """One of ``errors`` in the words of a person who reads a log."""


FIRST_VERSION = 11
"""The oldest schema that is upgraded; databases with an earlier one are refused."""


def migrate(database: Database, name: str | None, scripts: Mapping[int, str] | None = None) -> None:
    """Bring the database to the newest schema; raises FrontierError for one that cannot be.

    An empty one becomes the database of the crawl ``name``, or is refused where that is None.
    ``scripts`` are the statements that lead to each version from the one before.
    """
    scripts = schema_scripts() if scripts is None else scripts
    newest = max(scripts)
    with database.transaction():
        database.exclusive_lock()
        version = _version(database, newest)
        if version == 0 and name is None:
            raise NoCrawlError(f"{database.name} holds no crawl.")
        if version < newest and database.read_only:
            raise FrontierError(
                f"{database.name} was written by an older sitecrawl and cannot be changed here; run "
                "the command once on a copy that can be written."
            )
        for number in sorted(scripts):
            if number > version:
                database.script(scripts[number].format_map(database.types))
        if version == 0:
            identity = (name, token_hex(16))
            database.execute("INSERT INTO crawl (name, uid, version) VALUES (?, ?, 0)", identity)
        if version < newest:
            database.execute("UPDATE crawl SET version = ?", (newest,))


def schema_scripts() -> dict[int, str]:
    """The statements of each ``schema_NUMBER.sql``, by the version to which they lead."""
    return {
        int(path.name.removesuffix(".sql").rpartition("_")[2]): path.read_text(encoding="utf-8")
        for path in files("sitecrawl.frontier").iterdir()
        if path.name.startswith("schema_") and path.name.endswith(".sql")
    }


def _version(database: Database, newest: int) -> int:
    tables = database.tables()
    if not tables:
        return 0
    if "crawl" not in tables or "outbox" not in tables:
        raise FrontierError(f"{database.name} holds tables of another program and no crawl.")
    [(version,)] = database.rows("SELECT version FROM crawl")
    if version < FIRST_VERSION:
        raise FrontierError(
            f"{database.name} was written by an older sitecrawl (schema {version}, this one "
            f"begins with {FIRST_VERSION}); give a new database, or install that one."
        )
    if version > newest:
        raise FrontierError(
            f"{database.name} was written by a newer sitecrawl "
            f"(schema {version}, this one knows {newest}); install that one, or another database."
        )
    return int(version)


def way_of(row: Row) -> Row:
    """The parameters of ``NEARER`` for a row of ``URL_COLUMNS``."""
    origin, fingerprint, _, depth, via, priority, referrer, referrer_url, _ = row
    way = (depth, via, priority, referrer, referrer_url)
    return (*way, origin, fingerprint, depth, priority)


def placeholders(count: int) -> str:
    """As many question marks, for an IN list."""
    return ", ".join("?" * count)


def storable(text: str | None) -> str | None:
    """A text from the web as every database takes it: no NUL, no half of a surrogate pair."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "\ufffd")
