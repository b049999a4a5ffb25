"""A PostgreSQL server that restarts, or drops connections, does not end a crawl."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from fixtures.crawls import CrawlCommand
from fixtures.databases import Databases
from fixtures.postgres import PostgresServer
from fixtures.relay import Relay, relayed
from fixtures.server import Page, Server, page
from sitecrawl.frontier.opening import open_records

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
PATHS = [f"/{one}-{other}" for one in WORDS for other in WORDS[:6]]
DROP = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A server of the test's own."""
    with PostgresServer() as running:
        yield running


def site() -> dict[str, Page]:
    """Pages with texts of their own."""
    pages: dict[str, Page] = {"/": page(*PATHS, text="Home")}
    for number, path in enumerate(PATHS):
        text = " ".join(f"word{(number * 31 + n * n * 7) % 5000}" for n in range(60))
        pages[path] = page(text=text)
    return pages


def wait_for(server: Server, requests: int) -> None:
    """Wait until the server had so many requests."""
    server.log.wait_for(requests)


@pytest.mark.behaviour("W-04")
def test_a_crawl_goes_on_after_the_server_has_restarted(
    server: Server, crawl: CrawlCommand, postgres: PostgresServer
) -> None:
    url = postgres.url("restarted")
    origins = [server.serve(site(), address=f"127.0.2.{n + 1}") for n in range(3)]
    settings = {"SITECRAWL_DATABASE": url}
    starts = [f"{origin}/" for origin in origins]
    running = crawl.begin(
        *starts, settings=settings, crawl_name="restarted", delay=0.1, politeness=0
    )
    wait_for(server, 40)
    postgres.stop()
    time.sleep(1)
    postgres.start()
    for requests in (90, 120, 150):
        wait_for(server, requests)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(DROP)
    done = running.finish()
    assert done.status == 0, done.log[-3000:]
    assert "answers again" in done.log
    assert all(server.log.most_in_flight(origin) == 1 for origin in origins)
    assert len(server.log.of()) == len({(e.origin, e.target) for e in server.log.of()})
    expected = {f"{origin}{path}" for origin in origins for path in ("/", *PATHS)}
    assert done.documents.keys() == expected
    assert len(done.lines) == len(expected)
    with open_records(url) as records:
        assert len(list(records.changes(0))) == len(expected)


@pytest.mark.slow
@pytest.mark.behaviour("W-04")
def test_lost_commits_and_lost_answers_change_nothing(
    server: Server, crawl: CrawlCommand, databases: Databases, tmp_path: Path
) -> None:
    url = databases.postgres.url("lossy")
    place, folder = relayed(url, tmp_path)
    origin = server.serve(site())
    with Relay(folder, tmp_path) as relay:
        relay.every = 9
        settings = {"SITECRAWL_DATABASE": place}
        options = {"crawl_name": "lossy", "delay": 0.05, "politeness": 0}
        done = crawl(f"{origin}/", settings=settings, **options)
    assert done.status == 0, done.log[-3000:]
    assert min(relay.lost["answer"], relay.lost["commit"]) > 0
    expected = {f"{origin}{path}" for path in ("/", *PATHS)}
    assert done.documents.keys() == expected
    assert len(server.log.targets()) == len(expected) + 1
    assert [line["seq"] for line in done.lines] == list(range(1, len(expected) + 1))
    with open_records(url) as records:
        assert len(list(records.changes(0))) == len(expected)
        [state] = records.origins()
        assert (state.waiting, state.documents) == (0, len(expected))


@pytest.mark.behaviour("W-04")
def test_a_server_that_stays_away_ends_the_crawl(
    server: Server, crawl: CrawlCommand, postgres: PostgresServer
) -> None:
    origin = server.serve(site())
    settings = {"SITECRAWL_DATABASE": postgres.url("away")}
    options = {"crawl_name": "away", "delay": 0.1}
    running = crawl.begin(f"{origin}/", settings=settings, reconnect=1, **options)
    wait_for(server, 10)
    postgres.stop()
    done = running.finish()
    assert done.status == 3, done.log[-3000:]
    postgres.start()
    running = crawl.begin(f"{origin}/", settings=settings, **options)
    wait_for(server, 30)
    postgres.stop()
    time.sleep(0.5)
    running.process.send_signal(signal.SIGINT)
    interrupted_at = time.monotonic()
    assert running.finish().status == 3
    assert time.monotonic() - interrupted_at < 20
    postgres.start()
    last = crawl(f"{origin}/", settings=settings, **options)
    assert last.status == 0, last.log[-3000:]
    with open_records(settings["SITECRAWL_DATABASE"]) as records:
        found = {record["url"] for record in records.documents()}
    assert found == {f"{origin}{path}" for path in ("/", *PATHS)}
