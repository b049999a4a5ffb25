"""`scrapy links URL`: one page is looked at, and nothing is stored or followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/robots.txt": "User-agent: *\nDisallow: /private/\n",
        "/": page("/a", "/dead", "/waits", "/a"),
        "/a": page(title="A"),
        "/list": page("/a", "/dead", "/waits", "/fresh", "/private/x", "/picture.gif", "/a#part"),
        "/fresh": page("/beyond", title="Fresh"),
        "/other": page(title="Other"),
        "/old": redirect("/a"),
        "/guide": redirect("/guide/"),
        "/guide/": page("/a"),
    }


@pytest.mark.behaviour("A-02")
def test_links_are_listed_with_their_state_and_nothing_is_followed(
    server: Server, crawl: CrawlCommand, fetching: Say, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/", max_pages=3)
    before = crawl.rows("SELECT * FROM url ORDER BY id")
    server.log.clear()
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    said = fetching("links", f"{origin}/list", "-s", f"SITECRAWL_DATABASE=sqlite:///{database}")
    assert said.status == 0, said.err
    assert said.lines == [
        f"admitted  indexed {origin}/a",
        f"admitted  error   {origin}/dead",
        f"admitted  waiting {origin}/waits",
        f"admitted  new     {origin}/fresh",
        f"refused   new     {origin}/private/x  line 2 of robots.txt: Disallow: /private/",
        f"refused   new     {origin}/picture.gif  default_ignored_extensions 'gif' (default)",
    ]
    assert server.log.targets() == ["/robots.txt", "/list"]
    assert crawl.rows("SELECT * FROM url ORDER BY id") == before
    assert crawl.rows("SELECT count(*) FROM run") == [(1,)]


@pytest.mark.behaviour("A-03")
def test_chosen_links_are_followed_and_no_others(
    server: Server, crawl: CrawlCommand, fetching: Say, site: dict[str, Page], tmp_path: Path
) -> None:
    origin = server.serve(site)
    said = fetching("links", f"{origin}/list", "--admitted")
    assert said.lines == [f"{origin}/{name}" for name in ("a", "dead", "waits", "fresh")]
    chosen = [line for line in said.lines if line.endswith(("/a", "/fresh"))]
    (tmp_path / "chosen.txt").write_text("\n".join(chosen))
    server.log.clear()
    run = crawl(start="@chosen.txt", mode="list")
    assert run.documents.keys() == set(chosen)
    assert sorted(server.log.targets()) == ["/a", "/fresh", "/robots.txt"]


def test_every_link_as_json(server: Server, fetching: Say, site: dict[str, Page]) -> None:
    origin = server.serve(site)
    site["/list"] = Answer('<a href="/a" rel="nofollow ugc">The A</a> <a href="/b">B</a>')
    first, second = fetching("links", f"{origin}/list", "--json").records
    assert first["url"] == f"{origin}/a"
    assert (first["admitted"], first["reason"], first["state"]) == (False, "rel", "new")
    assert first["rel"] == ["nofollow", "ugc"]
    assert second["admitted"]
    head = '<meta name="robots" content="nofollow">'
    site["/list"] = page("/a", head=head)
    assert fetching("links", f"{origin}/list").lines[0].startswith("refused   new")
    said = fetching("links", f"{origin}/list", "-a", "rogue=1")
    assert said.lines[0].startswith("admitted  new")


@pytest.mark.behaviour("Q-50")
def test_views_of_known_software(server: Server, fetching: Say, site: dict[str, Page]) -> None:
    origin = server.serve(site)
    site["/list"] = page("/diff/", "/tree/", head='<meta name="generator" content="cgit v1.2.3">')
    said = fetching("links", f"{origin}/list").lines
    assert said == [
        f"refused   new     {origin}/diff/  cgit: diff, skip_known_views True (default)",
        f"admitted  new     {origin}/tree/",
    ]
    said = fetching("links", f"{origin}/list", "-a", "skip_known_views=no").lines
    assert [line.split()[0] for line in said] == ["admitted", "admitted"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/old", "redirects to {origin}/a; look there."),
        ("/guide", "redirects to {origin}/guide/; look there."),
        ("/a", "has no links."),
        ("/none", "produced nothing: the server has no such page (status 404)"),
        ("/private/x", "forbidden by robots.txt (line 2 of robots.txt: Disallow: /private/)"),
    ],
)
def test_a_page_that_cannot_be_read_says_why(
    server: Server, fetching: Say, site: dict[str, Page], path: str, words: str
) -> None:
    origin = server.serve(site)
    said = fetching("links", f"{origin}{path}")
    assert (said.status, said.out) == (1, "")
    assert words.format(origin=origin) in said.err
    assert said.err.startswith(f"{origin}{path} ")
    assert said.err.count("\n") == 1


def test_a_page_that_the_rules_refuse_is_not_fetched(
    server: Server, fetching: Say, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    said = fetching("links", f"{origin}/list", "-a", f"start={origin}/", "-a", "deny=list")
    assert said.status == 1
    assert said.err == f"{origin}/list is refused: deny 'list' (-a deny)\n"
    assert server.log.targets() == []
