"""The verdict of `scrapy explain` is what the next run does, by what that run considers."""

from __future__ import annotations

import pytest
from saying import Crawled, Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

SITE: dict[str, Page] = {
    "/": page("/a", "/copy/b", "/copy", "/deep"),
    "/a": page(title="A"),
    "/copy": page(title="Copy", body="<p>The very same words."),
    "/copy/b": page(title="Copy", body="<p>The very same words."),
    "/deep": page("/waits"),
    "/waits": page(title="Waits"),
}
OPTIONS = {"max_pages": 5}
STARTS = "visits only starts"


@pytest.mark.parametrize(
    ("path", "option", "verdict"),
    [
        ("/", "", "due in 48 h"),
        ("/a", "force=1", "due now: force True (-a force)"),
        ("/a", "mode=check", "due now: mode 'check' (-a mode)"),
        ("/a", "image_text=title", "due now: it was read with other options"),
        ("/", "activity=discover", "due now: activity 'discover' (-a activity) visits starts"),
        ("/", "mode=page", "due now: mode 'page' (-a mode) visits starts"),
        ("/a", "mode=page", f"skipped: mode 'page' (-a mode) {STARTS}"),
        ("/waits", "mode=page", f"skipped: mode 'page' (-a mode) {STARTS}"),
        ("/waits", "", "waiting: would be crawled"),
        ("/waits", "activity=discover", "waiting: would be crawled"),
        (
            "/a",
            "activity=discover",
            "skipped: activity 'discover' (-a activity) visits starts and URLs never visited",
        ),
        (
            "/waits",
            "activity=refresh",
            "skipped: activity 'refresh' (-a activity) visits only URLs visited before",
        ),
    ],
)
def test_the_verdict_is_what_the_next_run_does(
    known: Crawled, say: Say, crawl: CrawlCommand, path: str, option: str, *, verdict: str
) -> None:
    url = known.origin + path
    said = say("explain", url, *(["-a", option] if option else []))
    assert said.lines[0].endswith(verdict), said.lines[0]
    database = next((crawl.directory / ".sitecrawl").glob("*.db"))
    settings = {"SITECRAWL_DATABASE": f"sqlite:///{database}"}
    options = dict([option.split("=")] if option else [])
    crawl(f"{known.origin}/", settings=settings, crawl_name=database.stem, **options)
    left = verdict.startswith(("skipped", "due in"))
    assert (path in known.server.log.targets()) != left


@pytest.mark.parametrize(
    ("path", "options", "verdict"),
    [
        ("/", {}, "would be crawled: it is a start"),
        ("/x", {}, "would be crawled once a page links to it"),
        ("/x", {"discover": "no"}, "no links are followed by discover False (-a discover)"),
        ("/x", {"mode": "list"}, "no links are followed by mode 'list' (-a mode)"),
        ("/x", {"mode": "page"}, f"once a page links to it: mode 'page' (-a mode) {STARTS}"),
        (
            "/x",
            {"activity": "refresh"},
            "once a page links to it: activity 'refresh' (-a activity) visits only URLs visited before",
        ),
        ("/", {"mode": "sitemap"}, "would be read as a sitemap: it is a start"),
        ("/x", {"mode": "feed"}, "would be crawled once a feed names it"),
        (
            "/x",
            {"mode": "sitemap", "discover": "yes"},
            "would be crawled once a sitemap names it or a page links to it",
        ),
        (
            "/x",
            {"mode": "feed", "activity": "refresh"},
            "would not be found: activity 'refresh' (-a activity) reads no feed",
        ),
    ],
)
def test_before_the_first_crawl_it_says_how_a_url_comes_in(
    say: Say, path: str, options: dict[str, str], verdict: str
) -> None:
    words = [word for name, value in options.items() for word in ("-a", f"{name}={value}")]
    said = say("explain", f"http://a.test{path}", "-a", "start=http://a.test/", *words)
    assert said.status == 0
    robots = "" if "would not be found" in said.lines[0] else ", unless robots.txt forbids it"
    assert said.lines[0].endswith(f"{verdict}{robots}"), said.lines[0]
    assert any("a start that no run has visited" in line for line in said.lines) == (path == "/")


def test_a_page_that_gave_way_to_an_equal_one_later_says_so(known: Crawled, say: Say) -> None:
    for path, other in (("/copy", "/copy/b"), ("/copy/b", "/copy")):
        said = say("explain", known.origin + path, "--json").record
        kept = said["stored"]["document"] is not None
        assert (f"(duplicate of {known.origin}{other})" in said["verdict"]) == (not kept)


def test_a_duplicate_that_came_into_its_own_is_none_any_more(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    site = {**SITE, "/": page("/copy", "/copy/b")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    assert f"(duplicate of {origin}/copy)" in say("explain", f"{origin}/copy/b").lines[0]
    site["/copy"] = Answer("gone", status=410)
    assert say("frontier", "retry", f"{origin}/copy").status == 0
    assert crawl(f"{origin}/").documents.keys() == {f"{origin}/copy/b"}
    assert "duplicate" not in say("explain", f"{origin}/copy/b").lines[0]


def test_links_of_a_page_at_the_greatest_depth_are_refused(
    server: Server, crawl: CrawlCommand, fetching: Say
) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", max_depth=1)
    database = next((crawl.directory / ".sitecrawl").glob("*.db"))
    said = fetching("links", f"{origin}/deep", "-s", f"SITECRAWL_DATABASE=sqlite:///{database}")
    assert said.lines == [f"refused   new     {origin}/waits  max_depth 1 (-a max_depth): depth 2"]
