"""The test site, crawled with the default rules as often as the tests ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from site_runs import Run, Visited

from fixtures.server import Server


@pytest.fixture(scope="session")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    """The site and its crawls."""
    with Server() as server:
        yield Visited(server, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def first(visited: Visited) -> Run:
    """The first crawl of the site."""
    return visited.run(1)
