"""Commits on PostgreSQL: changes are numbered with the commit, also if its answer is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest

from fixtures.postgres import PostgresServer
from fixtures.relay import Fault, Relay, relayed
from sitecrawl.frontier.base import Entry
from sitecrawl.frontier.database import Reconnection, RowStatement
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.postgres import LostTransactionError
from tests.frontier.workers import SITE, Crawls, Worker, ingested


@pytest.fixture
def crawls(postgres: PostgresServer) -> Iterator[Crawls]:
    """Workers on a database of their own."""
    with ExitStack() as stack:
        yield Crawls(postgres.url("commits"), stack)


def text_of(worker: Worker, path: str) -> str:
    """Text of a stored document."""
    [(row,)] = worker.database.rows("SELECT id FROM url WHERE url = ?", (SITE + path,))
    return str(worker.store._memory.documents.content(row)["body"])


@pytest.mark.behaviour("W-15")
def test_no_worker_waits_for_another_that_has_changes_to_commit(crawls: Crawls) -> None:
    one, two = crawls(), crawls()
    two.seed("/a")
    [due] = two.due()
    entry = Entry(url=0, op="delete", id="gone", reason="gone", address=f"{SITE}/gone")
    with one.database.transaction():
        last = one.store._outbox.write([entry, entry])
        [change] = two.commit(ingested(due, "a", time.time()))
    assert (change.seq, [each.seq for each in last]) == (1, [2, 3])
    assert [row[0] for row in one.database.rows("SELECT seq FROM outbox ORDER BY seq")] == [1, 2, 3]


@pytest.mark.behaviour("W-03")
def test_no_worker_waits_for_another_that_is_stopped_in_a_transaction(
    crawls: Crawls,
) -> None:
    one, two = crawls(), crawls()
    one.database.prepare_for_crawl(0.3)
    one.database.reconnection = Reconnection(10)
    two.seed("/a")

    def stop_in_a_transaction() -> None:
        with one.database.transaction():
            one.database.exclusive_lock()
            assert [each.key for each in two.store.lease(1)] == [SITE]
            one.database.rows("SELECT 1")

    with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout) as ended:
        stop_in_a_transaction()
    assert one.database.restore(ended.value)
    assert one.store.lease(1) == []


@pytest.mark.behaviour("W-04")
@pytest.mark.parametrize("fault", ["answer", "commit"])
def test_a_commit_without_an_answer_is_made_once(
    postgres: PostgresServer, tmp_path: Path, fault: Fault
) -> None:
    place, server = relayed(postgres.url(fault), tmp_path)
    with Relay(server, tmp_path) as relay, ExitStack() as stack:
        worker = Crawls(place, stack)()
        worker.database.reconnection = Reconnection(10)
        worker.seed("/a", "/b", "/c")
        dues = worker.due()
        worker.commit(ingested(dues[0], "a", time.time()))
        relay.loses = fault
        visits = [ingested(due, due.url, time.time()) for due in dues[1:]]
        if fault == "commit":
            with pytest.raises(LostTransactionError) as lost:
                worker.commit(*visits)
            assert worker.lines() == ["new /a"]
            assert worker.store.restore(lost.value)
        changes = worker.commit(*visits)
        assert relay.lost == {fault: 1}
        assert [(each.seq, each.record["url"]) for each in changes] == [
            (2, f"{SITE}/b"),
            (3, f"{SITE}/c"),
        ]
        assert worker.lines() == ["new /a", "new /b", "new /c"]


ODD = ["", "NULL", '"', "\\", "{},", "a\nb", "ä 🙂", "'", "%s ?", None]


def test_rows_that_are_written_at_once_keep_every_character(postgres: PostgresServer) -> None:
    with closing(backend(postgres.url("odd")).connect()) as database:
        database.script("CREATE TABLE odd (n BIGINT PRIMARY KEY, t TEXT, f FLOAT8, b BYTEA)")
        insert = RowStatement(
            "INSERT INTO odd (n, t, f, b) VALUES (?, ?, ?, ?) ON CONFLICT (n) DO UPDATE"
            " SET t = excluded.t",
            ("bigint", "text", "float8", "bytea"),
            keys=(0,),
        )
        rows = [(n, text, n / 3, bytes([n, 0, 255])) for n, text in enumerate(ODD)]
        with database.transaction():
            database.write(insert, rows)
            database.write(insert, [(0, "first", 0.0, b""), (0, "second", 0.0, b"")])
            rows[0] = (0, "second", 0.0, bytes([0, 0, 255]))
            assert database.rows("SELECT n, t, f, b FROM odd ORDER BY n") == rows
            remove = RowStatement("DELETE FROM odd WHERE n = ?", ("bigint",), keys=(0,))
            database.write_last(remove, [(n,) for n in range(1, len(ODD))])
        assert database.rows("SELECT n FROM odd") == [(0,)]


def test_what_waits_is_not_written_after_a_failure(crawls: Crawls) -> None:
    worker = crawls()
    worker.seed("/a")
    [due] = worker.due()
    worker.commit(ingested(due, "a", time.time()))
    forget = RowStatement("DELETE FROM document WHERE url > ?", ("bigint",), keys=(0,))

    def fail() -> None:
        with worker.database.transaction():
            worker.database.write(forget, [(0,)])
            worker.database.write_last(forget, [(0,)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with worker.database.transaction():
        worker.database.now()
    assert text_of(worker, "/a") == "a"
