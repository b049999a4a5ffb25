"""Crawl databases with many known URLs: filled once for each size, copied for each crawl."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psycopg

from benchmarks.known_urls import fill
from fixtures.postgres import PostgresServer
from sitecrawl.config.configuration import Configuration
from sitecrawl.frontier.base import Candidate
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.store import Store


class Databases(Protocol):
    """One kind of database; ``copy`` gives a new one of a size that was filled."""

    name: str

    def url(self, size: int) -> str:
        """The URL of the database to fill, new and empty."""

    def copy(self, size: int) -> str:
        """The URL of a copy; an earlier copy is dropped."""

    def server_cpu(self) -> float | None:
        """CPU seconds of the database's own processes so far; None where it has none."""


def filled(
    url: str, size: int, candidate: Callable[[int], Candidate], configuration: Configuration
) -> None:
    """Fill a database as crawls of this configuration would have left it."""
    state = configuration.params.state_options()
    database = backend(url).connect()
    store = Store(database, configuration.params.database_name, configuration.stored(), state)
    fill(store, database, candidate, 0, size, reading=state.reading)
    store.close("finished", {})


class SqliteDatabases:
    """Files in a folder."""

    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def url(self, size: int) -> str:
        """A file."""
        return f"sqlite:///{self._file(size)}"

    def copy(self, size: int) -> str:
        """A copy of the file, without what a crawl left beside the last one."""
        for old in self._folder.glob("copy.db*"):
            old.unlink()
        shutil.copy(self._file(size), self._folder / "copy.db")
        return f"sqlite:///{self._folder / 'copy.db'}"

    def server_cpu(self) -> None:
        """SQLite runs in the crawl's process."""

    def _file(self, size: int) -> Path:
        return self._folder / f"known-{size}.db"


class PostgresDatabases:
    """Databases of one server."""

    name = "PostgreSQL"

    def __init__(self, server: PostgresServer) -> None:
        self._address = server.url("public")
        with psycopg.connect(self._address) as connection:
            self._server = _parent(connection.info.backend_pid)

    def url(self, size: int) -> str:
        """A database made anew."""
        return self._made(f"known_{size}", "template0")

    def copy(self, size: int) -> str:
        """A copy made from the filled one."""
        return self._made("copy", f"known_{size}")

    def server_cpu(self) -> float:
        """The server's processes, those of connections that have ended included."""
        children = [path for path in Path("/proc").glob("[0-9]*") if _parent(path) == self._server]
        own = _times(Path("/proc") / str(self._server))
        return sum(own) + sum(sum(_times(path)[:2]) for path in children)

    def _made(self, name: str, template: str) -> str:
        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self._address.replace("/postgres?", f"/{name}?", 1)


def _fields(process: Path) -> list[str]:
    try:
        return (process / "stat").read_text().rpartition(") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return ["Z", "0", *["0"] * 20]


def _parent(process: int | Path) -> int:
    """The parent of a process (proc(5), /proc/pid/stat)."""
    return int(_fields(Path("/proc") / str(process))[1])


def _times(process: Path) -> list[float]:
    """CPU seconds of a process: user, system, and those of its children that ended."""
    tick = os.sysconf("SC_CLK_TCK")
    return [int(field) / tick for field in _fields(process)[11:15]]
