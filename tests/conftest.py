"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from fixtures.crawls import CrawlCommand
from fixtures.databases import Databases
from fixtures.own_spider import OwnCrawl
from fixtures.server import Server

TESTS = Path(__file__).parent
MARK = "pytest.mark.slow"
WHOLLY_SLOW = f"\npytestmark = {MARK}\n"
SLOW = {"crash", "engines", "profiles", "project", "render", "scrapyd", "site"}
"""Folders of tests that take seconds each: many crawls, browsers, kills, other servers."""

# How fast a machine makes and runs examples says nothing about the code.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any")


def pytest_configure(config: pytest.Config) -> None:
    """Begin each worker's reading at another folder: in a new clone, one compiles for the others."""
    worker = getattr(config, "workerinput", None)
    if worker and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        folders = sorted(each for each in TESTS.iterdir() if any(each.glob("test_*.py")))
        wanted = [str(each) for each in folders if not pytest_ignore_collect(each, config)]
        first = len(wanted) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args = wanted[first:] + wanted[:first]


@pytest.hookimpl(tryfirst=True)  # before a filter leaves some out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files by name in every worker, and mark the tests of the slow folders."""
    items.sort(key=lambda item: item.path)
    for item in items:
        if item.path.parent.name in SLOW:
            item.add_marker(pytest.mark.slow)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread of which all tests are left out: every worker would import them."""
    wanted = config.getoption("markexpr")
    if "not slow" in wanted:
        left = collection_path.name in SLOW or WHOLLY_SLOW in _text(collection_path)
    else:
        is_quick = collection_path.suffix == ".py" and collection_path.parent.name not in SLOW
        left = wanted.startswith("slow") and is_quick and MARK not in _text(collection_path)
    return left or None


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.suffix == ".py" else ""


@pytest.fixture
def server() -> Iterator[Server]:
    """A local HTTP server without origins yet; see ``fixtures.server``."""
    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Makes an empty crawl database of any kind; see ``fixtures.databases``."""
    with Databases() as made:
        yield made


@pytest.fixture
def crawl(tmp_path: Path) -> CrawlCommand:
    """Runs ``scrapy crawl site`` in a folder of the test's own; see ``fixtures.crawls``.

    ``crawl(origin, max_pages=5)`` runs to the end and gives exit status, output, log, stats.
    """
    return CrawlCommand(tmp_path)


@pytest.fixture
def own(tmp_path: Path) -> OwnCrawl:
    """Runs a SiteSpider with a body of the test's own; see ``fixtures.own_spider``."""
    return OwnCrawl(tmp_path)
