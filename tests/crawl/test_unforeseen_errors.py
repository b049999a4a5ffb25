"""Errors in learning that nobody foresaw: the crawl ends with one, and loses nothing."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.faults import ERROR, ERRORS, FAILING
from fixtures.server import Page, Server, page


@pytest.mark.behaviour("Q-52")
@pytest.mark.parametrize("place", FAILING)
def test_a_crawl_ends_and_the_next_one_goes_on(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    paths = [f"/{number}" for number in range(5)]
    site: dict[str, Page] = {path: page(title=f"Page {path}") for path in paths}
    origin = server.serve({"/": page(*paths, title="Start"), **site})
    monkeypatch.setenv(ERROR, place)
    failed = crawl(f"{origin}/", settings={"ADDONS": ERRORS})
    assert failed.status == 3
    assert "the crawl ends: RuntimeError: an unforeseen error" in failed.log
    monkeypatch.delenv(ERROR)
    again = crawl(f"{origin}/")
    assert again.status == 0
    written = {line["url"] for line in (*failed.lines, *again.lines)}
    assert written == {f"{origin}{path}" for path in ("/", *paths)}
