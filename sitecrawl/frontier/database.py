"""Database protocol of the frontier: one connection, used by one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from secrets import token_hex
from threading import Event
from typing import Any, Protocol

from sitecrawl.frontier.base import FrontierError, NoCrawlError
from sitecrawl.frontier.views import view_statements

Row = tuple[Any, ...]

LOOK_UPS = (1, 16, 64, 256)
"""Numbers of values of a look-up."""
URL_COLUMNS = "origin, fingerprint, url, depth, via, priority, referrer, referrer_url, found_at"
UPDATE_PATH = (
    "UPDATE url SET depth = ?, via = ?, priority = ?, referrer = ?, referrer_url = ?"
    " WHERE origin = ? AND fingerprint = ? AND (depth > ? OR priority < ?)"
)
FIRST_VERSION = 14
"""Oldest schema that is upgraded; databases with an earlier one are refused."""


@dataclass(slots=True)
class Reconnection:
    """Time in seconds for which a lost connection is tried again, unless ``stop`` is set before."""

    seconds: float = 0.0
    stop: Event = field(default_factory=Event)


@dataclass(frozen=True, slots=True)
class RowStatement:
    """A statement that is run for each of many rows, and whose result is not needed.

    ``types`` are PostgreSQL's names of the types of its parameters, by which a server gets all rows
    at once. ``keys`` are the parameters that identify the row which it changes; statements that
    only insert new rows have none.
    """

    sql: str
    types: tuple[str, ...]
    keys: tuple[int, ...] = ()


class Database(Protocol):
    """A connection that speaks the common SQL of the frontier, with ``?`` for parameters.

    ``name`` identifies it in messages, ``byte_order`` is the collation that compares bytes,
    ``types`` the column types that differ between backends. ``read_only`` is set if it could only
    be opened for reading.
    """

    dialect: str
    types: Mapping[str, str]
    name: str
    read_only: bool
    byte_order: str
    reconnection: Reconnection

    def transaction(self) -> AbstractContextManager[None]:
        """Run a block in one transaction, isolated from other writers of the same rows."""

    def exclusive_lock(self) -> None:
        """Inside a transaction: wait until no other transaction holds this lock, and hold it.

        Nothing to do if there is only one writer at a time.
        """
        return

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of the result."""

    def rows_in(self, sql: str, values: Sequence[Any], *before: Any) -> list[Row]:
        """Return the rows of a query for each of many ``values``, the list of its ``IN ({})``, which
        comes after the parameters ``before``.

        Few lengths of the list are used, so that its statements stay prepared.
        """
        found: list[Row] = []
        for start in range(0, len(values), LOOK_UPS[-1]):
            part = padded(values[start : start + LOOK_UPS[-1]])
            found += self.rows(sql.format(placeholders(len(part))), (*before, *part))
        return found

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of the result without loading all of them."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of affected rows."""

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement once for each parameter row; return the total number of affected rows."""

    def write(self, statement: RowStatement, rows: Iterable[Row]) -> None:
        """Run a statement for each row, before any later one of the transaction is run."""

    def write_last(self, statement: RowStatement, rows: Iterable[Row]) -> None:
        """Run a statement for each row as one of the last of the transaction.

        These are run in their order, after all others: what they lock is free again soonest. With
        one writer at a time they are run at once, and so is ``query_last``.
        """
        self.write(statement, rows)

    def query_last(
        self,
        sql: str,
        parameters: Sequence[Any],
        receive: Callable[[list[Row]], object],
        *,
        repeat: tuple[str, Sequence[Any]],  # noqa: ARG002
    ) -> None:
        """Run a query as one of the last; ``receive`` gets its rows by the transaction's end.

        ``repeat`` is the query that finds the same rows if they are lost with the connection.
        """
        receive(self.rows(sql, parameters))

    def add_urls(self, rows: Sequence[Row]) -> int:
        """Insert rows of ``URL_COLUMNS`` with unknown URLs; return the number of new URLs.

        All are of one origin. Known URLs to which a row has a shorter path, and starts, are
        updated by ``UPDATE_PATH``.
        """

    def script(self, sql: str) -> None:
        """Run several statements without parameters."""

    def tables(self) -> set[str]:
        """Return the names of the tables."""

    def restore(self, error: Exception) -> bool:  # noqa: ARG002
        """Connect again if ``error`` shows that the connection was lost; return False if it was not.

        Raises one of the backend's errors if that fails for as long as ``reconnection`` allows.
        """
        return False

    def place(self) -> str:
        """Return a text that differs for a copy of the database in another place.

        It may change without a copy, and stay when a copy overwrites the database.
        """

    def size(self) -> int | None:
        """Return the size of the file in bytes; None if the tables are on a server."""
        return None

    def compact(self) -> str:
        """Reclaim free space, outside of a transaction; return what prevents it, else "".

        A server reclaims it by itself.
        """
        return ""

    def notify(self) -> None:
        """Wake readers that wait for changes, once the current transaction has ended."""
        return

    def prepare_for_crawl(self, standstill: float) -> None:  # noqa: ARG002
        """Look rows up by an index, even where a table is small enough to be read as a whole.

        A process that is stopped in a transaction keeps others waiting for at most ``standstill``
        seconds, if the database can end it.
        """
        return

    def expect_one_scan(self) -> None:
        """Keep little in memory: what this connection reads, it reads once and in order."""
        return

    def wait_for_changes(self, seconds: float) -> None:
        """Wait until another connection has written changes, or the time has elapsed."""

    def now(self) -> float:
        """Return UTC epoch seconds by the database's clock, in a transaction those of its start."""

    def close(self) -> None:
        """Close the connection."""


