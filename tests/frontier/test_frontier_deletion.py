"""Deletions that look like an accident wait for a person's word."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from test_frontier_changes import canonical, redirect
from workers import SITE, Crawls, candidate

from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import (
    DueUrl,
    HeldGroup,
    Settlement,
    VisitResult,
)
from sitecrawl.frontier.records import Records
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

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


def lost(settled: Settlement) -> int:
    """The number of losses that were held."""
    return sum(group.pages for group in settled.held)


def without(pages: dict[str, str], gone: int) -> dict[str, object]:
    """The site with its first pages gone."""
    return pages | dict.fromkeys(list(pages)[:gone], Outcome.FILE_GONE)


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize(
    ("size", "gone", "held"),
    [(20, 10, 0), (20, 11, 11), (5, 2, 0), (5, 3, 3), (1, 1, 1)],
)
def test_a_mass_deletion_is_held_back(work: Crawls, size: int, gone: int, held: int) -> None:
    pages = site(size)
    crawled(work, pages, seeds=True)
    settled = crawled(work, without(pages, gone))
    assert (lost(settled), settled.documents) == (held, size)
    assert len(settled.changes) == gone - held


@pytest.mark.slow
@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("order", [1, -1], ids=["the best name first", "the best name last"])
@pytest.mark.parametrize("size", [3, 5, 30])
def test_one_text_for_every_page_changes_and_deletes_nothing(
    work: Crawls, size: int, order: int
) -> None:
    pages = dict(list(site(size).items())[::order])
    crawled(work, pages, seeds=True)
    for _ in range(3):
        settled = crawled(work, dict.fromkeys(pages, "We are back soon."))
        assert (settled.documents, settled.changes) == (size, [])
        assert lost(settled) == size
    settled = crawled(work, pages)
    assert (settled.held, settled.documents, settled.changes) == ((), size, [])
    assert work().lines(size) == []


@pytest.mark.behaviour("K-13")
def test_what_earlier_runs_of_the_day_lost_counts(work: Crawls) -> None:
    more = "and one two three four five six seven eight nine"
    pages = {path: f"{text} {more}" for path, text in site(5).items()}
    crawled(work, pages, seeds=True)
    first = pages | {"/001": "We are back soon."}
    assert [change.record["url"] for change in crawled(work, first).changes] == [f"{SITE}/001"]
    settled = crawled(work, first | {"/002": "We are back soon."})
    assert (settled.changes, lost(settled)) == ([], 1)
    assert [group.reason for *_, group in Records(work().database).held()] == ["duplicate"]


@pytest.mark.behaviour("K-13")
def test_what_waits_is_not_written_because_the_site_became_small(work: Crawls) -> None:
    pages = site(3)
    crawled(work, pages, seeds=True)
    down = pages | dict.fromkeys(list(pages)[:2], "We are back soon.")
    assert crawled(work, down).changes == []
    gone = down | {"/002": Outcome.FILE_GONE}
    for _ in range(3):
        settled = crawled(work, gone)
        assert {change.record["url"] for change in settled.changes} <= {f"{SITE}/002"}
        assert lost(settled) == 3


@pytest.mark.behaviour("DU-05")
def test_a_page_that_becomes_equal_to_another_is_one_document_with_it(work: Crawls) -> None:
    pages = site(30)
    crawled(work, pages, seeds=True)
    equal = pages | {"/004": "text 3"}
    settled = crawled(work, equal)
    assert [change.record["reason"] for change in settled.changes] == ["duplicate"]
    assert [change.record["moved_to"] for change in settled.changes] == [f"{SITE}/003"]
    worker = work(**OPTIONS)
    worker.crawl(equal)
    [kept] = worker.database.rows("SELECT id FROM url WHERE url = ?", (f"{SITE}/003",))
    also = worker.store._memory.documents.additional_urls(list(kept))
    assert also == {kept[0]: [f"{SITE}/004"]}


@pytest.mark.slow
@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("outcome", [Outcome.PERMANENT_REDIRECT, Outcome.REDIRECT])
@pytest.mark.parametrize("size", [3, 5, 30])
def test_pages_that_are_all_sent_to_one_are_kept(work: Crawls, size: int, outcome: Outcome) -> None:
    pages = site(size)
    crawled(work, pages, seeds=True)

    def away(due: DueUrl, at: float) -> VisitResult:
        visit = redirect(due, at, to="/maintenance", outcome=outcome)
        return replace(visit, redirect_to=f"{SITE}/maintenance?from={due.url}")

    down = dict.fromkeys(pages, away) | {"/maintenance": "We are back soon."}
    for _ in range(4):
        assert crawled(work, down).changes == []
    settled = crawled(work, pages | {"/maintenance": "We are back soon."})
    assert (lost(settled), settled.documents, settled.changes) == (0, size, [])
    assert crawled(work, pages | {"/maintenance": "We are back soon."}).changes == []
    assert work().lines(size) == []  # the maintenance page has become no document


@pytest.mark.behaviour("K-13")
def test_pages_that_fail_one_by_one_are_kept_but_the_first(work: Crawls) -> None:
    pages = site(5)
    crawled(work, pages, seeds=True)
    away = partial(redirect, to="/000", outcome=Outcome.PERMANENT_REDIRECT)
    deleted = []
    for failing in range(1, 5):
        state = pages | dict.fromkeys(list(pages)[1 : failing + 1], away)
        deleted += [change.record["url"] for change in crawled(work, state).changes]
    assert deleted == [f"{SITE}/001"]


@pytest.mark.behaviour("K-13")
def test_one_folder_that_is_down_is_kept(work: Crawls) -> None:
    pages = site(40)
    crawled(work, pages, seeds=True)
    folder = list(pages)[10:15]
    for _ in range(2):
        settled = crawled(work, pages | dict.fromkeys(folder, "Out of order."))
        assert (settled.changes, lost(settled)) == ([], 5)
    assert crawled(work, pages).changes == []
    assert work().lines(40) == []


@pytest.mark.behaviour("K-13")
def test_a_canonical_that_every_page_names_deletes_none(work: Crawls) -> None:
    pages = site(5)
    crawled(work, pages, seeds=True)
    wrong = {path: partial(canonical, to="/000", text=text) for path, text in pages.items()}
    for _ in range(2):
        settled = crawled(work, wrong)
        assert settled.changes == []
        assert settled.held == (HeldGroup("non_canonical", 4, f"{SITE}/001"),)
    assert crawled(work, pages).changes == []


@pytest.mark.behaviour("K-13")
def test_a_chain_of_redirects_to_one_page_is_known_by_its_end(work: Crawls) -> None:
    pages = site(5)
    crawled(work, pages, seeds=True)
    permanent = {"outcome": Outcome.PERMANENT_REDIRECT}
    down: dict[str, Any] = {path: partial(redirect, to=f"/x{path}", **permanent) for path in pages}
    down |= {f"/x{path}": partial(redirect, to="/maintenance", **permanent) for path in pages}
    for _ in range(3):
        assert crawled(work, down | {"/maintenance": "We are back soon."}).changes == []
    assert crawled(work, pages).changes == []
    assert work().lines(5) == []


@pytest.mark.behaviour("K-13")
def test_a_migration_to_one_page_is_accepted_by_a_person(work: Crawls) -> None:
    pages = site(5)
    crawled(work, pages, seeds=True)
    away = partial(redirect, to="/all", outcome=Outcome.PERMANENT_REDIRECT)
    moved = dict.fromkeys(pages, away) | {"/all": "All on one page."}
    for _ in range(2):
        settled = crawled(work, moved)
        assert (lost(settled), settled.changes) == (5, [])
    worker = work(**OPTIONS)
    changes = Administration(worker.database).confirm()
    assert sorted(change.op for change in changes) == ["delete"] * 5 + ["upsert"]
    assert [c.record["url"] for c in changes if c.op == "upsert"] == [f"{SITE}/all"]
    worker.end()
    assert crawled(work, moved).changes == []


@pytest.mark.behaviour("R-10")
def test_pages_that_move_each_to_its_own_place_move_in_one_run(work: Crawls) -> None:
    pages = site(30)
    crawled(work, pages, seeds=True)
    permanent = {"outcome": Outcome.PERMANENT_REDIRECT}
    moved: dict[str, Any] = {
        path: partial(redirect, to=f"/new{path}", **permanent) for path in pages
    }
    moved |= {f"/new{path}": text for path, text in pages.items()}
    settled = crawled(work, moved)
    assert settled.held == ()
    worker = work(**OPTIONS)
    written = [line.split()[0] for line in worker.lines(30)]
    assert (written.count("redirected"), written.count("new")) == (30, 30)


@pytest.mark.behaviour("RC-04")
def test_a_text_that_took_another_ones_place_is_written_once_others_are_well(
    work: Crawls,
) -> None:
    pages = site(60)
    crawled(work, pages, seeds=True)
    worker = work(**OPTIONS)
    worker.crawl(pages | {"/000": "Something else.", "/001": "text 1 and more"})
    assert worker.lines(60) == ["changed /001", "changed /000"]


@pytest.mark.behaviour("K-13")
def test_what_a_run_deletes_bit_by_bit_counts_together(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    worker = work(revisit=Revisit(interval=1000.0))
    kept = []
    for part in (list(pages)[:8], list(pages)[8:16]):
        worker.store.mark_due([candidate(path) for path in part])
        worker.crawl(dict.fromkeys(part, Outcome.FILE_GONE))
        settled = worker.settle()
        kept.append((len(settled.changes), lost(settled), settled.documents))
    assert kept == [(8, 0, 20), (0, 8, 12)]


@pytest.mark.behaviour("K-13", "DEL-11")
def test_a_page_that_returns_is_not_deleted_with_the_others(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    assert lost(crawled(work, pages | dict.fromkeys(list(pages)[:15], Outcome.NOINDEX))) == 15
    assert lost(crawled(work, pages | dict.fromkeys(list(pages)[:12], Outcome.NOINDEX))) == 12
    settled = crawled(work, pages)
    assert (lost(settled), settled.changes) == (0, [])


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("outcome", [Outcome.FILE_GONE, Outcome.PERMANENT_REDIRECT])
def test_pages_whose_deletion_is_held_are_looked_at_in_the_next_run(
    work: Crawls, outcome: Outcome
) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    for _ in range(2):
        assert lost(crawled(work, pages | dict.fromkeys(list(pages)[:15], outcome))) == 15
    settled = crawled(work, pages)
    assert (lost(settled), settled.documents, settled.changes) == (0, 20, [])


@pytest.mark.behaviour("K-13", "DEL-12")
def test_a_run_that_does_not_look_again_carries_out_no_held_deletion(work: Crawls) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    away = pages | dict.fromkeys(list(pages)[:15], Outcome.NOINDEX)
    assert lost(crawled(work, away)) == 15
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
    assert administration.confirm("http://other.example") == []
    changes = administration.confirm()
    assert [change.record["reason"] for change in changes] == ["gone"] * 15
    assert changes[0].record["url"] == f"{SITE}/000"
    assert administration.confirm() == []
    undelivered = worker.store.undelivered(100, 20)
    assert [change.seq for change in undelivered] == list(range(21, 36))
    assert worker.settle().documents == 5 or worker.due() == []


@pytest.mark.behaviour("K-13", "DEL-12")
def test_what_was_not_asked_for_is_not_deleted(work: Crawls) -> None:
    pages = site(30)
    crawled(work, pages, seeds=True)
    worker = work(**OPTIONS)
    [due, *_] = worker.due(limit=5)
    worker.commit(worker.visit(due, Outcome.FILE_GONE, time.time()))
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
    assert worker.store.has_untried_urls(SITE)
    worker.commit(worker.visit(home, "home", 2000.0))
    assert not worker.store.has_untried_urls(SITE)


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


@pytest.mark.behaviour("DEL-08")
def test_an_origin_is_deleted_with_what_refers_to_it(work: Crawls) -> None:
    first = work()
    first.seed("/", "/a")
    first.crawl({"/": "home", "/a": "a"})
    changes = Administration(first.database).delete_origin(SITE)
    assert [change.op for change in changes] == ["delete", "delete"]
    for table in ("url", "origin", "document", "link", "attempt"):
        assert first.database.rows(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.behaviour("RC-03")
def test_not_changed_since_a_held_deletion_leaves_it_held(work: Crawls) -> None:
    pages = site(20)

    def tagged(due: DueUrl, at: float) -> VisitResult:
        return VisitResult(due, at, 0.1, Outcome.NOINDEX, 200, etag='"noindex"')

    def conditional(due: DueUrl, at: float) -> VisitResult:
        if due.etag == '"noindex"':
            return VisitResult(due, at, 0.1, Outcome.FILE_DID_NOT_CHANGE, 304)
        return tagged(due, at)

    crawled(work, pages, seeds=True)
    hidden = list(pages)[:15]
    assert lost(crawled(work, pages | dict.fromkeys(hidden, tagged))) == 15
    assert lost(crawled(work, pages | dict.fromkeys(hidden, conditional))) == 15


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


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("step", [1, 2], ids=["a ring", "rings of two"])
def test_pages_that_name_each_other_as_canonical_are_kept(work: Crawls, step: int) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    names = list(pages)
    ring: dict[str, Any] = {
        name: partial(
            canonical, to=names[number ^ 1 if step == 2 else (number + step) % 20], text=text
        )
        for number, (name, text) in enumerate(pages.items())
    }
    for _ in range(3):
        assert [change.op for change in crawled(work, ring).changes if change.op == "delete"] == []
    assert [change.op for change in crawled(work, pages).changes if change.op == "delete"] == []


@pytest.mark.behaviour("K-13")
@pytest.mark.parametrize("swapped", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_pages_that_show_each_others_texts_are_not_deleted(work: Crawls, swapped: int) -> None:
    pages = site(20)
    crawled(work, pages, seeds=True)
    mixed = pages | {
        path: pages[f"/{number ^ 1:03}"] for number, path in enumerate(list(pages)[:swapped])
    }
    for _ in range(3):
        assert crawled(work, mixed).changes == []
    assert crawled(work, pages).changes == []
    assert work().lines(20) == []


@pytest.mark.behaviour("K-13")
def test_what_has_been_held_for_long_is_carried_out_and_said(work: Crawls) -> None:
    pages = site(8)
    crawled(work, pages, seeds=True)
    gone = without(pages, 8)
    for _ in range(5):
        assert lost(crawled(work, gone)) == 8
    worker = work()
    worker.database.execute("UPDATE held_change SET since = since - ?", (31 * 24 * 3600.0,))
    worker.end()
    settled = crawled(work, gone)
    assert (len(settled.changes), settled.lasted, settled.held) == (8, 8, ())


@pytest.mark.behaviour("K-13")
def test_documents_whose_duplicates_take_their_place_are_not_lost(work: Crawls) -> None:
    old, new = [f"/{n}" for n in range(4)], [f"/{n}/new" for n in range(4)]
    texts = {path: f"text {path[1]}" for path in (*old, *new)}
    worker = work(**OPTIONS)
    worker.seed(*old, *new)
    worker.crawl(texts)
    worker.settle()
    worker.end()
    worker = work(**OPTIONS)
    worker.crawl(texts | dict.fromkeys(old, Outcome.BLOCKED_URL_BY_LOCAL_POLICY))
    settlement = worker.settle()
    assert settlement.held == ()
    changes = [
        (change.op, change.record["url"].removeprefix(SITE)) for change in settlement.changes
    ]
    assert changes == [("delete", path) for path in old] + [("upsert", path) for path in new]
