"""Two statements of one source that meet on one site, by its profile, in two runs over HTTP."""

from __future__ import annotations

from typing import Any

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Page, Server, page, redirect

AGAIN: dict[str, Any] = {"recrawl": "0s", "delay": 0, "politeness": 0}


def leaf(name: str, *links: str, head: str = "", body: str = "") -> str:
    return page(*links, title=f"Page {name}", text=f"Text of {name}.", head=head, body=body)


class Runs:
    """Runs of one configuration; says of each what it asked for and wrote."""

    def __init__(self, server: Server, crawl: CrawlCommand, site: dict[str, Page]) -> None:
        self.site = site
        self.origin = server.serve(site)
        self._log, self._crawl, self._before = server.log, crawl, 0
        self.last: Crawl | None = None

    def __call__(self, start: str = "/", **options: Any) -> tuple[set[str], list[str]]:
        """Targets asked for without robots.txt, and ``op path`` of each line."""
        self.last = self._crawl(f"{self.origin}{start}", **{**AGAIN, **options})
        assert "Traceback" not in self.last.log, self.last.log
        targets = self._log.targets(self.origin)
        asked, self._before = targets[self._before :], len(targets)
        lines = [f"{each['op']} {self.path(each['url'])}" for each in self.last.lines]
        return set(asked) - {"/robots.txt"}, sorted(lines)

    def path(self, url: str) -> str:
        return url.removeprefix(self.origin)


def test_fdse_a_dropped_frame_and_a_page_that_is_an_error(
    server: Server, crawl: CrawlCommand
) -> None:
    frames = "<frameset><frame src=f.html></frameset><body><a href=g.html>g</a></body>"
    nofollow = '<meta name="robots" content="nofollow">'
    site: dict[str, Page] = {
        "/d/": leaf(
            "start", "broken.html", "frames.html", "%66rames2.html", "pic.%67if", "../up.html"
        ),
        "/d/frames.html": f"<title>Frames</title>{frames}",
        "/d/%66rames2.html": f"<title>Closed</title>{nofollow}<frameset><frame src=no.html></frameset>",
        "/d/f.html": leaf("f"),
        "/d/g.html": leaf("g", "broken.html"),
    }
    runs = Runs(server, crawl, site)
    options = {"profile": "fdse", "entire_site": 1}
    asked, lines = runs("/d/", **options)
    pages = {"/d/", "/d/frames.html", "/d/%66rames2.html", "/d/f.html", "/d/g.html"}
    assert asked == {*pages, "/d/broken.html"}
    assert "upsert /d/f.html" in lines
    assert "upsert /d/g.html" in lines
    site["/d/broken.html"] = leaf("mended")
    site["/d/frames.html"] = f"<title>Frames</title>{nofollow}{frames}"
    asked, lines = runs("/d/", **options)
    assert "/d/broken.html" not in asked, "an error stays one until the errors are cleared"
    assert asked == pages
    assert not [line for line in lines if line.startswith("delete")]


def test_roboto_a_blacklist_and_normal_forms(server: Server, crawl: CrawlCommand) -> None:
    links = (
        *(
            "/foo/index.html?x=1",
            "/foo/?y=2",
            "/%66oo",
            "/foo//",
            "/bar/%7Eexample",
            "/bar/~example",
        ),
        *("/private/a", "/%70rivate/b", "/.//private/c", "/secret%2Ehtml"),
    )
    site: dict[str, Page] = {"/": leaf("start", *links), "*": leaf("any")}
    site |= {"/foo/index.html": leaf("foo"), "/bar/%7Eexample": leaf("example")}
    runs = Runs(server, crawl, site)
    options = {
        "profile": "roboto",
        "allowed_domains": "127.0.0.1",
        "deny": r"/private/ \.html\Z(?<=secret\.html)",
    }
    asked, lines = runs(**options)
    assert asked == {"/", "/foo/index.html", "/bar/%7Eexample"}
    assert lines == ["upsert /", "upsert /bar/%7Eexample", "upsert /foo/index.html"]
    site["/"] = leaf("start", "/foo", "/bar/~example/", "/new?z=1", "/new/")
    site["/new"] = leaf("new")
    site["/bar/%7Eexample"] = '<title>e</title><meta name="robots">nofollow</meta><a href=/n>n</a>'
    asked, lines = runs(**options)
    assert asked == {"/", "/foo/index.html", "/bar/%7Eexample", "/new"}
    assert lines == ["delete /bar/%7Eexample", "upsert /", "upsert /new"]


