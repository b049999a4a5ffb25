"""Another configuration applied to what is stored, and the reports on what is stored."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from workers import SITE, Crawls, Worker, digest, ingested

from sitecrawl.frontier.records import Records
from sitecrawl.frontier.stored_reindex import Reindex, Rewrite
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

MIRROR = "http://the-mirror.example"


def stored(work: Crawls) -> Worker:
    """A worker that has stored three pages, two of them equal."""
    worker = work()
    worker.seed("/a", "/private", "/longer")
    worker.crawl({"/a": "same", "/private": "secret", "/longer": "same"})
    worker.settle()
    return worker


def verdict(address: str, document: dict[str, Any]) -> Rewrite | None:
    """A configuration that excludes private pages and maps another field."""
    if "private" in address:
        return Rewrite(None)
    return Rewrite({**document, "kind": "page"}, digest("new"))


@pytest.mark.behaviour("DEL-05", "A-07", "A-13")
def test_reindex_deletes_and_writes_again(work: Crawls) -> None:
    worker = stored(work)
    reindex = Reindex(worker.database, "default")
    planned = [(url, rewrite.reason) for url, rewrite in reindex.planned(verdict)]
    assert [url for url, _ in planned] == [f"{SITE}/a", f"{SITE}/private"]
    assert worker.lines(3) == []
    changes = list(reindex.apply(verdict))
    assert worker.lines(3) == ["config /a", "excluded /private"]
    assert changes[0].record["kind"] == "page"
    assert changes[0].record["additional_urls"] == [f"{SITE}/longer"]
    assert [change.seq for change in work().store.undelivered(10, 3)] == [4, 5]


def test_a_realm_of_its_own(work: Crawls) -> None:
    worker = stored(work)
    assert list(Reindex(worker.database, "other").apply(verdict)) == []


def test_a_rewritten_document_did_not_change_by_that(work: Crawls) -> None:
    worker = stored(work)
    list(Reindex(worker.database, "default").apply(verdict))
    worker.end()
    again = work(revisit=Revisit(interval=0.0))
    due = next(due for due in again.due() if due.url.endswith("/a"))
    visit = replace(ingested(due, "same", time.time()), document_hash=digest("new"))
    [written], changes = again.store.commit(SITE, [visit])
    assert changes == []
    assert written.outcome is Outcome.FILE_DID_NOT_CHANGE


@pytest.mark.behaviour("F-04", "DU-07", "DU-08")
def test_origins_with_equal_pages_are_reported(work: Crawls) -> None:
    worker = work()
    paths = ("/1", "/2", "/3")
    worker.seed(*paths, *(f"{MIRROR}{path}" for path in paths[:2]))
    worker.crawl({path: f"text {path}" for path in paths})
    worker.crawl({f"{MIRROR}{path}": f"text {path}" for path in paths}, key=MIRROR)
    assert Records(worker.database).mirrors() == [(SITE, MIRROR, 2, 1.0)]


@pytest.mark.behaviour("O-06", "R-01", "R-04")
def test_redirects_are_reported(work: Crawls) -> None:
    worker = work()
    worker.seed("/old", "/now")
    for due, outcome, status in zip(
        worker.due(), (Outcome.PERMANENT_REDIRECT, Outcome.REDIRECT), (301, 302), strict=True
    ):
        visit = worker.visit(due, outcome, time.time())
        worker.commit(replace(visit, status=status, redirect_to=f"{SITE}/new"))
    assert list(Records(worker.database).redirects()) == [
        (f"{SITE}/old", Outcome.PERMANENT_REDIRECT, 301, f"{SITE}/new"),
        (f"{SITE}/now", Outcome.REDIRECT, 302, f"{SITE}/new"),
    ]
