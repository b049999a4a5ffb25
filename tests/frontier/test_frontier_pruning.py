"""Pruning of a crawl database, and the guarantees that hold after it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

import pytest
from workers import SITE, Crawls, Worker

from sitecrawl.frontier import pruning
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.opening import backend, open_administration, open_pruning, open_records
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

OPTIONS = {"revisit": Revisit(interval=0.0)}
PAGES = [f"/{name}" for name in "abcdef"]
RUNS = 14
DAY = 86400.0
ATTEMPT = (
    "INSERT INTO attempt (url, run, started_at, duration, outcome, bytes) VALUES (?, 1, 0, 0, ?, 0)"
)
State = dict[str, dict[str, Any]]


def applied(state: State, changes: Iterable[dict[str, Any]]) -> State:
    """Documents of a consumer who applies lines in order and keeps the last of each id."""
    state = dict(state)
    for change in changes:
        state.pop(change["id"], None)
        if change["op"] == "upsert":
            state[change["id"]] = change
    return state


def exported(url: str, since: int = 0) -> list[dict[str, Any]]:
    with open_records(url) as records:
        return list(records.changes(since))


def run(worker: Worker, pages: dict[str, Any], *, delivered: bool = True) -> None:
    """One run that finds ``pages``, and delivers what it wrote."""
    worker.seed(*pages)
    worker.crawl(pages)
    worker.settle()
    if delivered:
        while changes := worker.store.undelivered(100, 0):
            worker.store.delivered([change.seq for change in changes])
        worker.database.execute("UPDATE outbox SET delivered = 1, owner = NULL")
    worker.end()


def age(database: Database, runs: int) -> None:
    """Each run was a day before the next, the last one a day ago."""
    days = f"extract(epoch FROM now()) - {DAY} *" if database.dialect == "postgres" else ""
    days = days or f"unixepoch() - {DAY} *"
    database.execute(f"UPDATE attempt SET started_at = {days} ({runs} - run + 1)")
    database.execute(f"UPDATE outbox SET made_at = {days} ({runs} - run + 1)")
    database.execute(f"UPDATE run SET finished_at = {days} ({runs} - id + 1)")


def history(work: Crawls, seed: int) -> dict[int, State]:
    """Pages that change, go, come back and turn equal; what a consumer had after each seq."""
    chosen = random.Random(seed)
    consumers: dict[int, State] = {0: {}}
    seq = 0
    for number in range(RUNS):
        texts = [f"{path} in {number // 2}" for path in PAGES]
        pages = {
            path: chosen.choice([text, text, "the same", Outcome.NOINDEX])
            for path, text in zip(PAGES, texts, strict=True)
        }
        run(work(**OPTIONS), pages, delivered=number < RUNS - 1)
        changes = exported(work.url, seq)
        seq = max([seq, *(change["seq"] for change in changes)])
        consumers[seq] = applied(consumers[max(consumers)], changes)
    with closing(backend(work.url).connect()) as database:
        age(database, RUNS)
    return consumers


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_consumer_still_ends_with_the_same_site(work: Crawls, seed: int) -> None:
    consumers = history(work, seed)
    final = consumers[max(consumers)]
    with open_records(work.url) as records:
        documents = list(records.documents())
    assert {document["id"]: document for document in documents} == final
    with closing(backend(work.url).connect()) as database:
        undelivered = "SELECT * FROM outbox WHERE delivered = 0 ORDER BY seq"
        waiting = database.rows(undelivered)
        [(changes,)] = database.rows("SELECT count(*) FROM outbox")
        for days in (RUNS, RUNS // 2, 0):
            with open_pruning(work.url) as pruned:
                pruned.forget(days * DAY)
            for since, state in consumers.items():
                assert applied(state, exported(work.url, since)) == final
            with open_records(work.url) as records:
                assert list(records.documents()) == documents
            assert database.rows(undelivered) == waiting
        [(left,)] = database.rows("SELECT count(*) FROM outbox WHERE delivered = 1")
        ids = {id_ for state in consumers.values() for id_ in state}
        assert left <= len(ids) < changes


def test_only_what_is_older_is_forgotten(work: Crawls) -> None:
    history(work, 1)
    with closing(backend(work.url).connect()) as database:
        recent = "SELECT * FROM attempt WHERE run > 7 ORDER BY id"
        attempts = database.rows(recent)
        changes = database.rows("SELECT * FROM outbox WHERE run > 7 ORDER BY seq")
        with open_pruning(work.url) as pruned:
            forgotten = pruned.forget((RUNS - 7 + 0.5) * DAY)
        assert forgotten.attempts == 7 * len(PAGES)
        assert forgotten.changes > 7
        assert database.rows("SELECT * FROM attempt ORDER BY id") == attempts
        assert database.rows("SELECT * FROM outbox WHERE run > 7 ORDER BY seq") == changes
        runs = [number for (number,) in database.rows("SELECT id FROM run ORDER BY id")]
        assert runs[-7:] == list(range(8, RUNS + 1))
        assert len(runs) == RUNS - forgotten.runs < RUNS


def test_the_last_attempt_stays_and_the_last_that_had_an_outcome(work: Crawls) -> None:
    run(work(**OPTIONS), {"/": "home", "/a": "a"})
    outcomes = [
        Outcome.FILE_DID_NOT_CHANGE,
        Outcome.CANCELLED,
        Outcome.LEASE_LOST,
        Outcome.CANCELLED,
    ]
    with closing(backend(work.url).connect()) as database:
        [(a,)] = database.rows("SELECT id FROM url WHERE url = ?", (f"{SITE}/a",))
        database.many(ATTEMPT, [(a, int(outcome)) for outcome in outcomes])
        with open_pruning(work.url) as pruned:
            assert pruned.forget(0).attempts == 3
        left = database.rows("SELECT outcome FROM attempt WHERE url = ? ORDER BY id", (a,))
        assert left == [(Outcome.FILE_DID_NOT_CHANGE,), (Outcome.CANCELLED,)]
        assert database.rows("SELECT count(*) FROM attempt") == [(3,)]


def test_nothing_is_forgotten_while_a_worker_is_alive(work: Crawls) -> None:
    worker = work(**OPTIONS)
    with pytest.raises(FrontierError, match="is being crawled"), open_pruning(work.url):
        pass
    worker.end()
    with open_pruning(work.url) as pruned:
        assert pruned.forget(0).count == 0


def test_another_realm_is_left_alone(work: Crawls) -> None:
    for realm in ("one", "two", "one", "two"):
        run(work(realm=realm, **OPTIONS), {"/": "home"})
    with open_pruning(work.url, "one") as pruned:
        forgotten = pruned.forget(0)
    assert (forgotten.attempts, forgotten.changes, forgotten.runs) == (1, 0, 0)
    with closing(backend(work.url).connect()) as database:
        assert database.rows("SELECT run FROM attempt ORDER BY run") == [(2,), (3,), (4,)]


def test_deletions_of_a_forgotten_realm_stay(work: Crawls) -> None:
    """SQLite gives the ids of its URLs to those of another realm."""
    run(work(realm="one", **OPTIONS), {"/": "home", "/a": "a"})
    with open_administration(work.url, "one") as administration:
        deleted = [change.id for change in administration.delete_realm()]
    run(work(realm="two", **OPTIONS), {"/x": "x", "/y": "y"})
    with open_pruning(work.url) as pruned:
        assert pruned.forget(0).changes == 2
    assert [change["id"] for change in exported(work.url) if change["op"] == "delete"] == deleted


@pytest.mark.slow
@pytest.mark.parametrize("statements", [0, 1, 5, 12, 18])
def test_one_that_is_interrupted_loses_nothing(
    work: Crawls, statements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    consumers = history(work, 4)
    final = consumers[max(consumers)]
    monkeypatch.setattr(pruning, "BATCH", 3)
    with closing(backend(work.url).connect()) as database:
        pruned = pruning.Pruning(database)
        monkeypatch.setattr(database, "many", failing(database.many, statements))
        with pytest.raises(KeyboardInterrupt):
            pruned.forget(0)
    for since, state in consumers.items():
        assert applied(state, exported(work.url, since)) == final
    with closing(backend(work.url).connect()) as database:
        pruning.Pruning(database).forget(0)
        assert database.rows("SELECT count(*) FROM attempt") == [(len(PAGES),)]
        latest = "SELECT count(*) FROM attempt AS a JOIN url AS u ON u.id = a.url AND u.run = a.run"
        assert database.rows(latest) == [(len(PAGES),)]


def failing(many: Callable[..., int], after: int) -> Callable[..., int]:
    """``many`` that is interrupted in the middle of its transaction."""
    left = iter(range(after))

    def call(sql: str, rows: list[Any]) -> int:
        if next(left, None) is None:
            many(sql, rows[:1])
            raise KeyboardInterrupt
        return many(sql, rows)

    return call
