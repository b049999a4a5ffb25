"""The crawl database on a PostgreSQL server, and readable texts for its failures."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import (
    AdminShutdown,
    CannotConnectNow,
    CrashShutdown,
    DeadlockDetected,
    DiskFull,
    IdleInTransactionSessionTimeout,
    InsufficientPrivilege,
    OperationalError,
    QueryCanceled,
    SerializationFailure,
    UntranslatableCharacter,
)
from psycopg.pq import TransactionStatus

from sitecrawl.frontier.base import DatabaseUrlError, FrontierError
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

FOREIGN_LETTERS = (
    "holds the letters of some languages only; make one with createdb -T template0 -E UTF8"
)
NO_DATABASE = "does not exist; make it with createdb"
NO_PASSWORD = "refuses the password; give it in the URL, in PGPASSWORD or in ~/.pgpass"  # noqa: S105
UNREACHABLE = "cannot be reached"
FULL = "has too many connections; run fewer workers"
CAUSES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (InsufficientPrivilege, "may not be changed by this user; grant it the rights"),
    (DiskFull, "cannot grow, the server's disk is full; nothing is lost"),
    (UntranslatableCharacter, FOREIGN_LETTERS),
    (QueryCanceled, "was interrupted by a time limit; raise the user's statement_timeout"),
    (OperationalError, UNREACHABLE),
)
# A server gives no error code for a refused connection, only a text.
UNLET = (
    (re.compile('database ".*" does not exist'), NO_DATABASE),
    (re.compile("password authentication failed|no password supplied"), NO_PASSWORD),
    (re.compile('role ".*" does not exist'), "knows no such user; make it with createuser"),
    (re.compile("too many (clients|connections)|connection slots"), FULL),
    (
        re.compile(r"pg_hba\.conf"),
        "does not admit this user from this address; see the server's pg_hba.conf",
    ),
)
MASKS = "in a name or password write % : / @ as %25 %3A %2F %40"
_USER = re.compile("^[^@/]*@")
_QUOTED = re.compile('"[^"]*"')


def cause(error: Exception, detail: str) -> str:
    """Return the cause of a failure with its remedy; "failed" if unknown."""
    if isinstance(error, psycopg.OperationalError):
        for pattern, text in UNLET:
            if pattern.search(detail):
                return text
    return next((text for kind, text in CAUSES if isinstance(error, kind)), "failed")


def is_split(url: str) -> bool:
    """Return True if a name or password has an unescaped character that splits the URL."""
    rest = _USER.sub("", url.partition("://")[2], count=1)
    return "@" in rest.partition("?")[0]


def unreadable(url: str, error: Exception) -> str:
    """Return the reason why a URL is invalid, without text that may belong to a password."""
    detail = one_line(error)
    return f"{_QUOTED.sub('…', detail)}; {MASKS}" if "@" in url else detail


def one_line(error: Exception) -> str:
    """Return the text of an error on one line."""
    return " ".join(str(error).split())


CONNECT_SECONDS = 10
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between attempts to connect again
LOST = (AdminShutdown, CrashShutdown, CannotConnectNow, IdleInTransactionSessionTimeout)
PASSING = frozenset({UNREACHABLE, FULL})
"""Causes for which a server may refuse a connection for a while."""
NOW = b"SELECT extract(epoch FROM clock_timestamp())::float8"
BEGUN = NOW + b", pg_current_xact_id()::text"
NOTIFY = b"SELECT pg_notify(%s, '')"
ENCODINGS = frozenset({"UTF8", "SQL_ASCII"})  # the latter stores bytes as they are
CHANNEL = "sitecrawl_outbox"
PLACE = (
    "SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),"
    " (SELECT timeline_id FROM pg_control_checkpoint()),"
    " (SELECT oid FROM pg_database WHERE datname = current_database()), 'crawl'::regclass::oid)"
)
LOCK_KEY = 0x517EC4A71  # a number that other programs are unlikely to lock
KNOWN = (
    b"SELECT fingerprint, depth, priority FROM url"
    b" WHERE origin = %s AND fingerprint = ANY(%s::bigint[])"
)
ADD_URLS = (  # arrays, for one round trip regardless of the number of rows
    f"INSERT INTO url ({URL_COLUMNS}) SELECT * FROM unnest(%s::bigint[], %s::bigint[],"  # noqa: S608
    " %s::text[], %s::integer[], %s::text[], %s::integer[], %s::bigint[], %s::text[],"
    " %s::float8[]) ON CONFLICT DO NOTHING"
).encode()


@lru_cache
def _statement(text: str) -> bytes:
    return text.replace("?", "%s").encode()


@lru_cache
def _bulk_statement(statement: RowStatement) -> bytes:
    """Return a statement that gets an array for each parameter, and runs for all rows at once."""
    first, *others = statement.sql.split("?")
    names = [f"p{number}" for number in range(len(others))]
    sql = first + "".join(f"v.{name}{text}" for name, text in zip(names, others, strict=True))
    arrays = ", ".join(f"%s::{each}[]" for each in statement.types)
    source = f"unnest({arrays}) AS v({', '.join(names)})"
    if sql.startswith("INSERT"):
        into, values = sql.split(" VALUES (")
        values, conflict, update = values.partition(") ON CONFLICT")
        row = values if conflict else values.removesuffix(")")
        rows = f"{into} SELECT {row} FROM {source}{conflict[1:]}{update}"  # noqa: S608
        return rows.encode()
    table, condition = sql.rsplit(" WHERE ", 1)
    keyword = "USING" if sql.startswith("DELETE") else "FROM"
    return f"{table} {keyword} {source} WHERE {condition}".encode()


def _array(kind: str, values: Sequence[Any]) -> Any:
    """Return a column of rows as an array, in the text form unless it has bytes.

    psycopg would convert each element on its own, which takes several times as long.
    """
    if kind == "bytea":
        return list(values)
    if kind == "text":
        return f"{{{','.join(map(_element, values))}}}"
    return f"{{{','.join('NULL' if value is None else str(value) for value in values)}}}"


def _element(text: str | None) -> str:
    if text is None:
        return "NULL"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(slots=True)
class _Batch:
    """Rows for which a statement is still to be run, at once; no two change the same row."""

    statement: RowStatement
    rows: list[Row] = field(default_factory=list)
    keys: set[Row] = field(default_factory=set)

    def send(self, connection: psycopg.Connection[Row]) -> None:
        """Send the statement."""
        columns = zip(self.statement.types, zip(*self.rows, strict=True), strict=True)
        arrays = [_array(kind, values) for kind, values in columns]
        connection.execute(_bulk_statement(self.statement), arrays)


@dataclass(slots=True)
class _Query:
    """A query that is still to be run, and the one that finds the same rows later."""

    sql: bytes
    parameters: Sequence[Any]
    repeat: tuple[str, Sequence[Any]] | None = None
    receive: Callable[[list[Row]], object] = list
    cursor: psycopg.Cursor[Row] | None = None

    def send(self, connection: psycopg.Connection[Row]) -> None:
        """Send the query."""
        self.cursor = connection.execute(self.sql, self.parameters)


def _add(waiting: list[_Batch | _Query], statement: RowStatement, rows: Iterable[Row]) -> None:
    """Add rows to what waits, to the last batch if that is of the same statement."""
    for row in rows:
        key = tuple(row[each] for each in statement.keys)
        batch = waiting[-1] if waiting else None
        if not isinstance(batch, _Batch) or batch.statement is not statement or key in batch.keys:
            batch = _Batch(statement)
            waiting.append(batch)
        batch.rows.append(row)
        if key:
            batch.keys.add(key)


class LostTransactionError(psycopg.OperationalError):
    """A transaction was lost with its connection, which has been made again."""


class PostgresDatabase(Database):
    """A connection to the server; row locks and fences isolate transactions."""

    dialect = "postgres"
    types: Mapping[str, str] = {
        "identity": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "key": "BIGINT PRIMARY KEY",
        "bytes": "BYTEA",
    }
    read_only = False
    byte_order = '"C"'

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.reconnection = Reconnection()
        self._url = url
        self._standstill: float | None = None
        self._connect()
        encoding = self._connection.info.parameter_status("server_encoding")
        if encoding not in ENCODINGS:
            self.close()
            raise FrontierError(f"{name} {FOREIGN_LETTERS}: it is encoded in {encoding}.")

    def _connect(self) -> None:
        self._listening = False
        self._began_at: float | None = None
        self._waiting: list[_Batch | _Query] = []
        self._last: list[_Batch | _Query] = []
        self._connection = psycopg.connect(
            self._url, autocommit=True, connect_timeout=CONNECT_SECONDS, client_encoding="UTF8"
        )
        self._connection.prepare_threshold = 2
        if self._standstill is not None:
            self.prepare_for_crawl(self._standstill)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block in one transaction of the server.

        What waits for the end is sent together with the commit: the rows that it locks, above all
        the one that numbers the changes, are locked for no round trip.

        If the connection is lost while it commits, wait until the server is reached again and can
        tell the result; raise the error unless the transaction was committed.
        """
        committing = None
        try:
            with self._connection.pipeline():
                self._connection.execute(b"BEGIN", prepare=False)
                begun = self._connection.execute(BEGUN)
            [(self._began_at, identity)] = begun.fetchall()
            yield
            committing = [each for each in self._last if isinstance(each, _Query)]
            self._commit()
        except BaseException as error:
            self._discard()
            if committing is None or not isinstance(error, psycopg.OperationalError):
                raise
            self._find_out(identity, committing, error)
        else:
            for each in committing:
                if each.cursor is not None:
                    each.receive(each.cursor.fetchall())

    def _find_out(self, transaction: str, queries: Iterable[_Query], error: Exception) -> None:
        """Connect again after a commit without an answer; raise unless it was committed."""
        if not self.restore(error):
            raise error
        if not self._has_committed(transaction):
            raise LostTransactionError(*error.args) from error
        for each in queries:
            if each.repeat is not None:
                each.receive(self.rows(*each.repeat))

    def _commit(self) -> None:
        with self._connection.pipeline():
            for each in (*self._waiting, *self._last):
                each.send(self._connection)
            self._connection.execute(b"COMMIT", prepare=False)
        self._waiting, self._last, self._began_at = [], [], None

    def _discard(self) -> None:
        self._waiting, self._last, self._began_at = [], [], None
        if not self._connection.closed:
            with suppress(psycopg.Error):  # the first error is the cause
                self._connection.rollback()

    def restore(self, error: Exception) -> bool:
        """Connect again if the connection was lost; return False if it was not."""
        if isinstance(error, LostTransactionError):
            return True
        if not (self._connection.broken or isinstance(error, LOST)):
            return False
        self._connection.close()
        seconds, pause = self.reconnection.seconds, FIRST_PAUSE
        deadline = time.monotonic() + seconds
        lost = "%s was lost (%s); trying again for up to %.0f s"
        logger.warning(lost, self.name, one_line(error), seconds)
        while True:
            if time.monotonic() + pause > deadline or self.reconnection.stop.wait(pause):
                raise error
            try:
                self._connect()
            except psycopg.OperationalError as refusal:
                if cause(refusal, one_line(refusal)) not in PASSING:
                    raise
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                logger.warning("%s answers again", self.name)
                return True

    def _has_committed(self, transaction: str) -> bool:
        """Return True if a transaction of the lost connection was committed, once it has ended."""
        while True:
            [(status,)] = self._connection.execute(
                "SELECT pg_xact_status(%s::xid8)", (transaction,)
            ).fetchall()
            if status != "in progress":
                return bool(status == "committed")
            time.sleep(FIRST_PAUSE)

    def exclusive_lock(self) -> None:
        self._run(b"SELECT pg_advisory_xact_lock(%s)", (LOCK_KEY,))
        self._began_at = None  # it may have waited

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._run(_statement(sql), parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        self._flush()
        with self._connection.transaction(), self._connection.cursor("stream") as cursor:
            yield from cursor.execute(_statement(sql), parameters)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        return self._run(_statement(sql), parameters).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        self._flush()
        with self._connection.cursor() as cursor:
            cursor.executemany(_statement(sql), rows)
            return max(cursor.rowcount, 0)

    def write(self, statement: RowStatement, rows: Iterable[Row]) -> None:
        _add(self._waiting, statement, rows)
        if self._connection.info.transaction_status is not TransactionStatus.INTRANS:
            self._flush()

    def write_last(self, statement: RowStatement, rows: Iterable[Row]) -> None:
        _add(self._last, statement, rows)

    def query_last(
        self,
        sql: str,
        parameters: Sequence[Any],
        receive: Callable[[list[Row]], object],
        *,
        repeat: tuple[str, Sequence[Any]],
    ) -> None:
        self._last.append(_Query(_statement(sql), parameters, repeat, receive))

    def _run(self, sql: bytes, parameters: Sequence[Any] = ()) -> psycopg.Cursor[Row]:
        """Run a statement after those that wait, in one round trip."""
        if not self._waiting:
            return self._connection.execute(sql, parameters)
        with self._connection.pipeline():
            self._flush()
            return self._connection.execute(sql, parameters)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.send(self._connection)

    def add_urls(self, rows: Sequence[Row]) -> int:
        """Insert rows of ``URL_COLUMNS`` with unknown URLs; return the number of new URLs.

        All are of one origin. Most are known, so only the fingerprints are sent first: psycopg
        needs more time to serialise a row than the server to look it up.
        """
        found = self._run(KNOWN, [rows[0][0], [row[1] for row in rows]]).fetchall()
        known = {fingerprint: (depth, priority) for fingerprint, depth, priority in found}
        unknown = [row for row in rows if row[1] not in known]
        columns = list(map(list, zip(*unknown, strict=True)))
        new = self._run(ADD_URLS, columns).rowcount if columns else 0
        nearer = [
            row
            for row in rows
            if (at := known.get(row[1])) is not None and (row[3] < at[0] or row[5] > at[1])
        ]
        if new < len(unknown):  # a row occurs twice, or another worker added it meanwhile
            nearer = list(rows)
        if nearer:
            self.many(UPDATE_PATH, map(path_parameters, nearer))
        return new

    def script(self, sql: str) -> None:
        self._flush()
        self._connection.execute(sql.encode())

    def tables(self) -> set[str]:
        rows = self.rows(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"
        )
        return {name for (name,) in rows}

    def place(self) -> str:
        """Return what a physical copy (system, timeline), a logical one (database) and a restored
        dump (table) do not have in common with their original."""
        [(place,)] = self.rows(PLACE)
        return str(place)

    def notify(self) -> None:
        """Send a notification when the current transaction commits."""
        self._last.append(_Query(NOTIFY, (CHANNEL,)))

    def prepare_for_crawl(self, standstill: float) -> None:
        """Avoid scans of whole tables: a plan that is made while a table is small is kept.

        The server ends a transaction that stands still, with its locks: the process may be stopped.
        """
        self._standstill = standstill
        self._connection.execute(
            b"SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan"
        )
        timeout = f"SET idle_in_transaction_session_timeout = {round(standstill * 1000)}"
        self._connection.execute(timeout.encode())

    def wait_for_changes(self, seconds: float) -> None:
        """Wait for a notification, or until the time has elapsed."""
        if not self._listening:
            self._connection.execute(f"LISTEN {CHANNEL}".encode())
            self._listening = True
        for _ in self._connection.notifies(timeout=seconds, stop_after=1):
            return

    def now(self) -> float:
        """Return the time of the server's clock, which all workers share."""
        if self._began_at is not None:
            return self._began_at
        [(now,)] = self._run(NOW).fetchall()
        return float(now)

    def close(self) -> None:
        self._connection.close()


class PostgresBackend:
    """Backend for a database on a PostgreSQL server."""

    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    transient: tuple[type[Exception], ...] = (DeadlockDetected, SerializationFailure)

    def __init__(self, url: str) -> None:
        self._url = url
        if is_split(url):
            raise DatabaseUrlError(f"The setting is not the URL of a PostgreSQL database: {MASKS}.")
        try:
            known = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise DatabaseUrlError(
                f"The setting is not the URL of a PostgreSQL database: {unreadable(url, error)}."
            ) from error
        where = f"{known.get('host', 'localhost')}:{known.get('port', 5432)}"
        self._name = f"The crawl database {known.get('dbname', '')} on {where}"

    def connect(self, *, make: bool = True) -> PostgresDatabase:  # noqa: ARG002
        """Open a connection for the calling thread; the database must exist."""
        return PostgresDatabase(self._url, self._name)

    def readable(self, error: Exception) -> FrontierError:
        """Return an error that names the database, the cause and the remedy."""
        detail = one_line(error)
        return FrontierError(f"{self._name} {cause(error, detail)}: {detail}.")
