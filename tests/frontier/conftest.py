"""A crawl database of each kind, and workers on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from workers import Crawls

from fixtures.databases import KINDS, Databases
from fixtures.postgres import PostgresServer


@pytest.fixture
def postgres(databases: Databases) -> PostgresServer:
    """The PostgreSQL server of all tests."""
    return databases.postgres


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    """The URL of an empty crawl database; every test runs once on each kind."""
    make = databases.unused if "work" in request.fixturenames else databases.url
    return make(request.param, tmp_path)


@pytest.fixture
def work(database_url: str) -> Iterator[Crawls]:
    """``work(force=True)`` opens a worker with those state options."""
    with ExitStack() as stack:
        yield Crawls(database_url, stack)
