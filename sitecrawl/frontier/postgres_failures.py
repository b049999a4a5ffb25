"""What is wrong with a PostgreSQL server or its URL, in the words of a person who reads a log."""

from __future__ import annotations

import re

import psycopg
from psycopg import errors as failures

FOREIGN_LETTERS = (
    "holds the letters of some languages only; make one with createdb -T template0 -E UTF8"
)
NO_DATABASE = "does not exist; make it with createdb"
NO_PASSWORD = "refuses the password; give it in the URL, in PGPASSWORD or in ~/.pgpass"  # noqa: S105
FULL = "has too many connections; run fewer workers"
CAUSES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (failures.InsufficientPrivilege, "may not be changed by this user; grant it the rights"),
    (failures.DiskFull, "cannot grow, the server's disk is full; nothing is lost"),
    (failures.UntranslatableCharacter, FOREIGN_LETTERS),
    (failures.QueryCanceled, "was not given the time it needs; raise the user's statement_timeout"),
    (failures.OperationalError, "cannot be reached"),
)
# Whom a server does not let in, it gives no code, only words.
UNLET = (
    (re.compile('database ".*" does not exist'), NO_DATABASE),
    (re.compile("password authentication failed|no password supplied"), NO_PASSWORD),
    (re.compile('role ".*" does not exist'), "knows no such user; make it with createuser"),
    (re.compile("too many (clients|connections)|connection slots"), FULL),
    (re.compile(r"pg_hba\.conf"), "lets no such user in from here; see the server's pg_hba.conf"),
)
MASKS = "in a name or password write % : / @ as %25 %3A %2F %40"
_USER = re.compile("^[^@/]*@")
_QUOTED = re.compile('"[^"]*"')


def cause(error: Exception, detail: str) -> str:
    """What a failure means for whoever runs the crawl, with the remedy; else only "failed"."""
    if isinstance(error, psycopg.OperationalError):
        for pattern, text in UNLET:
            if pattern.search(detail):
                return text
    return next((text for kind, text in CAUSES if isinstance(error, kind)), "failed")


def is_split(url: str) -> bool:
    """Whether a name or password has a sign at which the URL is split elsewhere than meant."""
    rest = _USER.sub("", url.partition("://")[2], count=1)
    return "@" in rest.partition("?")[0]


def unreadable(url: str, error: Exception) -> str:
    """Why a URL is none, without the part that may be of a password."""
    detail = " ".join(str(error).split())
    return f"{_QUOTED.sub('…', detail)}; {MASKS}" if "@" in url else detail
