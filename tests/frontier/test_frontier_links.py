"""Stored links: written with their page, read from either end, removed with it."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workers import SITE, Crawls, Worker, candidate, ingested

from sitecrawl.frontier import database, link_table
from sitecrawl.frontier.base import DueUrl, StoredLink, VisitResult
from sitecrawl.frontier.link_table import LinkGraph, pack_ids, unpack_ids
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.pruning import Pruning
from sitecrawl.frontier.records import Records
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import DEFAULT_REALM


def link(url: str, *, followed: bool = True) -> StoredLink:
    """A link to a URL."""
    found = candidate(url)
    return found.origin, found.fingerprint, found.url if followed else ""


def read(due: DueUrl, *urls: str, new: bool = True) -> VisitResult:
    """A visit of a page that links to ``urls``, which it is the first to find if ``new``."""
    candidates = [candidate(url, depth=1, referrer=due.url) for url in urls] if new else []
    links = [link(url) for url in urls]
    return ingested(due, f"text of {due.url}", time.time(), links=links, candidates=candidates)


def graph(worker: Worker) -> dict[str, list[str]]:
    """The stored links, as paths."""
    stored = LinkGraph(worker.database)
    found: dict[str, list[str]] = {}
    for page, targets in stored.pages(DEFAULT_REALM):
        url, *linked = (each.removeprefix(SITE) for each in stored.addresses([page, *targets]))
        found[url] = linked
    return found


def inlinks(worker: Worker, path: str, limit: int = 100) -> list[str]:
    """The pages that link to a path."""
    [(row,)] = worker.database.rows("SELECT id FROM url WHERE url = ?", (SITE + path,))
    found = Records(worker.database).inlinks(row, limit)
    return [each.removeprefix(SITE) for each in found]


@given(st.sets(st.integers(1, 2**62), max_size=40))
def test_ids_are_packed_and_unpacked(ids: set[int]) -> None:
    assert list(unpack_ids(pack_ids(ids))) == sorted(ids)


@pytest.mark.behaviour("REP-01")
def test_links_are_stored_with_their_page_and_read_from_either_end(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    worker.commit(read(home, "/a", "/b", "/"))
    a, b = worker.due()
    worker.commit(read(a, "/b", "http://other.example/", new=False), read(b))
    assert graph(worker) == {"/": ["/a", "/b"], "/a": ["/b", "http://other.example/"]}
    assert inlinks(worker, "/b") == ["/", "/a"]
    assert inlinks(worker, "/b", limit=1) == ["/"]
    assert inlinks(worker, "/") == []


@pytest.mark.behaviour("REP-01")
def test_a_link_that_nobody_stored_is_a_candidate(work: Crawls) -> None:
    """Two pages find a URL; the visit of the one that found it second is written first."""
    worker = work()
    worker.seed("/", "/second")
    _, second = worker.due()
    worker.commit(read(second, "/found", new=False))
    assert graph(worker) == {"/second": ["/found"]}
    [(depth, pending)] = worker.database.rows(
        "SELECT u.depth, o.pending FROM url AS u JOIN origin AS o ON o.id = u.origin"
        " WHERE u.url = ?",
        (f"{SITE}/found",),
    )
    assert (depth, pending) == (1, 2)


@pytest.mark.behaviour("REP-01")
def test_a_link_that_is_not_followed_is_stored_if_its_target_is_known(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/known")
    home, _ = worker.due()
    links = [link("/known", followed=False), link("/unknown", followed=False)]
    worker.commit(ingested(home, "text", time.time(), links=links))
    assert graph(worker) == {"/": ["/known"]}
    assert worker.database.rows("SELECT count(*) FROM url") == [(2,)]


@pytest.mark.behaviour("REP-01")
@pytest.mark.parametrize(
    ("outcome", "kept"),
    [
        (Outcome.FILE_DID_NOT_CHANGE, True),
        (Outcome.CONNECTION_FAILED, True),
        (Outcome.SERVER_INTERNAL_ERROR, True),
        (Outcome.CANCELLED, True),
        (Outcome.FILE_NOT_FOUND, False),
        (Outcome.FILE_GONE, False),
        (Outcome.REDIRECT, False),
        (Outcome.NOINDEX, False),
    ],
)
def test_links_end_with_their_page(work: Crawls, outcome: Outcome, kept: bool) -> None:
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    worker.commit(read(home, "/a"))
    worker.end()
    again = work(force=True)
    [home] = [due for due in again.due() if due.url == f"{SITE}/"]
    again.commit(VisitResult(home, time.time(), 0.1, outcome))
    assert graph(again) == ({"/": ["/a"]} if kept else {})


@pytest.mark.behaviour("REP-01")
def test_links_are_replaced_when_a_page_is_read_anew(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    worker.commit(read(home, "/a", "/b"))
    worker.end()
    again = work(force=True)
    [home] = [due for due in again.due() if due.url == f"{SITE}/"]
    again.commit(read(home, "/b", "/c"))
    assert graph(again) == {"/": ["/b", "/c"]}
    again.end()
    third = work(force=True)
    [home] = [due for due in third.due() if due.url == f"{SITE}/"]
    third.commit(read(home))
    assert graph(third) == {}


def test_many_links_are_looked_up_in_parts(work: Crawls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_table, "MAX_IDS", 100)
    monkeypatch.setattr(database, "LOOK_UPS", (4, 16))
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    paths = [f"/{first}{second}" for first, second in product("abcdefghij", repeat=2)]
    worker.commit(read(home, *paths))
    assert len(graph(worker)["/"]) == 100
    counted = LinkGraph(worker.database).inlinks_of(range(1, 102), "default", 1)
    assert {row: each.total for row, each in counted.items()} == dict.fromkeys(range(2, 102), 1)


@pytest.mark.behaviour("REP-07")
def test_addresses_outside_are_stored_once_and_pruned_when_unused(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/a")
    home, a = worker.due()
    first, second = ("http://other.example/1", "link"), ("http://other.example/2", "asset")
    worker.commit(
        ingested(home, "home", time.time(), links=[], outside=[first, second]),
        ingested(a, "a", time.time(), links=[], outside=[second]),
    )
    asked = "SELECT page, url, kind, outcome FROM references_outside ORDER BY page, url"
    assert worker.database.rows(asked) == [
        (f"{SITE}/", *first, None),
        (f"{SITE}/", *second, None),
        (f"{SITE}/a", *second, None),
    ]
    worker.end()
    again = work(force=True)
    [home] = [due for due in again.due() if due.url == f"{SITE}/"]
    again.commit(ingested(home, "home", time.time(), links=[], outside=[]))
    with closing(backend(work.url).connect()) as database:
        again.end()
        Pruning(database).forget(0.0)
        assert database.rows("SELECT url FROM outside") == [(second[0],)]


def test_there_is_an_end_to_addresses_outside(
    work: Crawls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_table, "MAX_OUTSIDE", 3)
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    outside = [(f"http://other.example/{number}", "link") for number in range(5)]
    worker.commit(ingested(home, "home", time.time(), links=[], outside=outside))
    assert worker.database.rows("SELECT count(*) FROM outside") == [(3,)]
    assert worker.database.rows("SELECT count(*) FROM references_outside") == [(3,)]
