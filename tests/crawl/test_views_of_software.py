"""Views of known software are not requested, and a crawl tells why."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

CGIT = '<meta name="generator" content="cgit v1.2.3">'
PAGES = {"/", "/notes/", "/notes/tree/a.c", "/docs/", "/docs/diff/"}


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/": page("/notes/", "/docs/", title="Start"),
        "/notes/": page("/notes/tree/a.c", "/notes/diff/", title="Notes", head=CGIT),
        "/notes/tree/a.c": page("/notes/blame/a.c", title="a.c", head=CGIT),
        "/notes/blame/a.c": page(title="Blame of a.c", head=CGIT),
        "/notes/diff/": page(title="Diff", head=CGIT),
        "/docs/": page("/docs/diff/", title="Manual"),
        "/docs/diff/": page(title="The command diff"),
    }


@pytest.mark.behaviour("Q-50")
def test_views_are_left_out_where_their_software_shows_them(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert set(run.documents) == {f"{origin}{path}" for path in PAGES}
    assert set(server.log.targets(origin)) == PAGES | {"/robots.txt"}
    assert run.stats["sitecrawl/rules/known_view"] == 2
    assert "known_view: 2 links to views that software offers of its pages were left out" in run.log
    assert f"{origin}/notes/diff/ (cgit: diff); -a skip_known_views=no fetches them" in run.log
    _, told = crawl.command("explain", f"{origin}/notes/diff/")
    assert "cgit: diff, skip_known_views True (default)" in told


@pytest.mark.behaviour("Q-50")
def test_they_are_followed_once_the_option_says_so(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/", recrawl="0s")
    run = crawl(f"{origin}/", skip_known_views="no", recrawl="0s")
    new = {line["url"] for line in run.lines if line["change"] == "new"}
    assert new == {f"{origin}/notes/diff/", f"{origin}/notes/blame/a.c"}
