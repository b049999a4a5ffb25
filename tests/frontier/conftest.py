"""A crawl database of each kind, and workers on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from workers import Crawls

from fixtures.postgres import PostgresServer


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


@pytest.fixture
def work(database_url: str) -> Iterator[Crawls]:
    """``work(force=True)`` opens a worker with those state options."""
    with ExitStack() as stack:
        yield Crawls(database_url, stack)
