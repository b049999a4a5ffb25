"""The test site, crawled four times with the default rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from site_runs import Run, Visited

from fixtures.crawls import CrawlCommand
from fixtures.server import Server
from fixtures.site import serve


@pytest.fixture(scope="session")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    """The first crawl, one to which everything is due, and two more of the day after."""
    command = CrawlCommand(tmp_path_factory.mktemp("site"))
    runs = []
    with Server() as server:
        origins = serve(server)
        for age in ("48h", "0", "48h", "48h"):
            crawl = command(*origins.starts, recrawl=age)
            runs.append(Run(crawl, list(server.log.exchanges), origins))
            server.log.clear()
        yield Visited(runs, command)


@pytest.fixture(scope="session")
def first(visited: Visited) -> Run:
    """The first crawl of the site."""
    return visited.runs[0]
