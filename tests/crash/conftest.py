"""A crawl database of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.databases import KINDS, Databases


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    """The URL of an empty crawl database of each kind."""
    return databases.url(request.param, tmp_path)
