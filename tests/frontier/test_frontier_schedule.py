"""Revisit times, in the database and as a pure function."""

from __future__ import annotations

import random
import statistics
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.base import VisitResult
from sitecrawl.policy.lifecycle.change_rate import ChangeHistory
from sitecrawl.policy.lifecycle.revisit import DAY, HOUR, Age, Revisit, Visited, next_visit
from sitecrawl.policy.outcomes import Outcome

CASES = tomllib.loads((Path(__file__).parent / "cases" / "revisit.toml").read_text("utf-8"))["case"]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"], marks=pytest.mark.behaviour(case["id"]))
        for case in CASES
    ],
)
def test_next_visit(case: dict[str, Any]) -> None:
    rule = Revisit(**case.get("rule", {}))
    visited = Visited(Outcome[case["outcome"]], at=1e9, **case.get("visit", {}))
    found = next_visit(rule, visited)
    due = None if found.at is None else found.at - 1e9 + rule.ages[found.age]
    assert due == case.get("due")


BY_RATE = {"revisit": Revisit(by_rate=True)}


@pytest.mark.behaviour("P-15", "RC-14")
def test_a_page_that_changes_is_due_sooner(work: Crawls) -> None:
    begun = time.time() - 30 * DAY
    for number in range(11):  # every third day
        worker = work(**BY_RATE)
        worker.seed("/busy", "/calm", "/new" if number == 10 else "/calm")
        worker.store.mark_due([candidate("/busy"), candidate("/calm")])
        pages = {"/busy": f"version {number}", "/calm": "as ever", "/new": "new"}
        worker.crawl(
            {path: text for path, text in pages.items() if number == 10 or path != "/new"},
            at=begun + number * 3 * DAY,
        )
        worker.end()

    def due_after(days: float, **options: Any) -> set[str]:
        worker = work(**BY_RATE, **options)
        [(last,)] = worker.database.rows("SELECT max(visited_at) FROM url")
        worker.database.execute(
            "UPDATE url SET due = due + ?, visited_at = visited_at + ?",
            (time.time() - days * DAY - last,) * 2,
        )
        worker.end()
        worker = work(**BY_RATE, **options)
        found = {due.url.removeprefix(SITE) for due in worker.due()}
        worker.database.execute("UPDATE url SET waiting = 0")
        worker.end()
        return found

    assert due_after(0.9) == set()
    assert due_after(1.1) == {"/busy"}
    assert due_after(2.1) == {"/busy", "/new"}
    assert due_after(20) == {"/busy", "/calm", "/new"}


@pytest.mark.behaviour("P-15")
def test_a_page_read_with_other_options_shows_no_change(work: Crawls) -> None:
    for number, reading in enumerate(("one", "two", "two")):
        worker = work(**BY_RATE, reading=reading)
        worker.seed("/")
        worker.store.mark_due([candidate("/")])
        worker.crawl({"/": f"read as {reading}"}, at=1e9 + number * DAY)
        known = worker.database.rows("SELECT compared, compared_changes, visits FROM url")
        worker.end()
    assert known == [(1.0, 0.0, 3)]


@pytest.mark.behaviour("P-15")
def test_the_age_by_rate_stays_within_its_bounds() -> None:
    always, never = ChangeHistory(), ChangeHistory()
    for _ in range(200):
        always = always.compared(DAY, changed=True)
        never = never.compared(20 * DAY, changed=False)
    rule = Revisit(by_rate=True)
    assert rule.age_of(Age.PAGE, None) == pytest.approx(2 * DAY)
    assert rule.age_of(Age.PAGE, always.rate) == DAY
    assert 14 * DAY < rule.age_of(Age.PAGE, never.rate) < 30 * DAY
    assert Revisit(by_rate=True, maximum=7 * DAY).age_of(Age.PAGE, never.rate) == 7 * DAY
    assert Revisit(by_rate=True, minimum=3 * DAY).age_of(Age.PAGE, always.rate) == 3 * DAY
    assert always.visits <= 21


@pytest.mark.behaviour("P-15")
@pytest.mark.parametrize("days", [0.5, 4.0, 32.0])
def test_the_estimate_comes_near_the_rate_of_a_poisson_process(days: float) -> None:
    dice = random.Random(1)
    estimates = []
    for _ in range(200):
        history = ChangeHistory()
        for _ in range(20):
            changed = dice.expovariate(1 / days) < 2
            history = history.compared(2 * DAY, changed=changed)
        estimates.append(history.rate * DAY)
    assert statistics.median(estimates) == pytest.approx(1 / days, rel=0.35)


def visited_at(work: Crawls, at: float, **options: Any) -> None:
    """A database in which one page was visited at that time."""
    worker = work(**options)
    worker.seed("/")
    worker.crawl({"/": "home"}, at=at)
    worker.end()


@pytest.mark.behaviour("RC-01", "RC-08", "RC-17", "DB-08")
def test_a_page_is_due_when_older_than_the_interval(work: Crawls) -> None:
    visited_at(work, time.time() - 47 * HOUR)
    assert work().due() == []
    assert work(revisit=Revisit(interval=48 * HOUR)).due() == []


