"""A budget of pages a day: spent over several runs, reported, and never a cause of deletions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page

PATHS = [f"/{number}" for number in range(8)]
SITE: Site = {
    "/": page(*PATHS, title="Home"),
    **{path: page(title=f"Page {path}") for path in PATHS},
}
WAIT = "wait for tomorrow's budget (max_pages_per_day 4; the day ends at 0:00 UTC)."


def sleep_until_tomorrow(crawl: CrawlCommand) -> None:
    """Move the counts of the day, and all visits, into yesterday."""
    (path,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE origin SET visit_day = visit_day - 1")


@pytest.mark.behaviour("P-20")
def test_a_budget_of_pages_is_spent_day_by_day(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    options: dict[str, Any] = {"max_pages_per_day": 4, "crawl_name": "one"}

    def run(**more: object) -> tuple[list[str], str]:
        before = len(server.log.of(origin))
        done = crawl(f"{origin}/", **options, **more)
        assert done.status == 0, done.log[-3000:]
        asked = [each.target for each in server.log.of(origin)[before:]]
        return [each for each in asked if each in SITE], done.log

    asked, log = run()
    assert asked == ["/", *PATHS[:3]]
    assert f"5 pages of {origin} {WAIT}" in log
    asked, log = run()
    assert asked == []
    assert f"5 pages of {origin} {WAIT}" in log
    status, explained = crawl.command("explain", f"{origin}{PATHS[7]}", "-a", "crawl_name=one")
    assert status == 0
    assert "waiting: would be crawled, tomorrow at the earliest: 4 pages were visited" in explained
    status, shown = crawl.command("frontier")
    assert f"{origin} (default): waits for tomorrow's budget" in shown
    assert "9 URLs, 5 waiting, 4 documents, 4 of 4 pages of today visited" in shown
    sleep_until_tomorrow(crawl)
    assert run()[0] == PATHS[3:7]
    sleep_until_tomorrow(crawl)
    asked, log = run(recrawl=0)  # a start comes first, then a new page, then known ones
    assert asked[:2] == ["/", "/7"]
    assert len(asked) == 4
    assert f"5 pages of {origin} {WAIT}" in log
    assert crawl.rows("SELECT count(*) FROM document WHERE seq IS NOT NULL") == [(9,)]
    assert crawl.rows("SELECT count(*) FROM outbox WHERE op = 'delete'") == [(0,)]


@pytest.mark.behaviour("P-20")
def test_what_is_refused_or_repeated_takes_no_page_of_the_budget(
    server: Server, crawl: CrawlCommand
) -> None:
    site = {**SITE, "/robots.txt": "User-agent: *\nDisallow: /0\nDisallow: /1\n"}
    origin = server.serve(site)
    done = crawl(f"{origin}/", max_pages_per_day=4)
    assert done.kept == {f"{origin}{path}" for path in ("/", "/2", "/3", "/4")}
    assert crawl.rows("SELECT day_visits FROM origin") == [(4,)]
