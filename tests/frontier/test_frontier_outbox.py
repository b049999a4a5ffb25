"""The outbox: what was written, in order, and what has reached a feed."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from workers import SITE, Crawls, ingested

from sitecrawl.frontier.base import Delivered, FeedFile
from sitecrawl.frontier.records import Records
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

OPTIONS = {"revisit": Revisit(interval=0.0)}


def test_a_change_is_numbered_and_complete(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    [change] = worker.commit(ingested(due, "home", 86400.0))
    assert (change.seq, change.op, change.id) == (1, "upsert", change.record["id"])
    assert list(change.record)[:5] == ["op", "id", "seq", "run_id", "realm"]
    assert change.record == {
        "op": "upsert",
        "id": change.id,
        "seq": 1,
        "run_id": 1,
        "realm": "default",
        "change": "new",
        "url": f"{SITE}/",
        "body": "home",
        "last_changed_at": "1970-01-02T00:00:00Z",
    }


def test_the_time_of_change_is_that_of_the_content(work: Crawls) -> None:
    worker = work(**OPTIONS)
    worker.seed("/")
    [due] = worker.due()
    worker.commit(ingested(due, "home", 86400.0))
    worker.end()
    worker = work(**OPTIONS)
    [due] = worker.due()
    [change] = worker.commit(ingested(due, "home", 2 * 86400.0, title="Home"))
    assert change.record["change"] == "metadata"
    assert change.record["last_changed_at"] == "1970-01-02T00:00:00Z"


def test_a_deletion_is_complete(work: Crawls) -> None:
    worker = work(**OPTIONS)
    worker.seed("/", "/other")
    worker.crawl({"/": "home", "/other": "other"})
    worker.end()
    worker = work(**OPTIONS)
    worker.crawl({"/": Outcome.FILE_GONE, "/other": "other"})
    [change] = worker.settle().changes
    assert change.record == {
        "op": "delete",
        "id": change.id,
        "seq": 3,
        "run_id": 2,
        "realm": "default",
        "url": f"{SITE}/",
        "reason": "gone",
    }


@pytest.mark.behaviour("DU-05")
def test_the_kept_page_names_the_others(work: Crawls) -> None:
    worker = work()
    worker.seed("/b", "/c", "/a")
    dues = worker.due()
    changes = worker.commit(*(ingested(due, "same", time.time()) for due in dues))
    assert [change.record["url"] for change in changes] == [f"{SITE}/b"]
    assert changes[0].record["additional_urls"] == [f"{SITE}/a", f"{SITE}/c"]
    rows = worker.database.rows("SELECT outcome FROM attempt ORDER BY id")
    assert rows == [(Outcome.FILE_INGESTED,), (Outcome.DUPLICATE,), (Outcome.DUPLICATE,)]
    [record] = Records(worker.database).documents()
    assert record == changes[0].record


def test_what_nobody_delivered_comes_again(work: Crawls) -> None:
    first = work()
    first.seed("/a", "/b", "/c")
    first.crawl({"/a": "a", "/b": "b", "/c": "c"})
    second = work()
    assert second.store.undelivered(10, 0) == []  # the first lives, and has them in hand
    first.store.delivered([2])
    first.end()
    changes = second.store.undelivered(1, 0)
    assert [change.seq for change in changes] == [1]
    assert [change.seq for change in second.store.undelivered(10, 1)] == [3]
    assert second.store.undelivered(10, 0) == []
    second.store.delivered([1, 3])
    second.end()
    assert work().store.undelivered(10, 0) == []


@pytest.mark.behaviour("K-34")
def test_a_run_takes_over_the_lines_of_its_own_realm(work: Crawls) -> None:
    docs = work(realm="docs")
    docs.seed("/a", "/b")
    docs.crawl({"/a": "a", "/b": "b"})
    docs.end()
    blog = work(realm="blog")
    assert blog.store.undelivered(10, 0) == []
    blog.seed("/a")
    blog.crawl({"/a": "a"})
    blog.end()
    assert [change.seq for change in work(realm="docs").store.undelivered(10, 0)] == [1, 2]
    [change] = work(realm="blog").store.undelivered(10, 0)
    assert (change.seq, change.record["realm"], change.record["run_id"]) == (3, "blog", 2)


def test_a_line_that_a_later_one_replaced_is_not_delivered(work: Crawls) -> None:
    first = work(**OPTIONS)
    first.seed("/a", "/b")
    first.crawl({"/a": "a", "/b": "b"})
    first.end()
    second = work(**OPTIONS)
    second.crawl({"/a": "a edited", "/b": "b"})
    second.end()
    records = [change.record for change in work().store.undelivered(10, 0)]
    assert [(record["seq"], record["body"]) for record in records] == [(2, "b"), (3, "a edited")]


def test_changes_since_a_number(work: Crawls) -> None:
    worker = work(**OPTIONS)
    worker.seed("/a", "/b")
    worker.crawl({"/a": "a", "/b": "b"})
    worker.end()
    worker = work(**OPTIONS)
    worker.crawl({"/a": "a edited", "/b": Outcome.NOINDEX})
    worker.settle()
    records = Records(worker.database)
    assert [(record["op"], record["seq"]) for record in records.changes(0)] == [
        ("upsert", 3),
        ("delete", 4),
    ]
    assert [record["seq"] for record in records.changes(3)] == [4]
    assert [record["body"] for record in records.documents()] == ["a edited"]


def test_numbers_follow_each_other_whoever_writes(work: Crawls) -> None:
    one, two = work(), work()
    one.seed(*(f"/{n}" for n in range(5)), *(f"http://the-other.example/{n}" for n in range(5)))
    assert [state.key for state in one.store.lease(1)] == [SITE]
    [other] = [state.key for state in two.store.lease(1)]
    for n in range(5):
        for worker, key in ((one, SITE), (two, other)):
            [due] = worker.store.pop(key, 1)
            worker.commit(ingested(due, f"{key} {n}", time.time()), key=key)
    assert [row[0] for row in one.outbox()] == list(range(1, 11))


OUT = FeedFile("/out", "/out", 10, "a")


def test_lines_of_a_crawl_that_did_not_end_well_can_be_delivered_again(work: Crawls) -> None:
    first = work()
    first.seed("/a", "/b", "/c")
    first.crawl({"/a": "a", "/b": "b", "/c": "c"})
    number = first.store.delivered([1], [OUT])
    longer = replace(OUT, size=20)
    assert first.store.delivered([2], [longer], number) == number
    first.store.delivered([3])  # to what needs no record
    second = work()
    assert second.store.take_over_deliveries({"/out"}) == []  # the first lives
    first.end()
    assert second.store.take_over_deliveries({"/other"}) == []
    assert second.store.take_over_deliveries({"/out"}) == [Delivered(number, 2, (longer,))]
    assert work().store.take_over_deliveries({"/out"}) == []
    assert second.store.undelivered(10, 0) == []
    second.store.undeliver([number])
    assert [change.seq for change in second.store.undelivered(10, 0)] == [1, 2]
    assert second.store.delivered([1, 2], [OUT]) > number


@pytest.mark.behaviour("W-18")
def test_files_are_kept_while_a_worker_without_lines_was_killed(work: Crawls) -> None:
    one, other = work(), work()
    one.seed("/a")
    one.crawl({"/a": "a"})
    one.store.delivered([1], [OUT])
    one.store.end_deliveries()
    one.end()
    other.store.close("shutdown", {})
    again = work()
    assert len(again.store.take_over_deliveries({"/out"})) == 1
    again.store.end_deliveries()
    again.end()
    assert work().store.take_over_deliveries({"/out"}) == []


def test_workers_of_a_run_hand_their_files_over_together(work: Crawls) -> None:
    one, other = work(), work()
    one.seed("/a", "/b")
    one.crawl({"/a": "a", "/b": "b"})
    one.store.delivered([1], [OUT])
    other.store.delivered([2], [FeedFile("/other", "/other", 10, "b")])
    one.store.end_deliveries()
    one.end()
    other.end()  # killed
    one, other = work(), work()
    assert len(one.store.take_over_deliveries({"/out"})) == 1
    assert len(other.store.take_over_deliveries({"/other"})) == 1
    one.store.end_deliveries()
    other.store.end_deliveries()
    one.end()
    other.end()
    assert work().store.take_over_deliveries({"/out", "/other"}) == []