@pytest.mark.behaviour("RC-01", "RC-09")
@pytest.mark.parametrize("interval", [46 * HOUR, 0.0])
def test_the_interval_is_that_of_the_run_that_asks(work: Crawls, interval: float) -> None:
    visited_at(work, time.time() - 47 * HOUR)
    assert len(work(revisit=Revisit(interval=interval)).due()) == 1


@pytest.mark.behaviour("S-04", "S-05")
@pytest.mark.parametrize(
    ("option", "outcome"),
    [
        ("refused", Outcome.SERVER_BLAMED_CLIENT),
        ("broken", Outcome.SERVER_INTERNAL_ERROR),
        ("maximum", Outcome.PERMANENT_REDIRECT),
    ],
)
def test_the_age_of_what_failed_is_that_of_the_run_that_asks(
    work: Crawls, option: str, outcome: Outcome
) -> None:
    def aged(seconds: float) -> Revisit:
        ages: dict[str, Any] = {"interval": 0.0, option: seconds}
        return Revisit(**ages)

    worker = work(revisit=aged(30 * DAY))
    worker.store.add([candidate("/")])
    worker.crawl({"/": outcome}, at=time.time() - 2 * HOUR)
    worker.end()
    for age, due in ((3 * HOUR, 0), (HOUR, 1), (3 * HOUR, 1)):  # then it waits for its visit
        worker = work(revisit=aged(age))
        assert len(worker.due()) == due
        worker.end()


@pytest.mark.behaviour("RC-09")
def test_force_makes_everything_due(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/moved", "/refused", "/gone")
    worker.crawl(
        {
            "/": "home",
            "/moved": Outcome.PERMANENT_REDIRECT,
            "/refused": Outcome.SERVER_BLAMED_CLIENT,
            "/gone": Outcome.FILE_GONE,
        }
    )
    worker.end()
    due = {due.url.removeprefix(SITE) for due in work(force=True).due()}
    assert due == {"/", "/moved", "/refused", "/gone"}


@pytest.mark.behaviour("RC-07")
def test_expires_is_the_next_visit(work: Crawls) -> None:
    worker = work()
    worker.seed("/soon", "/late")
    now = time.time()
    for due, expires_at in zip(worker.due(), (now - 2 * HOUR, now + 5 * DAY), strict=True):
        worker.commit(ingested(due, due.url, now - 3 * HOUR, expires_at=expires_at))
    worker.end()
    urls = [due.url for due in work(revisit=Revisit(interval=48 * HOUR)).due()]
    assert urls == [f"{SITE}/soon"]


@pytest.mark.behaviour("RC-03", "RC-16")
def test_304_moves_the_next_visit_and_keeps_links(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    old = time.time() - 90 * HOUR
    worker.commit(ingested(due, "home", old, candidates=[candidate("/a", depth=1)]))
    worker.end()
    again = work()
    dues = {due.url.removeprefix(SITE): due for due in again.due()}
    assert set(dues) == {"/", "/a"}
    again.commit(VisitResult(dues["/"], time.time(), 0.0, Outcome.FILE_DID_NOT_CHANGE, status=304))
    again.end()
    assert [due.url for due in work().due()] == [f"{SITE}/a"]


@pytest.mark.behaviour("RC-15")
def test_a_changed_page_brings_new_candidates(work: Crawls) -> None:
    visited_at(work, time.time() - 90 * HOUR)
    worker = work()
    [due] = worker.due()
    worker.commit(ingested(due, "home 2", time.time(), candidates=[candidate("/new", depth=1)]))
    assert [due.url for due in worker.due()] == [f"{SITE}/new"]


@pytest.mark.behaviour("RT-19", "M-09", "RC-18")
def test_pages_kept_out_are_looked_at_again(work: Crawls) -> None:
    options = {"revisit": Revisit(interval=48 * HOUR)}
    worker = work(**options)
    worker.seed("/robots", "/noindex")
    worker.crawl(
        {"/robots": Outcome.BLOCKED_BY_ROBOTS_TXT, "/noindex": Outcome.NOINDEX},
        at=time.time() - HOUR,
    )
    worker.end()
    soon = work(**options)
    assert [due.url for due in soon.due()] == [f"{SITE}/robots"]
    soon.end()
    assert len(work(revisit=Revisit(interval=0.0)).due()) == 2


@pytest.mark.behaviour("RC-21")
def test_a_clock_that_was_set_back_stops_nothing(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/soon")
    ahead = time.time() + 300 * DAY
    for due in worker.due():
        worker.commit(ingested(due, due.url, ahead, expires_at=ahead + DAY))
    worker.database.execute("UPDATE run SET started_at = ?", (ahead,))
    worker.database.execute("UPDATE origin SET ready_at = ?", (ahead,))
    worker.end()
    again = work()
    assert [due.url for due in again.due()] == [f"{SITE}/", f"{SITE}/soon"]
    [(ready_at,)] = again.database.rows("SELECT ready_at FROM origin")
    assert ready_at < time.time() + 60
