"""A start that was taken out of the configuration is none any more, in any later run."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page


def two_sites(server: Server) -> tuple[str, str, Site]:
    """Two origins of a start page and a page each, and the pages of the second."""
    one = server.serve({"/": page("/a", text="One"), "/a": page(text="Page a of one.")})
    pages: Site = {"/": page("/a", text="Two"), "/a": page(text="Page a of two.")}
    return one, server.serve(pages), pages


@pytest.mark.behaviour("K-35")
def test_what_only_a_former_start_brought_is_excluded(server: Server, crawl: CrawlCommand) -> None:
    one, two, _ = two_sites(server)
    crawl(one, two, crawl_name="both")
    run = crawl(one, crawl_name="both", recrawl=0)
    assert run.deletions == {f"{two}/": "excluded", f"{two}/a": "excluded"}
    assert f"1 URLs are starts no longer ({two}/)" in run.log
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
