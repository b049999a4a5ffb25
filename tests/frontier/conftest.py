"""A crawl database of each kind, and workers on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fixtures.postgres import PostgresServer
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.options import StateOptions
from sitecrawl.frontier.store import Store
from workers import Worker


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL server for all tests."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty crawl database; every test runs once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/folder/crawl.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url("test")


class Crawls:
    """Opens workers on one crawl database, and closes those that a test left open."""

    def __init__(self, database_url: str, stack: ExitStack) -> None:
        self.url = database_url
        self._stack = stack

    def __call__(self, name: str = "crawl", **options: Any) -> Worker:
        """A worker whose run has begun."""
        database = backend(self.url).connect()
        self._stack.callback(database.close)
        return Worker(Store(database, name, {}, StateOptions(**options)), database)


@pytest.fixture
def work(database_url: str) -> Iterator[Crawls]:
    """``work(force=True)`` opens a worker with those state options."""
    with ExitStack() as stack:
        yield Crawls(database_url, stack)