class Backend(Protocol):
    """A kind of crawl database, built from its URL.

    ``errors`` are the exceptions of its connections; after one of the ``transient`` ones the
    transaction can be retried.
    """

    errors: tuple[type[Exception], ...]
    transient: tuple[type[Exception], ...]

    def connect(self, *, make: bool = True) -> Database:
        """Open a connection for the calling thread; ``make`` creates a missing database."""

    def readable(self, error: Exception) -> FrontierError:
        """Convert one of ``errors`` to an error with a readable text."""


def migrate(database: Database, name: str | None, scripts: Mapping[int, str] | None = None) -> None:
    """Upgrade the database to the newest schema; raises FrontierError if that is impossible.

    An empty one becomes the database of the crawl ``name``, or is refused if that is None.
    ``scripts`` are the statements that upgrade to each version from the previous one.
    """
    scripts = schema_scripts() if scripts is None else scripts
    newest = max(scripts)
    if _version(database, newest) < newest:  # else without the write lock, which a crawl may hold
        with database.transaction():
            database.exclusive_lock()
            _upgrade(database, name, scripts)


def _upgrade(database: Database, name: str | None, scripts: Mapping[int, str]) -> None:
    newest = max(scripts)
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
        for statement in view_statements(database.dialect):
            database.script(statement)
        identity = (name, token_hex(16))
        database.execute("INSERT INTO crawl (name, uid, version) VALUES (?, ?, 0)", identity)
    if version < newest:
        database.execute("UPDATE crawl SET version = ?", (newest,))


@cache
def schema_scripts() -> Mapping[int, str]:
    """Return the statements of each ``schema_NUMBER.sql``, by the version they upgrade to."""
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


def path_parameters(row: Row) -> Row:
    """Return the parameters of ``UPDATE_PATH`` for a row of ``URL_COLUMNS``."""
    origin, fingerprint, _, depth, via, priority, referrer, referrer_url, _ = row
    way = (depth, via, priority, referrer, referrer_url)
    return (*way, origin, fingerprint, depth, priority)


def placeholders(count: int) -> str:
    """Return ``count`` question marks, for an IN list."""
    return ", ".join("?" * count)


def padded(values: Sequence[Any]) -> Sequence[Any]:
    """Repeat the last value up to one of a few sizes, so that few statements stay prepared."""
    count = next((size for size in LOOK_UPS if size >= len(values)), len(values))
    return [*values, *[values[-1]] * (count - len(values))]


def storable(text: str | None) -> str | None:
    """Replace the characters that not every database accepts: NUL and lone surrogates."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "\ufffd")