def test_unobtanium_policies_of_queries_and_what_leads_to_them(
    server: Server, crawl: CrawlCommand
) -> None:
    canonical = '<link rel="canonical" href="/c?id=1&amp;Lang=de">'
    site: dict[str, Page] = {
        "/": leaf("start", "/go", "/go2", "/c", "/p?%69d=1", "/p?ID=1", "/%62locked/x"),
        "/go": redirect("/p?id=2&page=3"),
        "/go2": redirect("/b%6Cocked/y"),
        "/c": leaf("c", head=canonical),
        "/p": lambda request: leaf(f"p {request.target}"),
    }
    runs = Runs(server, crawl, site)
    options = {
        "profile": "unobtanium",
        "do_not_crawl": "/blocked/",
        "url_query_parameters": "?id&lang",
    }
    asked, lines = runs(**options)
    assert asked == {"/", "/go", "/go2", "/c", "/p?%69d=1"}
    assert "upsert /p?%69d=1" in lines
    query = "SELECT url, outcome, reason FROM url"
    told = {runs.path(url): (outcome, reason) for url, outcome, reason in crawl.rows(query)}
    blocked = {
        path for path, (_, reason) in told.items() if reason in {"query_policy", "do_not_crawl"}
    }
    assert blocked == {
        "/p?id=2&page=3",
        "/b%6Cocked/y",
        "/p?ID=1",
        "/%62locked/x",
        "/c?id=1&Lang=de",
    }
    asked, _ = runs(**{**options, "url_query_parameters": "?id&Lang ?ID"})
    # What has moved for good is not asked for again so soon.
    assert asked == {"/", "/c", "/p?%69d=1", "/p?ID=1", "/c?id=1&Lang=de"}


def test_smartsite_substrings_kept_parameters_and_removed_elements(
    server: Server, crawl: CrawlCommand
) -> None:
    header = "<header>Menu <a href='/item?id=2&day=9'>two</a></header><p>Words <img class=noindex alt=banner src=/b.png></p>"
    site: dict[str, Page] = {
        "/": leaf(
            "start",
            "/item?id=1&day=8",
            "/item?ID=3",
            "/cal?day=1",
            "/cal?day=2",
            "/archi%76e/x#keep",
            body=header,
        ),
        "/item": lambda request: leaf(f"item {request.target}"),
        "/cal": leaf("calendar"),
        "/archi%76e/x": leaf("archive"),
    }
    runs = Runs(server, crawl, site)
    asked, lines = runs(profile="smartsite")
    assert asked == {"/", "/item?id=1", "/item?id=2", "/item", "/cal", "/archi%76e/x"}
    assert runs.last is not None
    body = runs.last.documents[f"{runs.origin}/"]["body"]
    assert "Words" in body
    assert "Menu" not in body
    assert "banner" not in body
    asked, lines = runs(profile="smartsite", not_contains="archive")
    assert "/archi%76e/x" not in asked
    assert "delete /archi%76e/x" in lines
    assert len([line for line in lines if line.startswith("delete")]) == 1


def test_searchtools_sessions_defaults_and_a_server_without_case(
    server: Server, crawl: CrawlCommand
) -> None:
    frames = "<body>Text <frameset><frame src='framed.html?Bv_SessionID=1'></frameset></body>"
    based = "<title>Based</title><body><base href=/elsewhere/><a href=near.html>near</a>"
    site: dict[str, Page] = {
        "/robots.txt": "User-agent: *\rDisallow: Private/\r",
        "/": leaf(
            "start",
            "/dir/",
            "/dir/index.html;$sessionid$X9",
            "/private/a",
            "/PRIV%41TE/b",
            "/frames.html",
            "/based.html",
        ),
        "/dir/": leaf("dir"),
        "/dir/index.html": leaf("dir"),
        "/frames.html": f"<title>Frames</title>{frames}",
        "/framed.html": leaf("framed"),
        "/based.html": based,
        "/near.html": leaf("near"),
    }
    runs = Runs(server, crawl, site)
    asked, lines = runs(profile="searchtools")
    pages = {
        "/",
        "/dir/",
        "/dir/index.html",
        "/frames.html",
        "/framed.html",
        "/based.html",
        "/near.html",
    }
    assert asked == pages
    assert len([line for line in lines if "/dir/" in line]) == 1, "the same content is one document"
    site["/framed.html"] = leaf(
        "framed", body="<!-- noindex --><!-- noindex -->menu<!-- /noindex -->more"
    )
    del site["/near.html"]
    asked, lines = runs(profile="searchtools")
    assert asked == pages
    assert runs.last is not None
    body = runs.last.documents[f"{runs.origin}/framed.html"]["body"]
    assert "more" in body
    assert "menu" not in body
    assert lines == ["upsert /framed.html"], "a first 404 purges nothing"
