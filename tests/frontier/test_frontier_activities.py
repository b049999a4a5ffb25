"""URLs that a run considers, and those that wait whatever their age."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from workers import SITE, Crawls, Worker, candidate

from sitecrawl.frontier.base import VisitResult
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.lifecycle.selection import Activity
from sitecrawl.policy.outcomes import Outcome

ALWAYS = Revisit(interval=0.0)


def known(work: Crawls) -> None:
    """A crawl that knows a start, a page, a page that is gone, and one never visited."""
    worker = work()
    worker.seed("/", "/page", "/gone")
    worker.crawl({"/": "home", "/page": "page", "/gone": Outcome.FILE_GONE})
    worker.seed("/new")
    worker.end()


def paths(worker: Worker) -> list[str]:
    """Return the due URLs; assert that no others are counted as waiting."""
    found = [due.url.removeprefix(SITE) for due in worker.due()]
    backlog = worker.store.backlog()
    assert backlog.mine + backlog.free == len(found)
    return found


@pytest.mark.behaviour("RC-20")
@pytest.mark.parametrize(
    ("activity", "considered"),
    [
        ("all", ["/", "/page", "/new"]),
        ("discover", ["/new"]),
        ("refresh", ["/", "/page"]),
        ("starts", []),
    ],
)
def test_a_run_considers_what_its_activity_says(
    work: Crawls, activity: Activity, considered: list[str]
) -> None:
    known(work)
    worker = work(activity=activity, revisit=ALWAYS)
    assert paths(worker) == considered
    worker.end()
    assert paths(work(revisit=ALWAYS)) == ["/", "/page", "/new"], "nothing is set aside for ever"


@pytest.mark.behaviour("X-11")
def test_what_is_recalled_waits_if_it_was_set_aside(work: Crawls) -> None:
    known(work)
    worker = work(activity="starts", revisit=Revisit(interval=1e6))
    worker.store.unskip([candidate("/new"), candidate("/page"), candidate("/unknown")])
    assert paths(worker) == ["/new"], "the page is not due"


@pytest.mark.behaviour("X-11", "A-02", "RC-20")
@pytest.mark.parametrize("activity", ["starts", "refresh"])
def test_links_that_a_run_of_starts_or_known_pages_finds_wait_for_another(
    work: Crawls, activity: Activity
) -> None:
    worker = work(activity=activity)
    worker.seed("/")
    (due,) = worker.due()
    links = [candidate("/link"), candidate("/led", via="redirect"), candidate("/")]
    worker.commit(VisitResult(due, 1e9, 0.0, Outcome.FILE_INGESTED, candidates=links))
    assert paths(worker) == ["/led"]
    worker.end()
    assert paths(work(revisit=Revisit(interval=1e10))) == ["/link", "/led"]


@pytest.mark.behaviour("P-11", "S-03")
def test_what_is_reminded_of_waits_whatever_its_age(work: Crawls) -> None:
    known(work)
    worker = work()
    worker.store.mark_due([candidate(path) for path in ("/page", "/gone", "/new", "/unknown")])
    assert worker.crawl({"/page": "page", "/new": "new"}) == ["/page", "/new"]
    worker.store.requeue_due()
    assert paths(worker) == [], "no age is reached"


@pytest.mark.behaviour("P-11")
def test_a_round_has_again_what_its_run_has_visited(work: Crawls) -> None:
    worker = work(revisit=ALWAYS)
    worker.seed("/")
    assert worker.crawl({"/": "home"}) == ["/"]
    worker.store.requeue_due()
    assert worker.crawl({"/": "home"}) == ["/"]


@pytest.mark.behaviour("X-09")
def test_another_date_of_a_feed_asks_again(work: Crawls) -> None:
    worker = work()
    worker.seed("/a", "/b", "/c")
    days = {path: datetime(2026, 11, 5, tzinfo=UTC) for path in ("/a", "/b", "/c")}
    worker.store.record_feed_dates([(candidate(path), day) for path, day in days.items()])
    worker.crawl({path: path for path in days})
    days |= {"/b": datetime(2026, 11, 6, tzinfo=UTC), "/c": datetime(2026, 11, 4, tzinfo=UTC)}
    worker.store.record_feed_dates([(candidate(path), day) for path, day in days.items()])
    assert worker.crawl({path: path for path in days}) == ["/b", "/c"]
    worker.store.record_feed_dates([(candidate(path), day) for path, day in days.items()])
    assert paths(worker) == []


@pytest.mark.behaviour("K-31")
def test_a_rest_that_a_url_asked_for_is_kept_whatever_a_run_considers(work: Crawls) -> None:
    worker = work()
    worker.seed("/rests", "/rested")
    for due, rest in zip(worker.due(), (3600.0, -1.0), strict=True):
        now = time.time()
        visit = VisitResult(due, now, 0.0, Outcome.RATE_LIMITED, not_before=now + rest)
        worker.commit(visit)
    worker.store.mark_due([candidate("/rests"), candidate("/rested")])
    assert [due.url for due in worker.due()] == [f"{SITE}/rested"]
    worker.end()
    assert [due.url for due in work(force=True).due()] == [f"{SITE}/rested"]
