"""Origins belong to one worker at a time, whatever becomes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Thread

import pytest
from workers import SITE, Crawls, Worker, candidate, ingested

from sitecrawl.frontier.base import Backlog, Change, Entry
from sitecrawl.frontier.leases import IN_FLIGHT_SECONDS, is_dead, new_worker
from sitecrawl.frontier.opening import open_administration
from sitecrawl.policy.outcomes import Outcome

OTHER = "http://the-other.example"


def silent(worker: Worker) -> None:
    """Let the worker not be heard of until its leases end."""
    past = worker.database.now() - 1.0
    owner = worker.store.owner
    worker.database.execute("UPDATE origin SET lease_until = ? WHERE owner = ?", (past, owner))
    worker.database.execute("UPDATE worker SET alive_until = ? WHERE owner = ?", (past, owner))


def dead(worker: Worker) -> None:
    """Let the worker be a process of this system that is no more."""
    system, pid, _, token = worker.store.owner.rsplit("/", 3)
    names = (f"{system}/{pid}/0/{token}", worker.store.owner)
    worker.database.execute("UPDATE origin SET owner = ? WHERE owner = ?", names)
    worker.database.execute("UPDATE worker SET owner = ? WHERE owner = ?", names)


def leased(worker: Worker, limit: int = 10) -> list[str]:
    """The origins that the worker gets now."""
    return [state.key for state in worker.store.lease(limit)]


def test_an_origin_has_one_worker(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/", f"{OTHER}/")
    assert leased(one) == [SITE]  # each has its share
    assert leased(two) == [OTHER]
    assert leased(one) == leased(two) == []
    one.end()
    assert leased(two) == [SITE]


def test_nobody_waits_for_an_origin_that_the_run_has_given_up(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/", f"{OTHER}/")
    assert (leased(one), leased(two)) == ([SITE], [OTHER])
    one.store.exclude_from_run(SITE, "it fails")
    two.store.exclude_from_run(OTHER, "it fails")
    one.seed("/found later")
    assert one.store.backlog() == two.store.backlog() == Backlog(0, 0, 0, None)
    assert leased(one) == leased(two) == []
    one.store.readmit(SITE)
    assert leased(two) == [SITE]
    one.end()
    two.end()
    assert sorted(leased(work())) == sorted([SITE, OTHER])


def test_an_origin_that_was_lost_is_not_given_up(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/")
    assert leased(one) == [SITE]
    silent(one)
    assert leased(two) == [SITE]
    one.store.exclude_from_run(SITE, "it fails")
    assert two.store.backlog().mine == 1


def test_workers_on_one_database_share_a_run(work: Crawls) -> None:
    one, two = work(), work()
    assert one.store.run == two.store.run == 1
    one.end()
    assert one.database is not two.database
    assert two.database.rows("SELECT finished_at FROM run") == [(None,)]
    two.end()
    assert work().store.run == 2


@pytest.mark.behaviour("P-08", "P-10")
def test_backlog_tells_nothing_now_from_finished(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/", f"{OTHER}/")
    leased(one, 1)
    backlog = two.store.backlog()
    assert (backlog.mine, backlog.free, backlog.elsewhere) == (0, 1, 1)
    assert one.store.backlog().mine == 1
    leased(two)
    one.crawl({"/": "home"})
    two.crawl({f"{OTHER}/": "other"}, key=OTHER)
    backlog = two.store.backlog()
    assert (backlog.mine, backlog.free, backlog.elsewhere) == (0, 0, 0)


def test_results_of_a_lost_lease_are_dropped(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/")
    [due] = one.due()
    silent(one)
    assert leased(two) == [SITE]
    links = [candidate("/a", depth=1)]
    visit = ingested(due, "home", time.time(), candidates=links)
    [written], changes = one.store.commit(SITE, [visit])
    assert changes == []
    assert written.outcome is Outcome.LEASE_LOST
    assert not one.store.leases.safe(SITE)
    assert one.store.pop(SITE, 10) == []
    assert one.lines() == []
    [again] = two.due()
    assert again.url == due.url
    two.commit(ingested(again, "home", time.time()))
    rows = two.database.rows("SELECT outcome FROM attempt ORDER BY id")
    assert rows == [(Outcome.LEASE_LOST,), (Outcome.FILE_INGESTED,)]
    assert two.lines() == ["new /"]


def test_a_lost_origin_is_neither_saved_nor_settled_nor_released(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/")
    [state] = one.store.lease(1)
    silent(one)
    leased(two)
    one.store.save_origin(type(state)(SITE, "text", 200, 1.0, 1.0, 1.0, 1))
    assert one.store.settle(SITE).changes == []
    one.store.release(SITE)
    assert two.database.rows("SELECT robots_text FROM origin") == [(None,)]
    assert leased(one) == []
    assert two.store.leases.safe(SITE)


def test_renewal_keeps_a_lease(work: Crawls) -> None:
    one, two = work(lease_seconds=3.0), work()
    one.seed("/")
    assert leased(one) == [SITE]
    for _ in range(4):
        time.sleep(0.8)
        one.store.renew()
        assert leased(two) == []
    assert one.store.leases.safe(SITE)


def test_a_lease_ends_by_itself(work: Crawls) -> None:
    one, two = work(lease_seconds=2.0), work()
    one.seed("/")
    begun = time.monotonic()
    assert leased(one) == [SITE]
    assert one.store.leases.safe(SITE)
    time.sleep(1.6)
    assert not one.store.leases.safe(SITE)  # a request may no more begin
    early = leased(two)
    assert early == [] or time.monotonic() - begun >= 2.0
    time.sleep(0.5)
    assert early + leased(two) == [SITE]


@pytest.mark.behaviour("W-03")
def test_leases_that_expired_together_stay_with_their_workers(work: Crawls) -> None:
    one, two = work(lease_seconds=1.0), work(lease_seconds=1.0)
    one.seed("/", f"{OTHER}/")
    assert (leased(one), leased(two)) == ([SITE], [OTHER])
    [due] = two.store.pop(OTHER, 1)
    time.sleep(1.1)  # something kept both, such as a locked database
    assert leased(one) == []
    two.store.renew()
    [written] = two.store.commit(OTHER, [ingested(due, "home", time.time())]).visits
    assert written.outcome is Outcome.FILE_INGESTED
    one.store.renew()
    assert SITE in one.store.leases


def test_a_lease_that_expired_unnoticed_keeps_its_popped_urls(work: Crawls) -> None:
    one = work()
    one.seed("/", "/a")
    [due] = one.due(limit=1)
    one.database.execute("UPDATE origin SET lease_until = 0")
    one.seed(f"{OTHER}/")
    assert SITE in leased(one)
    assert [each.url for each in one.store.pop(SITE, 10)] == [f"{SITE}/a"]
    one.commit(ingested(due, "home", time.time()))
    assert one.lines() == ["new /"]


@pytest.mark.behaviour("P-06")
@pytest.mark.parametrize("end", [silent, dead])
@pytest.mark.parametrize(
    ("asked", "pause"),
    [(None, 5.0), (30.0, 30.0), (900.0, 120.0)],
    ids=["delay", "Crawl-delay", "longest"],
)
def test_an_origin_rests_after_its_worker_died(
    end: Callable[[Worker], None], asked: float | None, pause: float, work: Crawls
) -> None:
    one, two = work(), work(delay=5.0)
    one.seed("/")
    [state] = one.store.lease(1)
    one.store.save_origin(replace(state, delay=asked))
    end(one)
    before = two.database.now()
    [taken] = two.store.lease(1)
    rest = IN_FLIGHT_SECONDS + pause
    assert before + rest <= taken.ready_at <= two.database.now() + rest


def test_a_longer_rest_outlasts_the_worker(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/")
    [state] = one.store.lease(1)
    until = two.database.now() + 3600.0
    one.store.save_origin(replace(state, ready_at=until))
    dead(one)
    assert [taken.ready_at for taken in two.store.lease(1)] == [until]


def test_a_silent_worker_returns(work: Crawls) -> None:
    one, two = work(), work()
    one.seed("/")
    leased(one)
    silent(one)
    two.store.lease(0)
    assert two.database.rows("SELECT count(*) FROM worker") == [(1,)]
    one.store.renew()
    assert two.database.rows("SELECT count(*) FROM worker") == [(2,)]
    assert leased(two) == []


def test_a_dead_process_is_distinguished_from_a_living_one() -> None:
    name = new_worker()
    system, pid, started, token = name.rsplit("/", 3)
    assert not is_dead(name)
    assert is_dead(f"{system}/{pid}/{int(started) - 1}/{token}")  # its number was given again
    assert is_dead(f"{system}/{2**22 + 1}/{started}/{token}")
    assert not is_dead(f"another/{system}/{pid}/{started}/{token}")
    assert not is_dead(f"/{pid}/0/{token}")


def test_what_waits_is_counted_after_the_batches_under_way(
    work: Crawls, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = work()
    worker.seed("/a", "/b", "/c")
    dues = worker.due()
    visits = [ingested(due, due.url, time.time()) for due in dues[:2]]

    def clear() -> None:
        with open_administration(work.url) as administration:
            administration.clear_errors()

    clearing = Thread(target=clear)
    write = worker.store._outbox.write

    def slow(entries: Sequence[Entry]) -> list[Change]:
        clearing.start()
        clearing.join(0.5)  # it waits for this transaction
        return write(entries)

    monkeypatch.setattr(worker.store._outbox, "write", slow)
    worker.commit(*visits)
    clearing.join()
    assert worker.database.rows("SELECT pending FROM origin") == [(1,)]


@pytest.mark.behaviour("W-12", "W-03")
def test_a_crawl_by_address_has_one_worker_at_a_time(work: Crawls) -> None:
    one, two = work(one_worker=True), work(one_worker=True)
    one.seed("/", f"{OTHER}/")
    assert leased(one, 1) == [SITE]
    assert leased(two) == []
    assert two.store.claim(OTHER) is None
    assert leased(one) == [OTHER]
    assert one.store.leases.share().others == []
    silent(one)
    for origin in (SITE, OTHER):
        one.store.leases[origin].safe_until = 0.0
    assert leased(two, 1) == [SITE]
    one.store.renew()
    assert SITE not in one.store.leases
    assert OTHER not in one.store.leases, "the other has the crawl"
    assert leased(two) == [OTHER]


@pytest.mark.behaviour("W-03")
def test_many_leases_are_renewed_but_for_those_that_were_lost(work: Crawls) -> None:
    one = work()
    origins = [f"http://site-{number}.example" for number in range(300)]
    one.seed(*(f"{origin}/" for origin in origins))
    assert len(leased(one, 500)) == len(origins)
    lost = origins[::100]
    for origin in lost:
        one.database.execute("UPDATE origin SET fence = fence + 1 WHERE key = ?", (origin,))
    one.database.execute("UPDATE origin SET lease_until = 0")
    one.store.renew()
    assert [each for each in origins if each not in one.store.leases] == lost
    renewed = "SELECT count(*) FROM origin WHERE lease_until > ?"
    assert one.database.rows(renewed, (one.database.now(),)) >= [(len(origins) - len(lost),)]
