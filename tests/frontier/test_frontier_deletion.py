"""Deletions that look like an accident wait for a person's word."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from test_frontier_changes import redirect
from workers import SITE, Crawls, candidate

from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import DueUrl, Outcome, Settlement, Visit
from sitecrawl.policy.deletion import Deletion
from sitecrawl.policy.revisit import Revisit

OPTIONS = {"revisit": Revisit(interval=0.0)}


def site(size: int) -> dict[str, str]:
    """A site of so many pages."""
    return {f"/{number:03}": f"text {number}" for number in range(size)}


def crawled(
    work: Crawls, pages: Mapping[str, object], *, seeds: bool = False, **options: Any
) -> Settlement:
    """One whole run over the site; what became of its deletions."""
    worker = work(**OPTIONS, **options)
    if seeds:
        worker.seed(*pages)
    worker.crawl(pages)
    settled = worker.settle()
    worker.end()
    return settled


def without(pages: dict[str, str], gone: int) -> dict[str, object]:
    """The site with its first pages gone."""
    return pages | dict.fromkeys(list(pages)[:gone], Outcome.FILE_GONE)


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize(
    ("size", "gone", "held"),
    [(20, 10, 0), (20, 11, 11), (150, 15, 0), (150, 16, 16), (5, 5, 0)],
    ids=["ten always", "more of a small site", "a tenth", "more than a tenth", "tiny site"],
)
def test_a_mass_deletion_is_held_back(work: Crawls, size: int, gone: int, held: int) -> None:
    pages = site(size)
    crawled(work, pages, seeds=True)
    settled = crawled(work, without(pages, gone))
    assert (settled.held, settled.documents) == (held, size)
    assert len(settled.changes) == gone - held


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("order", [1, -1], ids=["the best name first", "the best name last"])
def test_one_answer_for_every_page_deletes_no_more_than_may_be(work: Crawls, order: int) -> None:
    pages = dict(list(site(30).items())[::order])
    crawled(work, pages, seeds=True)
    settled = crawled(work, dict.fromkeys(pages, "We are back soon."))
    assert (settled.held, settled.documents, settled.changes) == (28, 29, [])
    settled = crawled(work, pages)
    assert (settled.held, settled.documents) == (0, 30)


@pytest.mark.behaviour("DU-05")
def test_a_few_pages_that_become_equal_are_one_document_at_the_end_of_the_run(
    work: Crawls,
) -> None:
    pages = site(30)
    crawled(work, pages, seeds=True)
    equal = pages | dict.fromkeys(("/003", "/004", "/005", "/006"), "same")
    settled = crawled(work, equal)
    assert [change.record["reason"] for change in settled.changes] == ["duplicate"] * 2
    assert [change.record["moved_to"] for change in settled.changes] == [f"{SITE}/003"] * 2
    worker = work(**OPTIONS)
    worker.crawl(equal)
    [kept] = worker.database.rows("SELECT id FROM url WHERE url = ?", (f"{SITE}/003",))
    also = worker.store._memory.documents.additional_urls(list(kept))
    assert also == {kept[0]: [f"{SITE}/{path}" for path in ("004", "005", "006")]}


@pytest.mark.behaviour("K-13")
def test_what_a_run_deletes_bit_by_bit_counts_together(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    worker = work(revisit=Revisit(interval=1000.0))
    kept = []
    for part in (list(pages)[:8], list(pages)[8:16]):
        worker.store.remind([candidate(path) for path in part])
        worker.crawl(dict.fromkeys(part, Outcome.FILE_GONE))
        settled = worker.settle()
        kept.append((len(settled.changes), settled.held, settled.documents))
    assert kept == [(8, 0, 20), (0, 8, 12)]
    worker.store.wake()  # the next round
    assert len(worker.settle().changes) == 8


@pytest.mark.behaviour("K-13", "DEL-11")
def test_a_page_that_returns_is_not_deleted_with_the_others(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    assert crawled(work, pages | dict.fromkeys(list(pages)[:15], Outcome.NOINDEX)).held == 15
    assert crawled(work, pages | dict.fromkeys(list(pages)[:12], Outcome.NOINDEX)).held == 12
    settled = crawled(work, pages)
    assert (settled.held, settled.changes) == (0, [])


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("outcome", [Outcome.FILE_GONE, Outcome.PERMANENT_REDIRECT])
def test_pages_whose_deletion_is_held_are_looked_at_in_the_next_run(
    work: Crawls, outcome: Outcome
) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    for _ in range(2):
        assert crawled(work, pages | dict.fromkeys(list(pages)[:15], outcome)).held == 15
    settled = crawled(work, pages)
    assert (settled.held, settled.documents, settled.changes) == (0, 20, [])


@pytest.mark.behaviour("K-13", "DEL-12")
def test_a_run_that_does_not_look_again_carries_out_no_held_deletion(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    away = pages | dict.fromkeys(list(pages)[:15], Outcome.NOINDEX)
    assert crawled(work, away).held == 15
    allowed: dict[str, Any] = {"deletion": Deletion(share=1.0)}
    new = pages | {"/new": "found by hand"}
    settled = crawled(work, new, seeds=True, activity="discover", **allowed)
    assert (settled.documents, settled.changes) == (21, [])
    assert len(crawled(work, away, **allowed).changes) == 15


@pytest.mark.behaviour("K-13")
def test_held_deletions_are_written_once_confirmed(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    crawled(work, without(pages, 15))
    worker = work(**OPTIONS)
    administration = Administration(worker.database)
    assert administration.confirm_deletions("http://other.example") == []
    changes = administration.confirm_deletions()
    assert [change.record["reason"] for change in changes] == ["gone"] * 15
    assert changes[0].record["url"] == f"{SITE}/000"
    assert administration.confirm_deletions() == []
    undelivered = worker.store.undelivered(100, 20)
    assert [change.seq for change in undelivered] == list(range(21, 36))
    assert worker.settle().documents == 5 or worker.due() == []


@pytest.mark.behaviour("K-13")
def test_a_site_that_sends_everything_to_one_page_is_held_back(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)

    def to_login(due: DueUrl, at: float) -> Visit:
        return redirect(due, at, to="/login", outcome=Outcome.PERMANENT_REDIRECT)

    settled = crawled(work, dict.fromkeys(pages, to_login) | {"/login": "log in"})
    worker = work(**OPTIONS)
    reasons = [line for line in worker.lines(20) if "redirected" in line]
    assert len(reasons) == 1  # one page may become another, nineteen may not
    assert settled.held == 19


@pytest.mark.behaviour("K-13", "DEL-12")
def test_what_was_not_asked_for_is_not_deleted(work: Crawls) -> None:
    pages = site(30)
    crawled(work, pages, seeds=True)
    worker = work(**OPTIONS)
    [due, *_] = worker.due(limit=5)
    worker.commit(worker.visit(due, Outcome.FILE_GONE, 1000.0))
    settled = worker.settle()
    assert [change.record["url"] for change in settled.changes] == [f"{SITE}/000"]
    worker.store.close("patience", {})
    assert len(work(**OPTIONS).due()) == 29


@pytest.mark.behaviour("DEL-12")
def test_only_what_failed_last_time_promises_nothing(work: Crawls) -> None:
    first = work(**OPTIONS)
    first.seed("/", "/slow")
    first.crawl({"/": "home", "/slow": Outcome.REQUEST_TIMEOUT})
    first.end()
    worker = work(**OPTIONS)
    home, slow = sorted(worker.due(), key=lambda due: due.url)
    assert (home.outcome, slow.outcome) == (Outcome.FILE_INGESTED, Outcome.REQUEST_TIMEOUT)
    assert worker.store.promises(SITE)
    worker.commit(worker.visit(home, "home", 2000.0))
    assert not worker.store.promises(SITE)


@pytest.mark.behaviour("DEL-08")
def test_a_realm_is_deleted_with_its_documents(work: Crawls) -> None:
    docs, blog = work(realm="docs"), work(realm="blog")
    docs.seed("/", "/a")
    docs.crawl({"/": "home", "/a": "a"})
    blog.store.add([])
    changes = Administration(docs.database, "docs").delete_realm()
    assert [(change.op, change.record["url"]) for change in changes] == [
        ("delete", f"{SITE}/"),
        ("delete", f"{SITE}/a"),
    ]
    assert docs.database.rows("SELECT count(*) FROM url") == [(0,)]
    docs.end()
    assert work(realm="blog").store.undelivered(10, 0) == []
    delivered = work(realm="docs").store.undelivered(10, 0)
    assert [(change.op, change.record["realm"]) for change in delivered] == [("delete", "docs")] * 2


@pytest.mark.behaviour("RC-03")
def test_not_changed_since_a_held_deletion_leaves_it_held(work: Crawls) -> None:
    pages = site(20)

    def tagged(due: DueUrl, at: float) -> Visit:
        return Visit(due, at, 0.1, Outcome.NOINDEX, 200, etag='"noindex"')

    def conditional(due: DueUrl, at: float) -> Visit:
        if due.etag == '"noindex"':
            return Visit(due, at, 0.1, Outcome.FILE_DID_NOT_CHANGE, 304)
        return tagged(due, at)

    crawled(work, pages, seeds=True)
    hidden = list(pages)[:15]
    assert crawled(work, pages | dict.fromkeys(hidden, tagged)).held == 15
    assert crawled(work, pages | dict.fromkeys(hidden, conditional)).held == 15


@pytest.mark.behaviour("DEL-11", "RC-02")
@pytest.mark.parametrize(
    "moved", [False, True], ids=["deleted at the end", "deleted with the visit"]
)
def test_a_page_without_document_is_not_asked_whether_it_changed(work: Crawls, moved: bool) -> None:
    crawled(work, {"/a": "a", "/b": "b"}, seeds=True)
    leads = partial(redirect, to="/b", outcome=Outcome.PERMANENT_REDIRECT)
    pages = {"/a": leads if moved else Outcome.BLOCKED_BY_ROBOTS_TXT, "/b": "b"}
    crawled(work, pages)
    worker = work(force=True)
    known = {due.url: due.indexed_at is not None for due in worker.due()}
    assert known == {f"{SITE}/a": False, f"{SITE}/b": True}
