"""Dates of sitemaps: believed once visits have shown that they are right."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page
from fixtures.traps.tarpit import letter

PAGES = 30
OLD = datetime(2020, 1, 1, tzinfo=UTC)


class DatedSite:
    """Pages that a sitemap lists, each with the time of its last change."""

    def __init__(self, server: Server) -> None:
        self.changed = dict.fromkeys(range(PAGES), OLD)
        self.site: Site = {"/": page("/p0", title="Home")}
        self.server = server
        self.origin = server.serve(self.site)
        self.site["/robots.txt"] = f"Sitemap: {self.origin}/sitemap.xml\n"
        for n in range(PAGES):
            self.site[f"/p{n}"] = page(title=f"Page {n}", text=letter(n))
        self.list()

    def list(self) -> None:
        """Write the sitemap."""
        entries = (
            f"<url><loc>{self.origin}/p{n}</loc><lastmod>{date.isoformat()}</lastmod></url>"
            for n, date in self.changed.items()
        )
        self.site["/sitemap.xml"] = f"<urlset>{''.join(entries)}</urlset>"

    def change(self, *numbers: int, really: bool = True) -> None:
        """Date pages anew, and change their texts unless the dates lie."""
        for n in numbers:
            self.changed[n] = datetime.fromtimestamp(time.time(), UTC)
            if really:
                self.site[f"/p{n}"] = page(title=f"Page {n}", text=letter(time.time_ns() + n))
        self.list()

    def asked(self) -> set[str]:
        """Listed pages that were asked for since the last call."""
        targets = {each for each in self.server.log.targets() if each.startswith("/p")}
        self.server.log.clear()
        return targets


@pytest.mark.behaviour("P-18")
def test_right_dates_make_pages_due_and_save_visits(server: Server, crawl: CrawlCommand) -> None:
    site = DatedSite(server)
    start = f"{site.origin}/"
    crawl(start)
    assert len(site.asked()) == PAGES
    site.change(1, 2, 3, 4)
    assert len(crawl(start, recrawl=0).documents) == 4
    assert len(site.asked()) > 20
    site.change(5, 6)
    run = crawl(start, recrawl=0)
    assert {"/p5", "/p6"} <= set(run_asked := site.asked())
    assert len(run_asked) <= 4, "pages that were asked for before the sitemap was read"
    assert "known pages were not visited, as reliable dates" in run.log
    site.change(7)
    crawl.command("frontier", "retry", start)  # nothing is asked of an origin with nothing due
    crawl(start)
    assert site.asked() == {"/p7"}
    crawl(start, recrawl=0, trust_lastmod="no")
    assert len(site.asked()) == PAGES


@pytest.mark.behaviour("P-19")
def test_pages_are_visited_where_dates_are_wrong_or_missing_changes(
    server: Server, crawl: CrawlCommand
) -> None:
    site = DatedSite(server)
    start = f"{site.origin}/"
    crawl(start)
    site.asked()
    site.change(*range(20), really=False)
    crawl(start, recrawl=0)
    assert len(site.asked()) == PAGES
    site.change(1, really=False)
    crawl.command("frontier", "retry", start)
    crawl(start)
    assert site.asked() == set()
    crawl(start, recrawl=0)
    assert len(site.asked()) == PAGES


@pytest.mark.behaviour("P-19")
def test_changed_options_read_even_what_did_not_change(server: Server, crawl: CrawlCommand) -> None:
    site = DatedSite(server)
    start = f"{site.origin}/"
    crawl(start)
    site.change(1, 2, 3, 4)
    crawl(start, recrawl=0)
    site.asked()
    crawl(start, recrawl=0, effort=5)
    assert len(site.asked()) <= 2
    crawl(start, recrawl=0, remove_elements="h1")
    assert len(site.asked()) == PAGES
