"""Revisit times, in the database and as a pure function."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.base import Outcome, VisitResult
from sitecrawl.policy.lifecycle.revisit import DAY, HOUR, Revisit, Visited, adapted, next_visit

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


@pytest.mark.behaviour("P-15", "RC-14")
def test_each_page_keeps_how_often_it_has_changed(work: Crawls) -> None:
    options = {"revisit": Revisit(interval=8 * HOUR, adaptive=True)}
    for number in range(3):
        worker = work(**options)
        worker.seed("/busy", "/calm")
        worker.store.mark_due([candidate("/busy"), candidate("/calm")])
        worker.crawl({"/busy": f"version {number}", "/calm": "as ever"}, at=1e9 + number * DAY)
        kept = worker.database.rows(
            "SELECT visits, changes, (due - visited_at) / 3600 FROM url ORDER BY url"
        )
        worker.end()
    assert kept == [(3, 2, 2.0), (3, 0, 18.0)]


@pytest.mark.behaviour("P-15")
def test_the_adaptive_interval_follows_the_changes() -> None:
    rule = Revisit(interval=8 * HOUR, minimum=HOUR, maximum=DAY)
    assert adapted(rule, None, changed=True) == 4 * HOUR
    assert adapted(rule, 4 * HOUR, changed=False) == 6 * HOUR
    assert adapted(rule, 1.5 * HOUR, changed=True) == HOUR
    assert adapted(rule, 20 * HOUR, changed=False) == DAY


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
def test_force_makes_everything_due_but_what_is_gone(work: Crawls) -> None:
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
    assert due == {"/", "/moved", "/refused"}


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
