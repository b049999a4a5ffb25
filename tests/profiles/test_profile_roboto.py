"""Roboto's wiki, by its profile, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.policy.outcomes import Outcome

NewCrawl = Callable[[str], CrawlCommand]

MALFORMED = '<meta name="robots">nofollow</meta>'


class Seen(NamedTuple):
    """One crawl with all the rules of the document: where it was, what it left."""

    server: Server
    origin: str
    news: str
    other: str
    command: CrawlCommand
    run: Crawl
    asked: list[str]

    @property
    def names(self) -> set[str]:
        """The documents of the first host, by path."""
        return {url.removeprefix(self.origin) for url in self.run.documents}


def links(news: str, other: str) -> str:
    """Text of the first page."""
    anchors = [
        '<a name="top">no href</a>',
        '<a rel="nofollow" href="/rel-nofollow">1</a>',
        '<a rel="external NOINDEX" href="/rel-noindex">2</a>',
        '<a href="/accounts/x">blacklisted</a>',
        '<a href="/bar/x">not whitelisted</a>',
        f'<a href="{other}/foo/other">another domain</a>',
        f'<a href="{news}/foo/news">a subdomain</a>',
        f'<a href="{news}/foo/kept-out">a subdomain, with its own robots.txt</a>',
        '<a href="/foo/%7Eexample">escaped</a> <a href="/foo/~example">unescaped</a>',
        '<a href="/foo/../foo/baz.html#bar">dots and a fragment</a>',
        '<a href="/foo/baz.html?sort=up&rows=10">a query</a> <a href="baz.html">relative</a>',
        '<a href="/foo//bar///baz">slashes</a> <a href="/foo/bar/baz">one slash</a>',
        '<a href="/foo/dir/">a slash at the end</a> <a href="/foo/dir">none</a>',
        *(
            f'<a href="/foo/dir/{name}">a default page</a>'
            for name in ("index.html", "index.php", "default.asp", "default.aspx")
        ),
        '<a href="/foo/malformed">nofollow as text</a> <a href="/foo/start">already crawled</a>',
        '<a href="/private/foo">forbidden</a> <a href="/foo/untyped">no type</a>',
        '<a href="/foo/film.mp4">by its type, not its name</a>',
    ]
    return f"<title>Start</title><p>Start</p>{' '.join(anchors)}"


@pytest.fixture(scope="module")
def seen(served: Server, new_crawl: NewCrawl) -> Seen:
    news = served.serve(
        {
            "/robots.txt": "User-agent: *\nDisallow: /foo/kept-out",
            "/foo/news": page(title="News"),
        },
        address="127.0.0.3",
    )
    other = served.serve({"*": page(title="other")}, address="127.0.0.2")
    site: dict[str, Page] = {
        "/robots.txt": "User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n",
        "/foo/start": links(news, other),
        "/foo/malformed": page("/foo/behind", title="Malformed", head=MALFORMED),
        "/foo/untyped": Answer("<p>untyped", headers={"Content-Type": None}),
        "/foo/film.mp4": Answer(page(title="Not a film"), headers={"Content-Type": "text/html"}),
    }
    for name in ("~example", "baz.html", "bar/baz", "dir", "behind"):
        site[f"/foo/{name}"] = page(title=f"page {name}")
    site["/foo//bar///baz"], site["/foo/dir/"] = site["/foo/bar/baz"], site["/foo/dir"]
    site["/foo/%7Eexample"] = site["/foo/~example"]
    origin = served.serve(site)
    command = new_crawl("roboto")
    run = command.begin(
        f"{origin}/foo/start",
        profile="roboto",
        allowed_domains="127.0.0.1 127.0.0.3",
        deny="/accounts/",
        allow="/foo /private",
        allow_private=1,
    ).finish()
    return Seen(served, origin, news, other, command, run, served.log.targets(origin))


@pytest.mark.behaviour("L-01", "M-12", "M-13", "LR-17", "LR-19", "LR-20", "LR-24", "K-18")
def test_every_link_is_queued_unless_a_rule_is_against_it(seen: Seen) -> None:
    assert seen.run.status == 0, seen.run.log[-3000:]
    assert seen.names == {
        *("/foo/start", "/foo/%7Eexample", "/foo/baz.html", "/foo/film.mp4"),
        *("/foo//bar///baz", "/foo/dir/", f"{seen.news}/foo/news"),
    }
    refused = {"/rel-nofollow", "/rel-noindex", "/accounts/x", "/bar/x"}
    assert not refused & set(seen.asked)
    assert seen.server.log.targets(seen.other) == []
    assert seen.asked.count("/foo/start") == 1


@pytest.mark.behaviour("M-07", "K-01")
def test_a_page_that_says_nofollow_is_not_processed(seen: Seen) -> None:
    assert "/foo/malformed" in seen.asked
    assert "/foo/malformed" not in seen.names
    assert "/foo/behind" not in seen.asked


@pytest.mark.behaviour("RT-01", "RT-02", "RT-03", "RT-04")
def test_each_host_has_its_robots_txt(seen: Seen) -> None:
    assert seen.asked[0] == "/robots.txt"
    assert seen.asked.count("/robots.txt") == 1, "it is cached"
    assert "/private/foo" not in seen.asked
    news = seen.server.log.targets(seen.news)
    assert news == ["/robots.txt", "/foo/news"]
    rows = seen.command.rows("SELECT outcome FROM url WHERE url LIKE '%/kept-out'")
    assert rows == [(Outcome.BLOCKED_BY_ROBOTS_TXT,)]


@pytest.mark.behaviour("RT-14", "P-02")
def test_a_crawl_delay_takes_precedence_over_the_delay(seen: Seen) -> None:
    assert seen.server.log.shortest_gap(seen.origin) >= 1
    assert seen.server.log.most_in_flight(seen.origin) == 1
    assert seen.server.log.shortest_gap(seen.news) < 1


@pytest.mark.behaviour("RT-15")
def test_obeying_robots_txt_is_an_option(seen: Seen, new_crawl: NewCrawl) -> None:
    seen.server.log.clear()
    run = new_crawl("disobedient")(
        f"{seen.origin}/private/foo", profile="roboto", obey_robots=0, allowed_domains="127.0.0.1"
    )
    assert seen.server.log.targets(seen.origin) == ["/private/foo"]
    assert run.status == 1, "there is no such page"


@pytest.mark.behaviour(
    "U-01", "U-02", "U-04", "U-05", "U-06", "U-07", "U-08", "U-17", "Q-03", "DU-01"
)
@pytest.mark.parametrize(
    "spellings",
    [
        ["/foo/%7Eexample", "/foo/~example"],
        ["/foo/baz.html", "/foo/baz.html?sort=up&rows=10", "/foo/../foo/baz.html"],
        ["/foo//bar///baz", "/foo/bar/baz"],
        ["/foo/dir/", "/foo/dir", "/foo/dir/index.html", "/foo/dir/index.php"],
        ["/foo/dir/", "/foo/dir/default.asp", "/foo/dir/default.aspx"],
    ],
)
def test_spellings_of_one_page_are_crawled_once(seen: Seen, spellings: list[str]) -> None:
    assert sum(seen.asked.count(spelling) for spelling in spellings) == 1


@pytest.mark.behaviour("F-12", "K-26")
def test_a_response_without_content_type_is_dropped(seen: Seen) -> None:
    assert "/foo/untyped" in seen.asked
    assert "/foo/untyped" not in seen.names
