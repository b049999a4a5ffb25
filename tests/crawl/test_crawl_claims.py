"""Requests for sitemaps and feeds wait for the lease of their origin, and for its delay."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page, redirect
from fixtures.server.answer import Request

CLOCK = 0.005  # what the server's log may be late by
TAKEN = "INSERT INTO origin (realm, key, owner, lease_until) VALUES ('default', ?, 'another', ?)"
FREE = "UPDATE origin SET owner = NULL, lease_until = 0 WHERE owner = 'another'"
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>{0}/page</loc></url></urlset>"
)
FEED = '<rss version="2.0"><channel><item><link>{0}/page</link></item></channel></rss>'


def execute(crawl: CrawlCommand, sql: str, *values: object) -> None:
    """Change the crawl database while the crawl runs."""
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute(sql, values)


@pytest.mark.behaviour("P-05", "P-06")
def test_a_sitemap_waits_for_the_worker_that_has_its_origin(
    server: Server, crawl: CrawlCommand
) -> None:
    elsewhere: dict[str, Page] = {"/page": page(title="Page")}
    other = server.serve(elsewhere)
    elsewhere["/sitemap.xml"] = SITEMAP.format(other)
    asked_meanwhile: list[str] = []

    def robots(_: Request) -> Page:
        execute(crawl, TAKEN, other, time.time() + 3600)
        return f"Sitemap: {other}/sitemap.xml\n"

    def last(_: Request) -> Page:
        asked_meanwhile.extend(server.log.targets(other))
        execute(crawl, FREE)
        return page(title="Last")

    site: dict[str, Page] = {"/robots.txt": robots, "/": page("/1", title="Start"), "/5": last}
    site |= {f"/{n}": page(f"/{n + 1}", title=f"Page {n}") for n in range(1, 5)}
    run = crawl(f"{server.serve(site)}/", scope="any")
    assert asked_meanwhile == []
    assert server.log.targets(other) == ["/robots.txt", "/sitemap.xml", "/page"], run.log[-3000:]
    assert len(run.documents) == 7


@pytest.mark.slow
@pytest.mark.behaviour("P-03", "RT-14", "DB-20")
def test_a_feed_waits_for_the_pause_after_the_last_run(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/robots.txt": "User-agent: *\nCrawl-delay: 1.5\n"}
    origin = server.serve(site)
    site |= {"/feed.rss": FEED.format(origin), "/page": page(title="Page")}
    for _ in range(2):
        crawl(f"{origin}/feed.rss", mode="feed")
    feed = ["/robots.txt", "/feed.rss"]
    assert server.log.targets(origin) == [*feed, "/page", *feed]
    assert server.log.shortest_gap(origin) >= 1.5 - CLOCK


@pytest.mark.behaviour("P-03", "P-05", "R-13")
def test_many_robots_txt_that_redirect_to_one_wait_for_their_turn(
    server: Server, crawl: CrawlCommand
) -> None:
    central = server.serve({"/robots.txt": "User-agent: *\nAllow: /\n"})
    site: dict[str, Page] = {"/robots.txt": redirect(f"{central}/robots.txt")}
    origins = [server.serve({**site, "/": page(title=f"Site {n}")}) for n in range(4)]
    run = crawl(*(f"{origin}/" for origin in origins), delay=0.4)
    assert len(run.documents) == 4, run.log[-3000:]
    assert server.log.count("/robots.txt", central) == 4
    assert server.log.shortest_gap(central) >= 0.4 - CLOCK
