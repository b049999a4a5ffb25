"""Runs the commands beside ``scrapy crawl`` in a test's own folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from saying import Crawled, Said, Say, scrapy

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Server


@pytest.fixture(scope="module")
def crawled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crawled]:
    """One crawl of the module's SITE, with its OPTIONS."""
    folder = tmp_path_factory.mktemp("crawled")
    site = dict(request.module.SITE)
    with Server() as server:
        origin = server.serve(site)
        run = CrawlCommand(folder)(f"{origin}/", **request.module.OPTIONS)
        yield Crawled(server, origin, site, run, folder)


@pytest.fixture
def known(crawled: Crawled, request: pytest.FixtureRequest, tmp_path: Path) -> Crawled:
    """That crawl as it ended, with a copy of its database in the test's own folder."""
    shutil.copytree(crawled.folder / ".sitecrawl", tmp_path / ".sitecrawl")
    crawled.site.clear()
    crawled.site.update(request.module.SITE)
    crawled.server.log.clear()
    return crawled


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """``scrapy WORDS`` in the folder in which the ``crawl`` fixture crawls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    return scrapy


@pytest.fixture
def fetching(tmp_path: Path) -> Say:
    """``scrapy WORDS`` in a process of its own, for the commands that fetch."""

    def run(*words: object) -> Said:
        output, errors = tmp_path / "output", tmp_path / "errors"
        command = Command([str(word) for word in words], tmp_path, output=output, errors=errors)
        try:
            status = command.wait(300)
        finally:
            command.kill()
        return Said(status, output.read_text(), errors.read_text())

    return run
