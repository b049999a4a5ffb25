"""The budget of pages a day, shared by workers, and the order in which it is spent."""

from __future__ import annotations

import time

import pytest
from workers import SITE, Crawls, candidate

from sitecrawl.policy.lifecycle.revisit import DAY, HOUR, Revisit

ALWAYS = Revisit(interval=0.0)
OTHER = "http://other.example"


@pytest.mark.behaviour("P-20")
def test_workers_and_runs_share_the_budget_of_an_origin(work: Crawls) -> None:
    first, second = work(daily_pages=3), work(daily_pages=3)
    first.seed("/a", "/b", "/c", "/d", "/e", f"{OTHER}/")
    first.store.lease(100)
    begun = first.store.pop(SITE, 2, 0)
    assert len(begun) == 2
    assert len(first.store.pop(SITE, 50, len(begun))) == 1
    for due in begun:
        first.commit(first.visit(due, f"text of {due.url}", time.time()))
    first.store.release(SITE)
    [state] = second.store.lease(100)
    assert state.key == SITE
    [third] = second.store.pop(SITE, 50, 0)
    second.commit(second.visit(third, "the third", time.time()))
    assert second.store.pop(SITE, 50, 0) == []
    second.store.release(SITE)
    assert second.store.lease(100) == []
    assert second.store.backlog().waiting == 1  # that of the other origin
    assert second.store.out_of_budget() == {SITE: 2}
    first.end()
    second.end()
    later = work(daily_pages=3)
    assert [each.key for each in later.store.lease(100)] == [OTHER]
    later.database.execute("UPDATE origin SET visit_day = visit_day - 1")
    assert [each.key for each in later.store.lease(100)] == [SITE]
    assert len(later.store.pop(SITE, 50, 0)) == 2
    later.end()
    assert {each.key for each in work().store.lease(100)} == {SITE, OTHER}


@pytest.mark.behaviour("P-21")
def test_new_pages_and_those_likely_to_have_changed_come_in_turns(work: Crawls) -> None:
    begun = time.time() - 8 * DAY
    known = [candidate(path) for path in ("/calm", "/busy", "/dated")]
    for number in range(4):  # every second day
        worker = work(revisit=ALWAYS)
        worker.store.add(known)
        worker.store.mark_due(known)
        pages = {"/calm": "as ever", "/busy": f"version {number}", "/dated": "as ever, too"}
        worker.crawl(pages, at=begun + number * 2 * DAY)
        worker.end()
    worker = work(revisit=ALWAYS, daily_pages=100)
    worker.store.add(
        [
            candidate("/start", via="seed", priority=1),
            candidate("/new/1"),
            candidate("/new/2"),
            candidate("/low", priority=-1),
        ]
    )
    worker.store.mark_modified([(candidate("/dated"), time.time() - HOUR)])
    worker.database.execute("UPDATE origin SET visit_day = 0")
    worker.store.lease(100)

    def popped(limit: int, reserved: int) -> list[str]:
        found = worker.store.pop(SITE, limit, reserved)
        return [due.url.removeprefix(SITE) for due in found]

    assert popped(4, 0) == ["/start", "/new/1", "/dated", "/new/2"]
    assert popped(4, 5) == ["/busy", "/calm", "/low"]
