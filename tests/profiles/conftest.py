"""One server and one folder for each source document, because its statements share crawls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server

NewCrawl = Callable[[str], CrawlCommand]


@pytest.fixture(scope="module")
def served() -> Iterator[Server]:
    """A server that lives as long as the tests of one document."""
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def new_crawl(tmp_path_factory: pytest.TempPathFactory) -> NewCrawl:
    """Makes a command with a folder, and so a crawl database, of its own."""
    return lambda name: CrawlCommand(tmp_path_factory.mktemp(name))
