"""A start that was taken out of the configuration is none any more, in any later run."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Answer, Server, Site, page

pytestmark = pytest.mark.slow


def two_sites(server: Server) -> tuple[str, str, Site]:
    """Two origins of a start page and a page each, and the pages of the second."""
    one = server.serve({"/": page("/a", text="One"), "/a": page(text="Page a of one.")})
    pages: Site = {"/": page("/a", text="Two"), "/a": page(text="Page a of two.")}
    return one, server.serve(pages), pages


@pytest.mark.behaviour("K-35")
def test_what_only_a_former_start_brought_is_excluded(server: Server, crawl: CrawlCommand) -> None:
    one, two, _ = two_sites(server)
    crawl(one, two, crawl_name="both")
    run = crawl(one, crawl_name="both", recrawl=0, max_lost_share=1)
    assert run.deletions == {f"{two}/": "excluded", f"{two}/a": "excluded"}
    assert f"1 URLs are no longer starts ({two}/)" in run.log
    before = len(server.log.exchanges)
    again = crawl(one, crawl_name="both", force=1)
    assert again.lines == []
    asked = {f"{request.origin}{request.target}" for request in server.log.exchanges[before:]}
    assert asked == {f"{one}/robots.txt", f"{one}/", f"{one}/a"}
    back = crawl(one, two, crawl_name="both")
    assert list(back.documents) == [f"{two}/", f"{two}/a"]


@pytest.mark.behaviour("K-35")
def test_a_former_start_that_is_in_scope_is_an_ordinary_page(
    server: Server, crawl: CrawlCommand
) -> None:
    pages: Site = {"/": page("/deep", text="Home"), "/deep": page(text="A deep page.")}
    origin = server.serve(pages)
    crawl(f"{origin}/", f"{origin}/deep", crawl_name="both")
    run = crawl(f"{origin}/", crawl_name="both", force=1, max_depth=1)
    assert run.lines == []
    assert crawl.rows("SELECT via FROM url ORDER BY url") == [("seed",), ("link",)]


@pytest.mark.behaviour("K-35", "X-15")
def test_a_former_start_that_a_sitemap_lists_stays(server: Server, crawl: CrawlCommand) -> None:
    pages: Site = {"/": page(text="Home"), "/listed": page(text="A listed page.")}
    origin = server.serve(pages)
    listed = f"<urlset><url><loc>{origin}/listed</loc></url></urlset>"
    pages["/sitemap.xml"] = listed
    pages["/robots.txt"] = f"Sitemap: {origin}/sitemap.xml\n"
    crawl(f"{origin}/", f"{origin}/listed", crawl_name="both", scope="directory")
    assert crawl(f"{origin}/", crawl_name="both", scope="directory", force=1).lines == []


@pytest.mark.behaviour("K-35", "DEL-05")
def test_a_reindex_knows_what_is_a_start(server: Server, crawl: CrawlCommand) -> None:
    one, two, _ = two_sites(server)
    crawl(one, two, crawl_name="both")
    status, _ = crawl.command("reindex", "-a", "crawl_name=both", "-a", f"start={one}")
    assert status == 0
    assert set(crawl(one, crawl_name="both").deletions) == {f"{two}/", f"{two}/a"}
    status, said = crawl.command("explain", f"{two}/", "-a", "crawl_name=both")
    assert status == 1, said


def own_start(server: Server, pages: Site) -> str:
    """An origin with a home page and a start that no page links to."""
    pages.setdefault("/", page("/a", text="Home"))
    pages.setdefault("/a", page("/", text="Page a."))
    pages.setdefault("/own", page("/own", text="A start of its own."))
    return server.serve(pages)


def asked(server: Server, since: int) -> set[str]:
    """The paths that were asked for since so many exchanges."""
    return {request.target for request in server.log.exchanges[since:]} - {"/robots.txt"}


@pytest.mark.behaviour("K-35")
def test_a_former_start_that_nothing_names_is_excluded(server: Server, crawl: CrawlCommand) -> None:
    origin = own_start(server, {})
    crawl(f"{origin}/", f"{origin}/own", crawl_name="both")
    run = crawl(f"{origin}/", crawl_name="both", recrawl=0)
    assert run.deletions == {f"{origin}/own": "excluded"}
    before = len(server.log.exchanges)
    assert crawl(f"{origin}/", crawl_name="both", force=1).lines == []
    assert asked(server, before) == {"/", "/a"}
    _, said = crawl.command("explain", f"{origin}/own", "-a", "crawl_name=both")
    assert "no longer a start" in said


@pytest.mark.behaviour("K-35")
@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_back_when_a_page_names_it(
    server: Server, crawl: CrawlCommand, databases: Databases, tmp_path: Path, kind: str
) -> None:
    place = {"SITECRAWL_DATABASE": databases.url(kind, tmp_path)}
    pages: Site = {}
    origin = own_start(server, pages)
    crawl(f"{origin}/", f"{origin}/own", crawl_name="both", settings=place)
    run = crawl(f"{origin}/", crawl_name="both", recrawl=0, settings=place)
    assert run.deletions == {f"{origin}/own": "excluded"}
    pages["/a"] = page("/own", text="Page a has a link now.")
    run = crawl(f"{origin}/", crawl_name="both", recrawl=0, settings=place)
    assert set(run.documents) == {f"{origin}/a", f"{origin}/own"}
    assert crawl(f"{origin}/", crawl_name="both", force=1, settings=place).lines == []


@pytest.mark.behaviour("K-35")
def test_it_stays_until_every_page_was_read(server: Server, crawl: CrawlCommand) -> None:
    pages: Site = {"/": page("/a", "/b", text="Home"), "/b": page(text="Page b.")}
    origin = own_start(server, pages)
    crawl(f"{origin}/", f"{origin}/own", crawl_name="both", max_pages=2)
    assert crawl(f"{origin}/", crawl_name="both", max_pages=1).deletions == {}
    run = crawl(f"{origin}/", crawl_name="both")
    assert run.deletions == {f"{origin}/own": "excluded"}


@pytest.mark.behaviour("K-35")
@pytest.mark.parametrize("status", [304, 500, 404])
def test_a_page_that_is_not_read_keeps_it(server: Server, crawl: CrawlCommand, status: int) -> None:
    pages: Site = {"/a": page("/own", text="Page a names it.")}
    origin = own_start(server, pages)
    crawl(f"{origin}/", f"{origin}/own", crawl_name="both")
    named, pages["/a"] = pages["/a"], Answer(status=status)
    assert crawl(f"{origin}/", crawl_name="both", recrawl=0).lines == []
    pages["/a"] = named
    for _ in range(2):
        assert crawl(f"{origin}/", crawl_name="both", recrawl=0, retry_broken_after=0).lines == []


@pytest.mark.behaviour("K-35")
def test_pages_of_other_origins_are_read_before(server: Server, crawl: CrawlCommand) -> None:
    pages: Site = {}
    origin = own_start(server, pages)
    other = server.serve({"/": page("/far"), "/far": page(f"{origin}/own", text="Far.")})
    crawl(f"{origin}/", f"{origin}/own", f"{other}/", crawl_name="both")
    for _ in range(3):
        assert crawl(f"{origin}/", f"{other}/", crawl_name="both", recrawl=0).lines == []


@pytest.mark.behaviour("K-35", "X-15")
def test_a_sitemap_that_cannot_be_read_keeps_it(server: Server, crawl: CrawlCommand) -> None:
    pages: Site = {}
    origin = own_start(server, pages)
    pages["/robots.txt"] = f"Sitemap: {origin}/sitemap.xml\n"
    pages["/sitemap.xml"] = listing = f"<urlset><url><loc>{origin}/own</loc></url></urlset>"
    crawl(f"{origin}/", f"{origin}/own", crawl_name="both")
    pages["/sitemap.xml"] = Answer(status=404)
    assert crawl(f"{origin}/", crawl_name="both", recrawl=0).lines == []
    crawl(f"{origin}/", f"{origin}/own", crawl_name="again")
    run = crawl(f"{origin}/", crawl_name="again", recrawl=0)
    assert run.deletions == {f"{origin}/own": "excluded"}, "no sitemap has ever listed it"
    pages["/sitemap.xml"] = listing
    back = crawl(f"{origin}/", crawl_name="again", recrawl=0)
    assert list(back.documents) == [f"{origin}/own"]


@pytest.mark.behaviour("K-35")
def test_a_start_that_brings_nothing_retires_nothing(server: Server, crawl: CrawlCommand) -> None:
    pages: Site = {f"/{n}": page(text=f"Page {n}.") for n in range(9)}
    old = server.serve({"/": page(*pages, text="Home"), **pages})
    new = f"{server.serve({})}/"
    crawl(old, crawl_name="both")
    for _ in range(2):
        run = crawl(new, crawl_name="both", recrawl=0, max_lost_share=1)
        assert run.deletions == {}
        assert "10 excluded" in run.log
    assert len(crawl(old, crawl_name="both", recrawl=0).lines) == 0
