"""URLs that are put off, skipped or admitted again, and the evidence for it, on every back end."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from workers import SITE, Crawls, Worker, absolute, candidate, ingested

from sitecrawl.frontier.base import Outcome, StandIn, VisitResult
from sitecrawl.frontier.withdrawals import ReplacedPage, Withdrawal
from sitecrawl.frontier.worth_table import StoredWorth
from sitecrawl.policy.lifecycle.revisit import Revisit


@pytest.mark.behaviour("Q-27")
def test_urls_that_are_put_off_come_last_until_they_are_restored(work: Crawls) -> None:
    worker = work()
    worker.seed("/view", "/page", "/other")
    view, *_ = worker.due()
    worker.store.put_off(SITE, {view.fingerprint: -1})
    [again] = worker.due()
    assert (again.url, again.priority) == (f"{SITE}/view", -1)
    worker.store.put_off(SITE, {again.fingerprint: -1})
    assert worker.store.admit_again(SITE, "maze") == 0
    assert [due.priority for due in worker.due()] == [0]
    assert worker.database.rows("SELECT pending FROM origin") == [(3,)]


@pytest.mark.behaviour("Q-25")
def test_refused_urls_are_queued_again_by_reason(work: Crawls) -> None:
    worker = work()
    worker.seed("/a", "/b")
    blocked = Outcome.BLOCKED_URL_BY_LOCAL_POLICY
    worker.commit(
        *(VisitResult(due, time.time(), 0.0, blocked, reason="maze") for due in worker.due())
    )
    assert worker.due() == []
    assert worker.store.admit_again(SITE, "barren_template") == 0
    assert worker.store.admit_again(SITE, "maze", [candidate("/b").fingerprint]) == 1
    assert [due.url for due in worker.due()] == [f"{SITE}/b"]
    assert worker.store.admit_again(SITE, "maze") == 1
    assert [due.url for due in worker.due()] == [f"{SITE}/a"]


@pytest.mark.behaviour("P-18")
def test_skipped_urls_are_due_in_the_next_run_and_modified_ones_at_once(work: Crawls) -> None:
    first = work()
    first.seed("/")
    [due] = first.due()
    first.commit(ingested(due, "text", time.time()))
    first.store.mark_modified([(candidate("/"), time.time() - 60)])
    assert first.due() == []
    first.store.mark_modified([(candidate("/"), time.time() + 60)])
    assert [each.url for each in first.due()] == [f"{SITE}/"]
    first.store.skip(SITE, [due.fingerprint])
    assert first.due() == []
    assert first.database.rows("SELECT pending FROM origin") == [(0,)]
    first.end()
    assert [each.url for each in work(revisit=Revisit(interval=0.0)).due()] == [f"{SITE}/"]


@pytest.mark.behaviour("Q-27")
def test_the_evidence_is_kept_with_its_origin(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    assert worker.store.worth(SITE) == []
    worker.due()
    part = StoredWorth("template", "/<word>", "barren", {"pages": 5})
    worker.store.save_worth(SITE, [part])
    worker.store.save_worth(SITE, [part._replace(state="good")])
    assert worker.store.worth(SITE) == [part._replace(state="good")]


def _row(worker: Worker, path: str) -> int:
    [(row,)] = worker.database.rows("SELECT id FROM url WHERE url = ?", (absolute(path),))
    return int(row)


@pytest.mark.behaviour("Q-35")
def test_a_withdrawn_copy_is_left_out_until_its_original_is_no_document(work: Crawls) -> None:
    first = work()
    first.seed("/page", "/view", "/view-again")
    page, view, same = first.due()
    now = time.time()
    first.commit(
        ingested(page, "page", now), ingested(view, "view", now), ingested(same, "view", now)
    )
    copy = Withdrawal(_row(first, "/view"), "near_copy", "repeats it", _row(first, "/page"))
    [change] = first.store.withdraw(SITE, [copy], [])
    facts = (change.op, change.record["reason"], change.record["moved_to"])
    assert facts == ("delete", "near_copy", f"{SITE}/page")
    assert first.store.withdraw(SITE, [copy], []) == [], "it is no document any more"
    assert first.store.settle(SITE).changes == []
    assert first.due() == []
    assert [each.url for each in first.store.current_pages(SITE)] == [f"{SITE}/page"]
    assert first.store.withdrawn_copies(SITE) == [f"{SITE}/view", f"{SITE}/view-again"]
    first.end()
    second = work(revisit=Revisit(interval=0.0))
    page, *copies = second.due()
    assert [each.reason for each in copies] == ["near_copy"] * 2
    assert [each.detail for each in copies] == ["repeats it"] * 2
    blocked = Outcome.BLOCKED_URL_BY_LOCAL_POLICY
    refused = [VisitResult(each, now, 0.0, blocked, reason="near_copy") for each in copies]
    second.commit(VisitResult(page, now, 0.0, Outcome.FILE_GONE, 410), *refused)
    assert second.store.settle(SITE).changes[0].record["reason"] == "gone"
    assert sorted(each.url for each in second.due()) == [f"{SITE}/view", f"{SITE}/view-again"]
    assert second.database.rows("SELECT pending FROM origin") == [(2,)]


OTHER = "http://www.site.example"


@pytest.mark.behaviour("DU-32")
def test_documents_are_folded_into_those_of_another_origin_that_have_their_texts(
    work: Crawls,
) -> None:
    texts: dict[str, object] = {"/a": "same", "/b": "same", "/c": "one", "/d": "text"}
    first = work()
    first.seed(*texts, *(OTHER + path for path in texts))
    first.crawl(texts)
    first.crawl({OTHER + path: text for path, text in texts.items()} | {f"{OTHER}/c": "two"}, OTHER)
    first.end()
    second = work(revisit=Revisit(interval=0.0))
    second.crawl({**texts, "/d": Outcome.FILE_GONE})  # its deletion is gathered, not written
    pages = [
        ReplacedPage(_row(second, OTHER + path), candidate(path).fingerprint, "same by a rule")
        for path in texts
    ]
    second.store.lease(100)
    [change] = second.store.fold_documents(OTHER, SITE, pages)
    facts = (change.op, change.record["reason"], change.record["moved_to"])
    assert facts == ("delete", "learned_duplicate", f"{SITE}/a")
    assert second.store.fold_documents(OTHER, SITE, pages) == []
    left = second.database.rows(
        "SELECT u.url FROM document AS d JOIN url AS u ON u.id = d.url"
        " WHERE d.seq IS NOT NULL AND u.url LIKE ? ORDER BY u.url",
        (f"{OTHER}%",),
    )
    assert left == [(f"{OTHER}/c",), (f"{OTHER}/d",)], "another text, and a page gone elsewhere"
    assert second.store.settle(OTHER).changes == []
    second.end()
    third = work(revisit=Revisit(interval=0.0))
    sample, other, *_ = (
        replace(due, same_as=StandIn(candidate("/a"), due.detail or "")) for due in third.due(OTHER)
    )
    assert (sample.url, sample.reason) == (f"{OTHER}/a", "learned_duplicate")
    now = time.time()
    visits = [ingested(sample, "same", now), ingested(other, "a text of its own", now)]
    commit = third.store.commit(OTHER, visits)
    assert [each.record["url"] for each in commit.changes] == [f"{OTHER}/b"]
    assert [each.outcome for each in commit.visits] == [
        Outcome.BLOCKED_URL_BY_LOCAL_POLICY,
        Outcome.FILE_INGESTED,
    ]
    assert third.database.rows(
        "SELECT reason, detail, indexed_at FROM url WHERE url = ?", (f"{OTHER}/a",)
    ) == [("learned_duplicate", "same by a rule", None)]


@pytest.mark.behaviour("Q-36")
def test_documents_without_a_replacement_count_as_losses_if_another_run_wrote_them(
    work: Crawls,
) -> None:
    first = work()
    first.seed("/old")
    [due] = first.due()
    first.commit(ingested(due, "old", time.time()))
    first.end()
    second = work()
    second.seed("/new")
    [due] = [due for due in second.due() if due.url == f"{SITE}/new"]
    second.commit(ingested(due, "new", time.time()))
    pages = [Withdrawal(_row(second, path), "maze", "no end") for path in ("/old", "/new")]
    [change] = second.store.withdraw(SITE, pages, [])
    assert (change.record["url"], change.record["reason"]) == (f"{SITE}/new", "maze")
    assert second.database.rows("SELECT reason FROM held_change") == [("maze",)]
