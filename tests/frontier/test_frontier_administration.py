"""Reports on a crawl database, and changes to it, as commands use them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from workers import SITE, Crawls, Worker, candidate, ingested

from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.opening import open_administration, open_records
from sitecrawl.frontier.pending_file import Pending, read_pending, write_pending
from sitecrawl.frontier.records import Records, UrlState
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import fingerprint, identity_key


def state(worker: Worker, path: str, **options: Any) -> UrlState:
    """Record of a visited page."""
    identity = fingerprint(identity_key(f"{SITE}{path}"))
    found = Records(worker.database).url(SITE, identity, **options)
    assert found is not None
    return found


def crawled(work: Crawls) -> Worker:
    """A worker that has crawled a page, an error and a redirect, and left one page waiting."""
    worker = work()
    worker.seed("/")
    [due] = worker.due()
    links = [
        candidate(path, depth=1, referrer=f"{SITE}/") for path in ("/missing", "/gone", "/later")
    ]
    worker.commit(ingested(due, "home", 1000.5, candidates=links))
    for due, outcome in zip(
        worker.due(), (Outcome.FILE_NOT_FOUND, Outcome.FILE_GONE), strict=False
    ):
        worker.commit(worker.visit(due, outcome, 2000.0))
    return worker


@pytest.mark.behaviour("DB-02", "DB-03", "DB-04", "DB-07")
def test_the_pending_file_byte_by_byte(work: Crawls) -> None:
    worker = crawled(work)
    work(realm="my realm").seed("/", "/Ü")
    text = "".join(write_pending(Records(worker.database).pending()))
    assert text == (
        "http://site.example/ default 1000\n"
        "http://site.example/ my%20realm 0\n"
        "http://site.example/gone default 2\n"
        "http://site.example/later default 0\n"
        "http://site.example/missing default 2\n"
        "http://site.example/Ü my%20realm 0\n"
    )


@pytest.mark.behaviour("A-06")
def test_a_pending_file_is_read_and_bad_lines_reported() -> None:
    lines = [
        "http://a.example/ default 0\n",
        "\n",
        "http://a.example/b my%20realm 1163462400\r\n",
        "http://a.example/c default\n",
        "a.example/c default 2\n",
        "http://a.example/d default waiting\n",
        "http://a.example/e b 99999999999999999999\n",
    ]
    found, problems = read_pending(lines)
    assert found == [
        Pending("http://a.example/", "default", 0),
        Pending("http://a.example/b", "my realm", 1163462400),
    ]
    assert problems == [
        "line 4 is not of the form URL Realm State: http://a.example/c default",
        "line 5 is not of the form URL Realm State: a.example/c default 2",
        "line 6 is not of the form URL Realm State: http://a.example/d default waiting",
        "line 7 is not of the form URL Realm State: http://a.example/e b 99999999999999999999",
    ]


@pytest.mark.behaviour("A-06")
def test_states_of_a_pending_file_are_adopted(work: Crawls) -> None:
    worker = crawled(work)
    administration = Administration(worker.database)
    states = {"/": 1000, "/missing": 0, "/later": 2, "/new": 0, "/indexed": 5000, "/bad": 2}
    entries = [(candidate(path), number) for path, number in states.items()]
    assert administration.adopt(entries) == 6
    found = {url[len(SITE) :]: number for url, _, number in Records(worker.database).pending()}
    assert found == {**states, "/gone": 2}
    assert [due.url[len(SITE) :] for due in worker.due()] == ["/new", "/missing"]
    assert state(worker, "/").document_id is not None
    assert worker.database.rows("SELECT pending FROM origin") == [(2,)]
    worker.end()
    again = {due.url[len(SITE) :] for due in work().due()}
    assert again == {
        "/",
        "/missing",
        "/gone",
        "/new",
        "/indexed",
    }  # adopted errors stay where they are


@pytest.mark.behaviour("A-05", "S-15")
def test_errors_are_cleared(work: Crawls) -> None:
    worker = crawled(work)
    assert Administration(worker.database).clear_errors() == 2
    assert state(worker, "/missing").state == state(worker, "/gone").state == 0
    assert worker.database.rows("SELECT sum(missing) FROM url") == [(0,)]
    dues = [due.url[len(SITE) :] for due in worker.due()]
    assert dues == ["/missing", "/gone"]  # /later is in hand
    assert Administration(worker.database).clear_errors() == 0


@pytest.mark.behaviour("A-16", "S-03")
def test_one_url_is_retried(work: Crawls) -> None:
    worker = crawled(work)
    administration = Administration(worker.database)
    assert administration.retry(candidate("/gone"))
    assert not administration.retry(candidate("/unknown"))
    assert [due.url for due in worker.due()] == [f"{SITE}/gone"]


@pytest.mark.behaviour("DB-11", "DB-16")
def test_the_state_of_a_url(work: Crawls) -> None:
    worker = crawled(work)
    home = state(worker, "/", revisit=Revisit(interval=100.0))
    assert (home.state, home.outcome, home.waiting, home.via) == (
        1000,
        Outcome.FILE_INGESTED,
        False,
        "seed",
    )
    assert (home.visited_at, home.due, home.visits) == (1000.5, 1100.5, 1)
    assert (home.seq, home.kept_for, home.deletion) == (1, None, None)
    gone = state(worker, "/gone")
    assert (gone.state, gone.outcome, gone.due) == (2, Outcome.FILE_GONE, 2000.0 + 30 * 86400)
    later = state(worker, "/later")
    assert (later.state, later.outcome, later.waiting, later.depth) == (0, None, True, 1)
    unknown = fingerprint(identity_key(f"{SITE}/unknown"))
    assert Records(worker.database).url(SITE, unknown) is None


@pytest.mark.behaviour("DB-19")
def test_the_chain_of_referrers(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    for path, text in (("/a", "1"), ("/b", "2"), ("/c", "3")):
        [due] = worker.due()
        link = candidate(path, depth=due.depth + 1, referrer=due.url)
        worker.commit(ingested(due, text, time.time(), candidates=[link]))
    records = Records(worker.database)
    assert records.referrers(state(worker, "/c").id) == [f"{SITE}{p}" for p in ("/", "/a", "/b")]
    assert records.referrers(state(worker, "/").id) == []
    first = state(worker, "/a").id
    worker.database.execute(
        "UPDATE url SET referrer = ? WHERE id = ?", (state(worker, "/c").id, first)
    )
    assert len(records.referrers(first)) == 2, "/c and /b, which name each other"
    worker.store.add([candidate("/map", via="sitemap", referrer=f"{SITE}/sitemap.xml")])
    assert records.referrers(state(worker, "/map").id) == [f"{SITE}/sitemap.xml"]


@pytest.mark.behaviour("A-14", "S-18", "DB-23")
def test_counts_origins_failures_and_attempts(work: Crawls) -> None:
    worker = crawled(work)
    worker.store.claim("http://only-sitemaps.example")  # has no URL to count
    records = Records(worker.database)
    assert records.counts() == {
        "file_gone": 1,
        "file_ingested": 1,
        "file_not_found": 1,
        "waiting": 1,
    }
    [origin] = records.origins()
    assert (origin.key, origin.urls, origin.waiting, origin.documents) == (SITE, 4, 1, 1)
    assert list(records.failures()) == [
        (f"{SITE}/missing", Outcome.FILE_NOT_FOUND, None, "file_not_found", f"{SITE}/"),
        (f"{SITE}/gone", Outcome.FILE_GONE, None, "file_gone", f"{SITE}/"),
    ]
    [attempt] = records.attempts(state(worker, "/").id)
    assert attempt == (1, 1000.5, 0.1, Outcome.FILE_INGESTED, 200, 4, None)


@pytest.mark.behaviour("DB-09")
def test_records_of_one_realm_are_of_no_other(work: Crawls) -> None:
    worker = crawled(work)
    records = Records(worker.database)
    for ask in (records.counts, records.origins, records.mirrors):
        assert ask("default") == ask()
        assert not ask("other")
    for stream in (records.failures, records.redirects):
        assert list(stream("default")) == list(stream())
        assert not list(stream("other"))
    assert [run.realm for run in records.runs("default", 2)] == ["default"]
    assert not records.runs("other", 2)


def test_records_of_a_database_by_its_url(work: Crawls, tmp_path: Path) -> None:
    crawled(work).end()
    with open_records(work.url) as records:
        assert records.counts()["waiting"] == 1
    with open_administration(work.url) as administration:
        assert administration.clear_errors() == 2
    missing = tmp_path / "none.db"
    with (
        pytest.raises(FrontierError, match=r"There is no crawl database .*none\.db"),
        open_records(f"sqlite:///{missing}"),
    ):
        pass
    assert not missing.exists()
