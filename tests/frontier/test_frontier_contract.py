"""The frontier's contract, kept by every back end."""

from __future__ import annotations

import time

import pytest
from workers import SITE, Crawls, candidate, digest, ingested

from sitecrawl.frontier.base import FrontierError, VisitResult
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome


@pytest.mark.behaviour("DB-01", "DB-10", "DB-20")
def test_candidates_survive_the_run(work: Crawls) -> None:
    first = work()
    first.seed("/")
    [due] = first.due()
    first.commit(ingested(due, "home", time.time(), candidates=[candidate("/a", depth=1)]))
    second = work()
    second.store.leases.renew()
    first.end()
    assert [due.url for due in second.due()] == [f"{SITE}/a"]


@pytest.mark.behaviour("DB-05", "DB-06")
def test_a_known_url_keeps_its_state(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/broken")
    assert worker.crawl({"/": "home"}) == ["/", "/broken"]
    assert worker.store.add([candidate("/"), candidate("/broken"), candidate("/new")]) == 1
    assert [due.url for due in worker.due()] == [f"{SITE}/new"]
    rows = worker.database.rows("SELECT url, outcome, waiting FROM url ORDER BY id")
    assert rows == [
        (f"{SITE}/", Outcome.FILE_INGESTED, 0),
        (f"{SITE}/broken", Outcome.FILE_NOT_FOUND, 0),
        (f"{SITE}/new", None, 1),
    ]


@pytest.mark.behaviour("DB-12")
def test_seeds_first_then_shallow_then_as_found(work: Crawls) -> None:
    worker = work()
    worker.store.add(
        [
            candidate("/deep", depth=3),
            candidate("/b", depth=1),
            candidate("/a", depth=1),
            candidate("/seed", via="seed", priority=1),
        ]
    )
    assert [due.url[len(SITE) :] for due in worker.due()] == ["/seed", "/b", "/a", "/deep"]


@pytest.mark.behaviour("DB-12")
def test_what_failed_before_comes_after_all_else_but_starts(work: Crawls) -> None:
    failing = {"/": Outcome.REQUEST_TIMEOUT, "/b": Outcome.SERVER_INTERNAL_ERROR}
    options = {"revisit": Revisit(interval=0.0, broken=0.0)}
    worker = work(**options)
    worker.store.add([candidate("/", via="seed", priority=1)])
    worker.store.add([candidate(path, depth=1) for path in ("/b", "/a", "/c")])
    assert worker.crawl({**failing, "/a": "a", "/c": "c"}) == ["/", "/b", "/a", "/c"]
    worker.end()
    again = work(**options)
    again.store.add([candidate("/new", depth=5)])
    paths = [due.url[len(SITE) :] for limit in (2, 2, 9) for due in again.due(limit=limit)]
    assert paths == ["/", "/a", "/c", "/new", "/b"]


@pytest.mark.behaviour("DB-14")
def test_no_url_is_considered_twice_in_a_run(work: Crawls) -> None:
    options = {"revisit": Revisit(interval=0.0)}
    worker = work(**options)
    worker.seed("/", "/a")
    assert worker.crawl({"/": "home", "/a": "a"}) == ["/", "/a"]
    assert worker.due() == []
    worker.end()
    assert work(**options).crawl({"/": "home", "/a": "a"}) == ["/", "/a"]


def test_popped_urls_are_not_popped_again(work: Crawls) -> None:
    worker = work()
    worker.seed("/a", "/b", "/c")
    assert len(worker.due(limit=2)) == 2
    assert [due.url for due in worker.due()] == [f"{SITE}/c"]
    assert worker.due() == []


@pytest.mark.behaviour("S-06", "S-08")
def test_retried_urls_wait_and_stay_popped(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    worker.commit(VisitResult(due, time.time(), 0.0, Outcome.RATE_LIMITED, again=True))
    assert worker.due() == []
    worker.store.release(SITE)
    assert worker.store.lease(1)
    [again] = worker.due()
    assert (again.url, again.outcome) == (due.url, Outcome.RATE_LIMITED)
    worker.commit(ingested(again, "home", time.time()))
    assert worker.lines() == ["new /"]


@pytest.mark.behaviour("DB-23", "DB-17", "S-14")
def test_every_action_is_logged(work: Crawls) -> None:
    worker = work()
    worker.seed("/", "/secret", "/gone")
    worker.crawl(
        {"/": "home", "/secret": Outcome.BLOCKED_BY_ROBOTS_TXT, "/gone": Outcome.FILE_GONE}
    )
    rows = worker.database.rows(
        "SELECT u.url, a.outcome, a.duration FROM attempt AS a JOIN url AS u ON u.id = a.url"
        " ORDER BY a.id"
    )
    assert rows == [
        (f"{SITE}/", 20, 0.1),
        (f"{SITE}/secret", 10, 0.1),
        (f"{SITE}/gone", 41, 0.1),
    ]


@pytest.mark.behaviour("DB-11", "RC-06")
def test_a_due_url_brings_what_the_last_visit_left(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    assert (due.document_id, due.indexed_at, due.etag) == (None, None, None)
    worker.commit(
        ingested(due, "home", 1000.0, etag='W/"x"', last_modified="Mon, 02 Jan 2006 15:04:05 GMT")
    )
    worker.end()
    [due] = work().due()
    assert due.document_id is not None
    assert (due.indexed_at, due.content_hash) == (1000.0, digest("home"))
    assert (due.etag, due.last_modified) == ('W/"x"', "Mon, 02 Jan 2006 15:04:05 GMT")


@pytest.mark.behaviour("DB-19")
def test_the_referrer_is_the_page_that_named_it_first(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    home = ingested(
        due,
        "home",
        time.time(),
        candidates=[
            candidate("/a", depth=1, referrer=f"{SITE}/"),
            candidate("/b", depth=1, via="sitemap", referrer=f"{SITE}/sitemap.xml"),
        ],
    )
    worker.commit(home)
    found = {(due.url, due.referrer, due.depth, due.via) for due in worker.due()}
    assert found == {
        (f"{SITE}/a", f"{SITE}/", 1, "link"),
        (f"{SITE}/b", f"{SITE}/sitemap.xml", 1, "sitemap"),
    }


@pytest.mark.behaviour("DB-18")
def test_a_database_of_another_crawl_is_refused(work: Crawls) -> None:
    work().end()
    told = (
        "belongs to the crawl 'crawl', not to 'second'; give another database, -a crawl_name=crawl,"
    )
    with pytest.raises(FrontierError, match=told):
        work("second")
    assert work("second", realm="other").store.run == 2


@pytest.mark.behaviour("DB-09")
def test_realms_do_not_know_each_other(work: Crawls) -> None:
    docs, blog = work(realm="docs"), work(realm="blog")
    docs.seed("/")
    assert docs.crawl({"/": "home"}) == ["/"]
    blog.seed("/")
    assert blog.due() == []  # the other realm's worker has the origin in hand
    docs.store.release(SITE)
    assert blog.crawl({"/": "home"}) == ["/"]
    assert blog.lines() == ["new /", "new /"]


def test_save_origin_is_kept_between_runs(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [state] = worker.store.lease(1)
    robots = "User-agent: *\0\nDisallow: /private"
    worker.store.save_origin(type(state)(state.key, robots, 200, 12.5, 3.0, 17.0))
    worker.end()
    [state] = work().store.lease(1)
    assert state.robots_text == "User-agent: *\ufffd\nDisallow: /private"
    assert (state.robots_status, state.robots_expires_at) == (200, 12.5)
    assert (state.delay, state.ready_at) == (3.0, 17.0)


def test_a_visit_of_an_unknown_url_makes_it_known(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    stranger = type(due)(SITE, 4711, f"{SITE}/stranger", 2, "link", None)
    worker.commit(ingested(stranger, "text", time.time()))
    assert worker.lines() == ["new /stranger"]
    assert worker.database.rows("SELECT pending FROM origin") == [(1,)]


def test_a_batch_may_be_empty(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    assert len(worker.due()) == 1
    assert worker.commit() == []


def test_odd_text_of_the_web_is_stored(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    odd = "a\0b\ud800é"
    worker.commit(
        ingested(due, odd, time.time(), etag=odd, detail=odd, redirect_to=odd, canonical=odd)
    )
    worker.end()
    [change] = work().store.undelivered(10, 0)
    assert change.record["body"] == "a\0b\ufffdé"  # UTF-8 has no half characters


@pytest.mark.behaviour("DB-13", "DB-22")
def test_the_queue_holds_what_was_never_crawled_or_is_due(work: Crawls) -> None:
    worker = work()
    worker.seed("/old", "/young", "/never")
    old, young, _ = worker.due()
    hours = 3600.0
    worker.commit(
        ingested(old, "old", time.time() - 49 * hours),
        ingested(young, "young", time.time() - 47 * hours),
    )
    worker.end()
    worker = work(revisit=Revisit(interval=48 * hours))
    worker.store.add([candidate("/found", depth=1)])
    dues = [due.url[len(SITE) :] for due in worker.due()]
    assert dues == ["/old", "/never", "/found"]


@pytest.mark.behaviour("DU-04")
def test_a_folder_and_its_default_page_are_one_document(work: Crawls) -> None:
    worker = work()
    worker.seed("/folder/", "/other/main.html", "/other/")
    assert worker.store.add([candidate("/folder/index.html")]) == 0  # one identity
    worker.crawl({"/folder/": "home", "/other/main.html": "same", "/other/": "same"})
    worker.settle()
    assert worker.lines() == [
        "new /folder/",
        "new /other/main.html",
        "metadata /other/main.html",
    ]


@pytest.mark.behaviour("Q-61")
def test_addresses_of_equal_pages_are_added_once_also_in_a_later_run(work: Crawls) -> None:
    worker = work()
    worker.seed("/kept")
    worker.crawl({"/kept": "same"})
    for path in ("/b", "/c", "/d"):
        worker.store.add([candidate(path)])
        worker.crawl({path: "same"})
    assert worker.lines() == ["new /kept"]
    worker.end()  # the run ends before the origin does
    worker = work(revisit=Revisit(interval=0.0))
    worker.crawl({"/kept": "same", **dict.fromkeys(("/b", "/c", "/d"), "same")})
    [change] = worker.settle().changes
    assert change.record["additional_urls"] == [f"{SITE}/{name}" for name in "bcd"]
    assert worker.settle().changes == []


@pytest.mark.behaviour("DU-05")
@pytest.mark.parametrize("runs", [1, 2])
def test_a_start_replaces_an_equal_page_that_an_earlier_run_has_written(
    work: Crawls, runs: int
) -> None:
    worker = work()
    worker.seed("/home")
    worker.store.add([candidate("/deep", depth=2)])
    worker.crawl({"/home": "home", "/deep": "same"})
    if runs == 2:
        worker.end()
        worker = work()
    worker.seed("/home", "/start")
    worker.crawl({"/home": "home", "/start": "same"})
    worker.settle()
    last = ["duplicate /deep > /start", "new /start"] if runs == 2 else ["metadata /deep"]
    assert worker.lines()[2:] == last
