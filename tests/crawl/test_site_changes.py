"""A site that changes from run to run: what each run writes."""

from __future__ import annotations

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Request, Server, Site, page, redirect

NAMES = ("edited", "removed", "gone", "moved", "hidden", "copy", "closed", "lasting")
PAGES = {f"/{name}": page(text=f"This is the {name} page.") for name in NAMES}


def site() -> Site:
    """A home page and one page for each thing that can happen to it."""
    return {"/": page(*PAGES, text="Home"), "/robots.txt": "User-agent: *\n", **PAGES}


def change(pages: Site) -> None:
    """Change of the site between the first run and the second."""
    pages["/edited"] = page("/fresh", text="This page has another text now.")
    pages["/fresh"] = page(text="A page that is new.")
    pages["/removed"] = Answer(status=404)
    pages["/gone"] = Answer(status=410)
    pages["/moved"] = redirect("/lasting")
    pages["/hidden"] = page(head='<meta name="robots" content="noindex">', text="hidden page.")
    pages["/copy"] = page(head='<link rel="canonical" href="/lasting">', text="the copy page.")
    pages["/robots.txt"] = "User-agent: *\nDisallow: /closed\n"


def paths(run: Crawl, origin: str) -> tuple[dict[str, str], dict[str, str]]:
    """The changes of the documents written and the reasons of those deleted, by path."""
    written = {url.removeprefix(origin): line["change"] for url, line in run.documents.items()}
    deleted = {url.removeprefix(origin): reason for url, reason in run.deletions.items()}
    return written, deleted


@pytest.mark.behaviour("DEL-04", "DEL-07", "DEL-11", "DU-02", "R-10", "RC-15", "M-18", "RT-20")
def test_each_change_is_written_once_with_its_reason(server: Server, crawl: CrawlCommand) -> None:
    pages = site()
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    assert paths(first, origin) == (dict.fromkeys(["/", *PAGES], "new"), {})
    change(pages)
    second = crawl(origin, recrawl=0)
    assert paths(second, origin) == (
        {"/edited": "changed", "/fresh": "new"},
        {
            "/gone": "gone",
            "/moved": "redirected",
            "/hidden": "noindex",
            "/copy": "non_canonical",
            "/closed": "robots_txt",
        },
    )
    moved = next(line for line in second.lines if line["url"] == f"{origin}/moved")
    assert moved["moved_to"] == f"{origin}/lasting"
    assert paths(crawl(origin, recrawl=0), origin) == ({}, {})


@pytest.mark.behaviour("DEL-01", "DEL-03", "S-02", "K-13")
def test_a_page_not_found_is_deleted_after_three_runs(server: Server, crawl: CrawlCommand) -> None:
    pages = site()
    origin = server.serve(pages)
    crawl(origin)
    pages["/removed"] = Answer(status=404)
    runs = [crawl(origin, force=1)] + [crawl(origin) for _ in range(2)]
    assert [run.deletions for run in runs] == [{}, {}, {f"{origin}/removed": "not_found"}]
    pages["/removed"] = page(text="This is the removed page, back again.")
    assert paths(crawl(origin, force=1), origin) == ({"/removed": "new"}, {})


@pytest.mark.behaviour("DEL-12")
def test_a_site_that_is_down_deletes_nothing(server: Server, crawl: CrawlCommand) -> None:
    pages = site()
    origin = server.serve(pages)
    crawl(origin)
    pages.update(dict.fromkeys(["/", *PAGES], Answer(status=500)))
    for _ in range(4):
        run = crawl(origin, force=1)
        assert run.lines == []
        assert run.status == 1
    pages.update(site())
    assert crawl(origin, force=1).lines == []


@pytest.mark.behaviour("K-13")
def test_many_deletions_at_once_wait_for_a_word(server: Server, crawl: CrawlCommand) -> None:
    many = {f"/p{n}": page(text=f"Page number {n}.") for n in range(20)}
    pages: Site = {"/": page(*many, text="Home"), **many}
    origin = server.serve(pages)
    crawl(origin)
    pages.update(dict.fromkeys(many, Answer(status=410)))
    run = crawl(origin, force=1)
    assert run.lines == []
    assert "scrapy frontier confirm" in run.log


@pytest.mark.behaviour("DEL-11", "RC-02", "RT-20")
def test_a_page_that_was_forbidden_for_a_time_comes_back_as_it_was(
    server: Server, crawl: CrawlCommand
) -> None:
    def unless_known(request: Request) -> Answer:
        """As a server of files answers: it compares dates, and this file is old."""
        known = "if-modified-since" in request.headers
        return Answer(status=304) if known else Answer(page(text="Closed."))

    pages: Site = {"/": page("/closed"), "/closed": unless_known}
    origin = server.serve(pages)
    crawl(origin, recrawl=0)
    pages["/robots.txt"] = "User-agent: *\nDisallow: /closed\n"
    assert crawl(origin, recrawl=0).deletions == {f"{origin}/closed": "robots_txt"}
    del pages["/robots.txt"]
    assert list(crawl(origin, recrawl=0).documents) == [f"{origin}/closed"]
