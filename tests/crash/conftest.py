"""A crawl database of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.postgres import PostgresServer


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty crawl database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/crawl.db"
        return
    with PostgresServer() as server:
        yield server.url("crash")
