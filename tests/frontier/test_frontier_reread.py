"""Pages that were read with other options than today's, on both kinds of database."""

from __future__ import annotations

import time
from typing import Any

import pytest
from workers import SITE, Crawls, Worker, candidate, ingested

from sitecrawl.frontier.records import Records
from sitecrawl.frontier.stored_reindex import Reindex, Rewrite


def first(work: Crawls, reading: str = "one") -> Worker:
    """A worker that has read two pages."""
    worker = work(reading=reading)
    worker.seed("/a", "/b")
    worker.crawl({"/a": "text", "/b": "other"})
    return worker


@pytest.mark.behaviour("A-13")
def test_what_was_read_with_the_same_options_does_not_wait(work: Crawls) -> None:
    first(work).end()
    assert work(reading="one").due() == []


@pytest.mark.behaviour("A-13")
def test_a_changed_reading_is_no_change_of_the_page(work: Crawls) -> None:
    worker = first(work)
    [(changed_at,)] = worker.database.rows(
        "SELECT changed_at FROM url WHERE url = ?", (f"{SITE}/a",)
    )
    worker.end()
    again = work(reading="two")
    assert Records(again.database).read_otherwise("default", "two") == 2
    assert Records(again.database).read_otherwise("other", "two") == 0
    dues = {due.url.removeprefix(SITE): due for due in again.due()}
    assert {path: due.reading for path, due in dues.items()} == {"/a": "one", "/b": "one"}
    at = time.time()
    again.commit(ingested(dues["/a"], "text as read now", at), ingested(dues["/b"], "other", at))
    assert again.lines(2) == ["config /a"]
    assert Records(again.database).read_otherwise("default", "two") == 0
    assert again.database.rows("SELECT changed_at FROM url WHERE url = ?", (f"{SITE}/a",)) == [
        (changed_at,)
    ]
    again.end()
    assert work(reading="two").due() == []


@pytest.mark.behaviour("A-13")
@pytest.mark.parametrize("activity", ["discover", "starts"])
def test_a_run_that_considers_no_old_pages_leaves_them(work: Crawls, activity: Any) -> None:
    first(work).end()
    other = work(reading="two", activity=activity)
    assert other.due() == []
    other.end()
    assert len(work(reading="two").due()) == 2


def test_pages_without_a_record_count_as_read_with_the_current_options(work: Crawls) -> None:
    first(work, reading="").end()
    assert work(reading="two").due() == []


@pytest.mark.behaviour("DEL-05", "Q-20", "A-07")
def test_a_page_under_another_address_waits_there(work: Crawls) -> None:
    worker = first(work)
    reindex = Reindex(worker.database, "default")
    before = reindex.last_seq
    new = candidate("/new")

    def verdict(address: str, document: dict[str, Any]) -> Rewrite | None:
        assert document["url"] == address
        return Rewrite(None, successor=new) if address.endswith("/a") else Rewrite(document)

    assert len(list(reindex.apply(verdict))) == 2
    assert worker.lines(before) == ["excluded /a > /new", "config /b"]
    reindex.finish("two", {"params": {"deny": ["x"]}})
    run = Records(worker.database).last_run("default")
    assert run is not None
    assert run.configuration == {"params": {"deny": ["x"]}}
    worker.end()
    assert [due.url for due in work(reading="two").due()] == [f"{SITE}/b", f"{SITE}/new"]


@pytest.mark.behaviour("A-13")
def test_the_run_before_another(work: Crawls) -> None:
    worker = first(work)
    records = Records(worker.database)
    assert records.last_run("default", before=worker.store.run) is None
    worker.end()
    again = work()
    before = Records(again.database).last_run("default", before=again.store.run)
    assert before is not None
    assert before.id == worker.store.run
    assert Records(again.database).last_run(before=again.store.run) == before
    assert Records(again.database).last_run("other", before=again.store.run) is None


def test_a_run_that_reads_otherwise_in_between_is_noticed(work: Crawls) -> None:
    first(work, reading="one").end()
    work(reading="two", activity="discover").end()
    assert len(work(reading="two").due()) == 2


def test_a_worker_that_joins_with_other_options_has_the_next_run_look_again(work: Crawls) -> None:
    first(work, reading="one").end()
    running = work(reading="one")
    work(reading="two").end()
    assert running.database.rows("SELECT reading FROM run ORDER BY id") == [("one",), (None,)]
    running.end()
