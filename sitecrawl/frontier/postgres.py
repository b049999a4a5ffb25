"""The crawl database on a PostgreSQL server, and readable texts for its failures."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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

from sitecrawl.frontier.base import DatabaseUrlError, FrontierError
from sitecrawl.frontier.database import UPDATE_PATH, URL_COLUMNS, Reconnection, Row, path_parameters

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
    (
        QueryCanceled,
        "was interrupted by a time limit; raise the user's statement_timeout",
    ),
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
    """Tell whether a name or password has an unescaped character that splits the URL."""
    rest = _USER.sub("", url.partition("://")[2], count=1)
    return "@" in rest.partition("?")[0]


def unreadable(url: str, error: Exception) -> str:
    """Return the reason why a URL is invalid, without text that may belong to a password."""
    detail = " ".join(str(error).split())
    return f"{_QUOTED.sub('…', detail)}; {MASKS}" if "@" in url else detail


CONNECT_SECONDS = 10
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between attempts to connect again
LOST = (AdminShutdown, CrashShutdown, CannotConnectNow, IdleInTransactionSessionTimeout)
PASSING = frozenset({UNREACHABLE, FULL})
"""Causes for which a server may refuse a connection for a while."""
TRANSACTION_ID = b"SELECT pg_current_xact_id_if_assigned()::text"
ENCODINGS = frozenset({"UTF8", "SQL_ASCII"})  # the latter stores bytes as they are
CHANNEL = "sitecrawl_outbox"
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
    """Return a statement in psycopg's parameter style."""
    return text.replace("?", "%s").encode()


class LostTransactionError(psycopg.OperationalError):
    """A transaction was lost with its connection, which has been made again."""


def one_line(error: Exception) -> str:
    """Return the text of an error on one line."""
    return " ".join(str(error).split())


def backoff() -> Iterator[float]:
    """Yield growing pauses in seconds."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)


class PostgresDatabase:
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
        self._connect()
        encoding = self._connection.info.parameter_status("server_encoding")
        if encoding not in ENCODINGS:
            self.close()
            raise FrontierError(f"{name} {FOREIGN_LETTERS}: it is encoded in {encoding}.")

    def _connect(self) -> None:
        self._listening = False
        self._connection = psycopg.connect(
            self._url, autocommit=True, connect_timeout=CONNECT_SECONDS, client_encoding="UTF8"
        )
        self._connection.prepare_threshold = 2

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block in one transaction of the server.

        If the connection is lost while it commits, wait until the server is reached again and can
        tell the result; raise the error unless the transaction was committed.
        """
        transaction = None
        try:
            with self._connection.transaction():
                yield
                [(transaction,)] = self._connection.execute(TRANSACTION_ID).fetchall()
        except psycopg.OperationalError as error:
            if transaction is None or not self.restore(error):
                raise
            if not self._has_committed(transaction):
                raise LostTransactionError(*error.args) from error

    def restore(self, error: Exception) -> bool:
        """Connect again if the connection was lost; return False if it was not."""
        if isinstance(error, LostTransactionError):
            return True
        if not (self._connection.broken or isinstance(error, LOST)):
            return False
        self._connection.close()
        pauses, deadline = backoff(), time.monotonic() + self.reconnection.seconds
        logger.warning(
            "%s was lost (%s); trying again for up to %.0f s",
            self.name,
            one_line(error),
            self.reconnection.seconds,
        )
        while True:
            pause = next(pauses)
            if time.monotonic() + pause > deadline or self.reconnection.stop.wait(pause):
                raise error
            try:
                self._connect()
            except psycopg.OperationalError as refusal:
                if cause(refusal, one_line(refusal)) not in PASSING:
                    raise
            else:
                logger.warning("%s answers again", self.name)
                return True

    def _has_committed(self, transaction: str) -> bool:
        """Tell whether a transaction of the lost connection was committed, once it has ended."""
        while True:
            [(status,)] = self._connection.execute(
                "SELECT pg_xact_status(%s::xid8)", (transaction,)
            ).fetchall()
            if status != "in progress":
                return bool(status == "committed")
            time.sleep(FIRST_PAUSE)

    def exclusive_lock(self) -> None:
        """Inside a transaction: take an advisory lock, which ends with the transaction."""
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_KEY,))

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of the result."""
        return self._connection.execute(_statement(sql), parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of the result from a server-side cursor."""
        with self._connection.transaction(), self._connection.cursor("stream") as cursor:
            yield from cursor.execute(_statement(sql), parameters)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of affected rows."""
        return self._connection.execute(_statement(sql), parameters).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement once for each parameter row; return the total number of affected rows."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_statement(sql), rows)
            return max(cursor.rowcount, 0)

    def add_urls(self, rows: Sequence[Row]) -> int:
        """Insert rows of ``URL_COLUMNS`` with unknown URLs; return the number of new URLs.

        All are of one origin. Most are known, so only the fingerprints are sent first: psycopg
        needs more time to serialise a row than the server to look it up.
        """
        found = self._connection.execute(KNOWN, [rows[0][0], [row[1] for row in rows]])
        known = {fingerprint: (depth, priority) for fingerprint, depth, priority in found}
        unknown = [row for row in rows if row[1] not in known]
        columns = list(map(list, zip(*unknown, strict=True)))
        new = self._connection.execute(ADD_URLS, columns).rowcount if columns else 0
        nearer = [row for row in rows if row[1] in known and _is_nearer(row, *known[row[1]])]
        if new < len(unknown):  # a row occurs twice, or another worker added it meanwhile
            nearer = list(rows)
        if nearer:
            self.many(UPDATE_PATH, map(path_parameters, nearer))
        return new

    def script(self, sql: str) -> None:
        """Run several statements without parameters."""
        self._connection.execute(sql.encode())

    def tables(self) -> set[str]:
        """Return the names of the tables in the current schema."""
        rows = self.rows(
            "SELECT table_name::text FROM information_schema.tables"
            " WHERE table_schema = current_schema()"
        )
        return {name for (name,) in rows}

    def size(self) -> None:
        """Return None: the tables are on a server."""

    def forbid_writes(self) -> None:
        """Refuse every later statement of this connection that would change the database."""
        self._connection.execute("SET default_transaction_read_only = on")

    def compact(self) -> str:
        """Do nothing: the server's autovacuum reclaims space."""
        return ""

    def notify(self) -> None:
        """Send a notification when the current transaction commits."""
        self._connection.execute("SELECT pg_notify(%s, '')", (CHANNEL,))

    def expect_one_scan(self) -> None:
        """Do nothing: the server has the cache."""

    def wait_for_changes(self, seconds: float) -> None:
        """Wait for a notification, or until the time has elapsed."""
        if not self._listening:
            self._connection.execute(f"LISTEN {CHANNEL}".encode())
            self._listening = True
        for _ in self._connection.notifies(timeout=seconds, stop_after=1):
            return

    def now(self) -> float:
        """Return the time of the server's clock, which all workers share."""
        [(now,)] = self.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(now)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _is_nearer(row: Row, depth: int, priority: int) -> bool:
    """Tell whether a row of ``URL_COLUMNS`` has a shorter path or a higher priority."""
    return bool(row[3] < depth or row[5] > priority)


class PostgresBackend:
    """Backend for a database on a PostgreSQL server."""

    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    transient: tuple[type[Exception], ...] = (
        DeadlockDetected,
        SerializationFailure,
    )

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
        detail = " ".join(str(error).split())
        return FrontierError(f"{self._name} {cause(error, detail)}: {detail}.")
