"""The SQL views: the facts of the tables, with words in place of numbers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.base import VisitResult
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.views import VIEWS
from sitecrawl.policy.outcomes import Outcome

MADE_BY_CRAWLS = {"receipts", "references_outside"}


@pytest.fixture
def database(work: Crawls) -> Iterator[Database]:
    """The database of a crawl of a page, a page that it links to, and a dead link."""
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    found = [candidate(path, depth=1, referrer=home.url) for path in ("/a", "/dead")]
    links = [(each.origin, each.fingerprint, each.url) for each in found]
    worker.commit(ingested(home, "home", 1_700_000_000.0, candidates=found, links=links))
    a, dead = worker.due()
    worker.commit(
        ingested(a, "a", time.time(), links=links[1:]),
        VisitResult(dead, time.time(), 0.1, Outcome.FILE_NOT_FOUND, 404, reason="not_found"),
    )
    worker.end()
    with closing(backend(work.url).connect()) as database:
        yield database


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query, with paths in place of URLs."""
    return [
        tuple(each.replace(f"{SITE}/", "/") if isinstance(each, str) else each for each in row)
        for row in database.rows(query)
    ]


@pytest.mark.behaviour("REP-02")
def test_pages_and_links_in_words(database: Database) -> None:
    assert rows(
        database, "SELECT url, state, outcome, status, referrer FROM pages ORDER BY id"
    ) == [
        ("/", "visited", "file_ingested", 200, None),
        ("/a", "visited", "file_ingested", 200, "/"),
        ("/dead", "visited", "file_not_found", 404, "/"),
    ]
    assert rows(database, "SELECT visited_at FROM pages WHERE depth = 0") == [
        ("2023-11-14T22:13:20Z",)
    ]
    assert rows(database, "SELECT page, target, outcome FROM links ORDER BY page, target") == [
        ("/", "/a", "file_ingested"),
        ("/", "/dead", "file_not_found"),
        ("/a", "/dead", "file_not_found"),
    ]


@pytest.mark.behaviour("REP-02")
def test_counts_in_words(database: Database) -> None:
    assert rows(database, "SELECT outcome, urls FROM outcomes ORDER BY outcome") == [
        ("file_ingested", 2),
        ("file_not_found", 1),
    ]
    assert rows(database, "SELECT url, state FROM documents ORDER BY seq") == [
        ("/", "current"),
        ("/a", "current"),
    ]
    assert rows(database, "SELECT finish_reason, requests, new, changed, deleted FROM runs") == [
        ("finished", 3, 2, 0, 0)
    ]
    assert rows(database, "SELECT url, outcome FROM requests ORDER BY id") == [
        ("/", "file_ingested"),
        ("/a", "file_ingested"),
        ("/dead", "file_not_found"),
    ]
    assert rows(database, "SELECT origin, urls, documents FROM origins") == [
        ("http://site.example", 3, 2)
    ]


def test_every_view_can_be_read_and_names_every_outcome(database: Database) -> None:
    for view in VIEWS:
        assert database.rows(f"SELECT * FROM {view}") or view in MADE_BY_CRAWLS
    for outcome in Outcome:
        database.execute("UPDATE url SET outcome = ?", (int(outcome),))
        assert (outcome.name.lower(),) in database.rows("SELECT outcome FROM pages")
