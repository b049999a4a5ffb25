"""Starts that are lists of pages: sitemaps, feeds, and the XML documents that they name."""

from __future__ import annotations

import gzip

import pytest
from walked import paths, visited

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.policy.outcomes import Outcome

RSS = '<rss version="2.0"><channel><title>News</title>{}</channel></rss>'
ITEM = "<item><title>another title</title><link>{}</link><pubDate>{}</pubDate></item>"
FIRST, LATER, EARLIER = (
    "Sun, 01 Nov 2026 00:00:00 GMT",
    "Mon, 02 Nov 2026 00:00:00 GMT",
    "Fri, 02 Oct 2026 00:00:00 GMT",
)


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
    index, *lists_and_pages = visited(server, origin)
    assert index == "/map.xml"
    assert set(lists_and_pages[:2]) == {"/one.xml", "/two.xml.gz"}
    assert set(lists_and_pages[2:]) == {"/a", "/doc.xml", "/b"}
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
    site["/a"] = page("/not-listed", "/doc.xml", "/report", "/feed", "/notes", title="A")
    others = {"/report": "text/xml", "/feed": "application/rss+xml", "/notes": "text/plain"}
    for path, kind in others.items():
        site[path] = Answer("<a>some text</a>", headers={"Content-Type": kind})
    regular = crawl(f"{origin}/a", profile="smartsite", crawl_name="regular")
    assert paths(regular, origin) == {"/a", "/not-listed"}
    assert regular.stats["sitecrawl/outcomes/unwanted_type"] == 3
    assert regular.stats["sitecrawl/rules/extension"] == 1


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
    assert f"start {origin}/ produced nothing: the feed {origin}/ is not read" in run.log


@pytest.mark.behaviour("LR-33")
def test_a_feed_served_as_xml_text_is_no_page(server: Server, crawl: CrawlCommand) -> None:
    feeds = [
        RSS.format(ITEM.format("/a", FIRST)),
        '<?xml version="1.0"?>\n<!-- news --><feed xmlns="http://www.w3.org/2005/Atom"></feed>',
        '<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/"><item><link>/a</link></item></rdf:RDF>',
        "<opml><body><outline text='News'/></body></opml>",
        "<urlset><url><loc>/a</loc></url></urlset>",
    ]
    written = {f"/news/{number}": text for number, text in enumerate(feeds)}
    xml = {"Content-Type": "text/xml"}
    site: dict[str, Page] = {
        "/": page(*written, "/report", title="Home"),
        "/report": Answer("<report><p>A text</p></report>", headers=xml),
        **{path: Answer(text, headers=xml) for path, text in written.items()},
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert paths(run, origin) == {"/", "/report"}
    listed = crawl.rows("SELECT url, outcome, reason FROM url WHERE url LIKE '%/news/%'")
    assert {*listed} == {
        (f"{origin}{path}", int(Outcome.UNWANTED_TYPE), "listing") for path in written
    }
