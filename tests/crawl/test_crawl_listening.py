"""Robots.txt, sitemaps and feeds: requested only if they have changed, and what they name is read soon."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1
from typing import Any

import pytest
from walked import wait_for

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def tagged(text: str) -> Answer:
    """A file with a strong validator."""
    return Answer(text, headers={"ETag": f'"{sha1(text.encode()).hexdigest()}"'})


def sitemap(origin: str, *paths: str) -> Answer:
    entries = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in paths)
    return tagged(f'<urlset xmlns="{SCHEMA}">{entries}</urlset>')


def index(origin: str, *paths: str) -> Answer:
    entries = "".join(f"<sitemap><loc>{origin}{path}</loc></sitemap>" for path in paths)
    return tagged(f'<sitemapindex xmlns="{SCHEMA}">{entries}</sitemapindex>')


def feed(origin: str, *paths: str) -> Answer:
    items = "".join(f"<item><link>{origin}{path}</link></item>" for path in paths)
    return tagged(f'<rss version="2.0"><channel>{items}</channel></rss>')


def statuses(server: Server, path: str) -> list[int]:
    return [each.status for each in server.log.of() if each.target == path]


FILES = ("/robots.txt", "/index.xml", "/map.xml", "/feed.xml")


@pytest.fixture
def listed(server: Server) -> tuple[str, dict[str, Page]]:
    """A site whose robots.txt names an index of sitemaps and a feed."""
    site: dict[str, Page] = {"/": page(title="Start")}
    origin = server.serve(site)
    site["/robots.txt"] = tagged(
        "Sitemap: /index.xml\nSitemap: /feed.xml\nUser-agent: *\nDisallow: /no\n"
    )
    site |= {f"/{name}": page(title=name) for name in ("a", "b", "c", "no")}
    site["/index.xml"] = index(origin, "/map.xml")
    site["/map.xml"] = sitemap(origin, "/a", "/no")
    site["/feed.xml"] = feed(origin, "/b")
    return origin, site


@pytest.mark.behaviour("LI-01")
def test_files_that_have_not_changed(
    listed: tuple[str, dict[str, Page]], server: Server, crawl: CrawlCommand
) -> None:
    origin, site = listed
    assert len(crawl(f"{origin}/").documents) == 3
    assert {path: statuses(server, path) for path in FILES} == {path: [200] for path in FILES}
    server.log.clear()
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    assert {path: statuses(server, path) for path in FILES} == {path: [304] for path in FILES}
    assert (run.stats["sitecrawl/sitemaps/read"], run.lines) == (3, [])
    assert server.log.count("/no") == 0, "the rules of the kept robots.txt hold"
    assert "is not read" not in run.log

    site["/feed.xml"] = feed(origin, "/c", "/b")
    server.log.clear()
    assert set(crawl(f"{origin}/").documents) == {f"{origin}/c"}
    assert [statuses(server, path) for path in FILES] == [[304], [304], [304], [200]]
    server.log.clear()
    crawl(f"{origin}/", force=1)
    assert [statuses(server, path) for path in FILES] == [[200]] * 4


@pytest.mark.behaviour("LI-01")
def test_a_crawl_that_goes_on_reads_unchanged_files_once(
    listed: tuple[str, dict[str, Page]], server: Server, crawl: CrawlCommand
) -> None:
    origin, site = listed
    running = crawl.begin(f"{origin}/", delay=0.02, interval=1)
    try:
        wait_for(lambda: statuses(server, "/feed.xml")[:2] == [200, 304])
        site["/map.xml"] = sitemap(origin, "/a", "/c")
        wait_for(lambda: server.log.count("/c") == 1)
        wait_for(lambda: statuses(server, "/map.xml")[-1] == 304)
    finally:
        running.process.terminate()
        run = running.finish()
    assert f"{origin}/c" in run.documents
    assert run.stats["sitecrawl/sitemaps/unchanged"] >= 2
    assert run.stats["sitecrawl/sitemaps/read"] == 4
    assert server.log.shortest_gap(origin) >= 0.02
    assert [server.log.count(f"/{name}") for name in "abc"] == [1, 1, 1], "none was due again"


@pytest.mark.behaviour("LI-03")
def test_feeds_that_the_head_of_a_start_names(server: Server, crawl: CrawlCommand) -> None:
    kind = 'rel="alternate" type="application/{}+xml"'
    named = {"/rss": "rss", "/empty": "atom", "http://127.0.0.99:9/rss": "rss", "/no/rss": "rss"}
    head = "".join(f'<link {kind.format(each)} href="{url}">' for url, each in named.items())
    comments = page(head=f'<link {kind.format("rss")} href="/comments">', title="A")
    site: dict[str, Page] = {"/a": comments, "/new": page(title="New")}
    site["/"] = Answer(page("/a", head=head), headers={"ETag": '"1"'})
    site["/robots.txt"] = "User-agent: *\nDisallow: /no\n"
    site["/empty"] = tagged('<feed xmlns="http://www.w3.org/2005/Atom"/>')
    origin = server.serve(site)
    site["/rss"] = feed(origin, "/a")
    assert len(crawl(f"{origin}/").documents) == 2
    assert server.log.count("/rss") == 0, "a crawl that ends follows links"

    server.log.clear()
    running = crawl.begin(f"{origin}/", delay=0.02, interval=1)
    try:
        wait_for(lambda: statuses(server, "/rss")[:2] == [200, 304])
        site["/rss"] = feed(origin, "/new", "/a")
        wait_for(lambda: server.log.count("/new") == 1)
        wait_for(lambda: statuses(server, "/empty")[-1] == 304)
    finally:
        running.process.terminate()
        run = running.finish()
    assert run.documents.keys() == {f"{origin}/new"}
    assert statuses(server, "/")[:2] == [200, 304], "a later run learns the feeds once"
    assert server.log.count("/comments") == server.log.count("/no/rss") == 0
    assert "/empty is not read" not in run.log
    assert server.log.shortest_gap(origin) >= 0.02


@pytest.mark.behaviour("LI-02")
@pytest.mark.parametrize("listing", [sitemap, feed])
def test_news_in_the_middle_of_a_long_pass(
    listing: Callable[..., Answer], server: Server, crawl: CrawlCommand
) -> None:
    paths = [f"/{number}" for number in range(500)]
    site: dict[str, Any] = {
        "/": page(title="Start"),
        "*": lambda request: page(text=request.target),
    }
    origin = server.serve(site)
    site["/robots.txt"] = "Sitemap: /list.xml\n"
    site["/list.xml"] = listing(origin, *paths)
    running = crawl.begin(f"{origin}/", delay=0.05, interval=1)
    try:
        wait_for(lambda: server.log.count("/5") == 1)
        site["/list.xml"] = listing(origin, "/new", *paths)
        wait_for(lambda: server.log.count("/new") == 1)
    finally:
        running.process.terminate()
        running.finish()
    asked = server.log.targets(origin)
    assert asked.index("/new") < 250, "pages wait that were named before"
    assert 2 <= asked.count("/list.xml") < 0.1 * len(asked)
    assert server.log.shortest_gap(origin) >= 0.05
    assert server.log.most_in_flight(origin) == 1
