"""`scrapy explain` of what no rule refuses, and no run reaches."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect


def test_an_origin_that_was_given_up_has_its_reason(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    private = server.serve({"/": page()}, address="127.0.0.2")
    origin = server.serve({"/": page(f"{private}/")})
    crawl(f"{origin}/", scope="any")
    why = "allow_private: 127.0.0.2 is loopback (private_address)"
    said = say("explain", f"{private}/")
    assert said.lines[0].startswith("Verdict: waiting: would be crawled")
    assert said.lines[0].endswith(f"; the last run gave up its origin: {why}")
    stats = say("frontier", "stats", "-a", f"start={origin}/")
    assert f"  {private} (default): given up: {why}" in stats.lines
    record = say("frontier", "stats", "--json", "-a", f"start={origin}/").record
    assert [each["ended"] for each in record["origins"]] == ["finished", "given_up"]


def test_the_target_of_too_long_a_chain_of_redirects_is_refused_by_it(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/1"), "/1": redirect("/2"), "/2": redirect("/3")}
    origin = server.serve({**site, "/3": page()})
    crawl(f"{origin}/", max_redirects=1)
    said = say("explain", f"{origin}/3")
    assert said.status == 1
    limit = "max_redirects 1 (-a max_redirects)"
    assert said.lines[0] == f"Verdict: refused: {limit} (in the last run, on {origin}/2)"
    assert say("explain", f"{origin}/3", "-a", "max_redirects=2").status == 0
    assert f"because the target is refused: {limit}" in say("explain", f"{origin}/2").out


def test_a_robots_txt_that_cannot_be_read_for_now_deletes_nothing(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page()}
    origin = server.serve(site)
    crawl(f"{origin}/")
    site["/robots.txt"] = Answer("busy", status=503)
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE origin SET robots_expires_at = 1")
    run = crawl(f"{origin}/", patience=1, force=True)
    said = say("explain", f"{origin}/", "--json")
    assert run.deletions == {}
    words = f"{origin}/robots.txt could not be read: status 503"
    assert said.record["verdict"] == f"refused: {words}"
    assert said.record["reason"] == "robots_txt_unreachable"
