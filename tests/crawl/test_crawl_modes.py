"""What the modes and activities visit, write and leave alone."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page

RSS = '<rss version="2.0"><channel><title>News</title>{}</channel></rss>'
ITEM = "<item><title>another title</title><link>{}</link><pubDate>{}</pubDate></item>"
FIRST, LATER, EARLIER = (
    "Sun, 01 Nov 2026 00:00:00 GMT",
    "Mon, 02 Nov 2026 00:00:00 GMT",
    "Fri, 02 Oct 2026 00:00:00 GMT",
)


def paths(run: Crawl, origin: str) -> set[str]:
    """The paths of the documents written."""
    assert run.status == 0, run.log[-3000:]
    assert "Traceback" not in run.log
    return {url.removeprefix(origin) for url in run.documents}


def visited(server: Server, origin: str) -> list[str]:
    """The targets asked for since the log was last cleared, robots.txt left out."""
    found = [target for target in server.log.targets(origin) if target != "/robots.txt"]
    server.log.clear()
    return found


@pytest.mark.behaviour("X-01", "X-02", "X-03", "X-05", "X-06", "X-13", "X-14", "X-16", "L-27")
def test_a_sitemap_is_a_list_of_pages(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/map.xml": "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap>"
        "<sitemap><loc>/map.xml</loc></sitemap><sitemap><loc>/two.xml.gz</loc></sitemap>"
        "</sitemapindex>",
        "/one.xml": "\ufeff<urlset><url><loc>/a</loc><lastmod>2026-01-01</lastmod></url>"
        "<url><loc>/doc.xml</loc></url></urlset>",
        "/two.xml.gz": Answer(gzip.compress(b"<urlset><url><loc>b</loc></url></urlset>")),
        "/a": page("/not-listed", title="A"),
        "/b": page(title="B"),
        "/doc.xml": "<report><p>An XML document.</p></report>",
        "/not-listed": page(title="Not listed"),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/map.xml", mode="sitemap", profile="smartsite")
    assert paths(run, origin) == {"/a", "/b", "/doc.xml"}
    assert {each["discovered_via"] for each in run.documents.values()} == {"sitemap"}
    assert visited(server, origin) == [
        *("/map.xml", "/one.xml", "/two.xml.gz", "/a", "/doc.xml", "/b")
    ]
    # What left the sitemap is asked again when its age says so, and not before.
    site["/two.xml.gz"] = "<urlset><url><loc>/new</loc></url></urlset>"
    site["/new"] = page(title="New")
    again = crawl(f"{origin}/map.xml", mode="sitemap", profile="smartsite")
    assert paths(again, origin) == {"/new"}
    assert again.deletions == {}
    assert set(visited(server, origin)) == {"/map.xml", "/one.xml", "/two.xml.gz", "/new"}
    site["/b"] = Answer(status=404)
    aged = crawl(f"{origin}/map.xml", mode="sitemap", profile="smartsite", recrawl=0)
    assert aged.deletions == {f"{origin}/b": "not_found"}
    assert set(visited(server, origin)) >= {"/a", "/b", "/doc.xml", "/new"}
    # The same provider in regular mode reads HTML only.
    regular = crawl(f"{origin}/a", profile="smartsite", name="regular")
    assert paths(regular, origin) == {"/a", "/not-listed"}


@pytest.mark.behaviour("X-04", "X-05")
def test_xml_document_data(server: Server, crawl: CrawlCommand) -> None:
    data = """<?xml version="1.0"?>
    <documentdata version="1.0"><doc_title>A report</doc_title>
      <doc_body type="html"><![CDATA[<h1>Head</h1><p>The <b>text</b> <a href="/no">more</a>]]></doc_body>
      <doc_keywords><value>small animals</value><value>pets</value></doc_keywords>
      <doc_created>2026-01-02</doc_created><doc_language>nl</doc_language>
      <doc_url>https://reports.example/42</doc_url>
      <extra_category><value>News</value><value>Sport</value></extra_category>
    </documentdata>"""
    origin = server.serve(
        {
            "/map.xml": "<urlset><url><loc>/1.xml</loc></url><url><loc>/2.xml</loc></url></urlset>",
            "/1.xml": data,
            "/2.xml": data.replace('documentdata version="1.0"', 'documentdata version="2.0"'),
        }
    )
    run = crawl(f"{origin}/map.xml", mode="sitemap", profile="smartsite")
    (document,) = run.lines
    assert document["url"] == "https://reports.example/42", "in place of its location"
    assert document["url_host"] == "reports.example"
    assert document["title"] == "A report"
    assert document["body"] == "Head\nThe text more"
    assert document["meta_keywords"] == ["small animals", "pets"]
    assert document["language"] == "nl"
    assert document["published_at"].startswith("2026-01-02")
    assert document["fields"] == {"extra_category": ["News", "Sport"]}
    assert "/no" not in server.log.targets(origin)
    wrong = crawl.rows("SELECT reason FROM url WHERE url = ?", f"{origin}/2.xml")
    assert wrong == [("unknown_version",)]


@pytest.mark.behaviour("X-07", "X-08", "X-09", "X-10", "X-14", "DEL-10")
def test_a_feed_is_a_sliding_window(server: Server, crawl: CrawlCommand) -> None:
    elsewhere = server.serve({"*": page(title="Elsewhere")}, address="127.0.0.2")
    site: dict[str, Page] = {
        "/a": page("/other", title="A"),
        "/b": page(title="B"),
        "/c": page(title="C"),
        "/d": page(title="D"),
    }
    origin = server.serve(site)

    def publish(**dates: str) -> None:
        items = (ITEM.format(f"{origin}/{name}", date) for name, date in dates.items())
        site["/feed.rss"] = RSS.format("".join(items) + ITEM.format(f"{elsewhere}/x", FIRST))

    publish(a=FIRST, b=FIRST, c=FIRST)
    feed = f"{origin}/feed.rss"
    run = crawl(feed, mode="feed")
    assert paths(run, origin) == {"/a", "/b", "/c"}
    assert {each["title"] for each in run.documents.values()} == {"A", "B", "C"}
    assert {each["discovered_via"] for each in run.documents.values()} == {"feed"}
    assert "application/rss+xml" in (server.log.header("/feed.rss", "Accept")[0] or "")
    assert server.log.targets(elsewhere) == []
    visited(server, origin)
    # Another date, earlier or later, asks again; the same does not, nor does leaving.
    site["/b"], site["/c"] = page(title="B", text="again"), page(title="C", text="again")
    publish(b=LATER, c=EARLIER, d=FIRST)
    again = crawl(feed, mode="feed")
    assert paths(again, origin) == {"/b", "/c", "/d"}
    assert again.deletions == {}
    assert visited(server, origin) == ["/feed.rss", "/b", "/c", "/d"]
    crawl(feed, mode="feed")
    assert visited(server, origin) == ["/feed.rss"]
    anywhere = crawl(feed, mode="feed", scope="any", allow_private=1)
    assert paths(anywhere, elsewhere) == {"/x"}


@pytest.mark.behaviour("X-07")
def test_atom(server: Server, crawl: CrawlCommand) -> None:
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="self" href="/no"/>'
        '<link rel="alternate" href="news/a"/><updated>2026-11-01T00:00:00Z</updated></entry></feed>'
    )
    origin = server.serve({"/atom.xml": atom, "/news/a": page("/no", title="A")})
    assert paths(crawl(f"{origin}/atom.xml", mode="feed"), origin) == {"/news/a"}
    assert visited(server, origin) == ["/atom.xml", "/news/a"]


def test_a_feed_that_cannot_be_read_says_so(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(title="No feed")})
    run = crawl(f"{origin}/", mode="feed")
    assert run.status == 1
    assert f"start {origin}/ brought nothing: the feed {origin}/ is not read" in run.log


@pytest.mark.behaviour("X-11", "A-03")
def test_a_list_is_fetched_and_nothing_else(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origin = server.serve(
        {
            "/": page("/a", "/b", "/c", title="Start"),
            "/a": page("/d", title="A"),
            "/b": page(title="B"),
            "/robots.txt": "Sitemap: /map.xml\n",
        }
    )
    alone = crawl(f"{origin}/", mode="page")
    assert paths(alone, origin) == {"/"}
    assert visited(server, origin) == ["/"]
    waiting = crawl.rows("SELECT url FROM url WHERE outcome IS NULL ORDER BY url")
    assert waiting == [(f"{origin}/{name}",) for name in "abc"]
    (tmp_path / "urls.txt").write_text(f"# chosen\n{origin}/a\n\n{origin}/b\n")
    chosen = crawl("@urls.txt", mode="list")
    assert paths(chosen, origin) == {"/a", "/b"}
    assert visited(server, origin) == ["/a", "/b"]
    rest = crawl(f"{origin}/")
    assert paths(rest, origin) == set()
    assert visited(server, origin) == ["/map.xml", "/c"]


@pytest.mark.behaviour("RC-20")
def test_discovery_and_refresh_are_separate(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    visited(server, origin)
    site["/"] = page("/a", "/b", title="Start", text="changed")
    site["/a"] = page("/c", title="A", text="changed")
    site["/b"], site["/c"] = page(title="B"), page(title="C")
    discovery = crawl(f"{origin}/", activity="discover", recrawl=0)
    assert paths(discovery, origin) == {"/", "/b"}
    assert visited(server, origin) == ["/", "/b"]
    refresh = crawl(f"{origin}/", activity="refresh", recrawl=0)
    assert paths(refresh, origin) == {"/a"}
    assert set(visited(server, origin)) == {"/", "/a", "/b"}
    assert crawl.rows("SELECT 1 FROM url WHERE url = ?", f"{origin}/c") == []


@pytest.mark.behaviour("P-11")
def test_a_finished_crawl_begins_anew_after_its_interval(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    running = crawl.begin(f"{origin}/", delay=0, interval=1)
    try:
        wait_for(lambda: server.log.count("/a") == 1)
        site["/"] = page("/a", "/b", title="Start", text="changed")
        site["/b"] = page(title="B")
        wait_for(lambda: server.log.count("/") >= 3)
    finally:
        running.process.terminate()
        run = running.finish()
    assert paths(run, origin) == {"/", "/a", "/b"}
    assert server.log.count("/a") == 1, "its age is not reached"
    starts = [each for each in server.log.of(origin) if each.target == "/"]
    last = max(each.started for each in server.log.of(origin) if each.target == "/a")
    assert starts[1].started - last >= 1.0
    assert starts[2].started - starts[1].started >= 1.0


@pytest.mark.behaviour("X-12", "S-18")
def test_a_check_lists_dead_links_and_writes_nothing(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/a", "/dead", title="Start"),
        "/a": page("/broken", "/dead", title="A"),
        "/broken": Answer(status=403),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/", mode="check")
    assert run.status == 0, run.log[-3000:]
    assert run.lines == []
    assert "2 dead links" in run.log
    assert f"dead link {origin}/dead: not_found, status 404, linked from {origin}/" in run.log
    assert f"dead link {origin}/broken: forbidden, status 403, linked from {origin}/a" in run.log
    assert crawl.rows("SELECT count(*) FROM document") == [(0,)]
    site["/dead"] = page(title="Alive")
    server.log.clear()
    again = crawl(f"{origin}/", mode="check")
    assert "1 dead links" in again.log
    assert set(visited(server, origin)) == {"/", "/a", "/dead", "/broken"}


@pytest.mark.behaviour("A-04")
def test_the_entire_site_is_the_directory_of_the_start(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(
        {
            "/docs/start": page("/docs/a", "/docs/sub/b", "/other", title="Start"),
            "*": lambda request: page(title=request.target),
        }
    )
    run = crawl(f"{origin}/docs/start", entire_site=1, profile="fdse")
    assert paths(run, origin) == {"/docs/start", "/docs/a", "/docs/sub/b"}


def wait_for(condition: object, seconds: float = 20.0) -> None:
    """Return when the condition holds; fail if it does not in time."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
