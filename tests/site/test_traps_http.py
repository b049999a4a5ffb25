"""The site of traps crawled over HTTP with default settings; the server's log is the witness."""

from __future__ import annotations

from collections import Counter

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page
from fixtures.traps import TrapSite, real_pages

LISTED = 100  # of 300 list pages: the traps cost the same, and the test a third of the time
TRAPS = (
    *("calendar", "days", "events", "agenda", "search", "error", "lost", "grow", "session"),
    *("visitor", "login", "missing", "random", "maze", "tree", "tick", "tock", "token"),
)


class Served:
    """The site, or the areas of it that ``prefixes`` name, as pages of a server."""

    def __init__(self, *prefixes: str) -> None:
        self._site = TrapSite(LISTED)
        self._prefixes = prefixes or ("/",)

    def __call__(self, request: Request) -> Page:
        """The page of a target; its links have no text of their own."""
        found = self._site.answer(request.target)
        if found is None or not request.target.startswith(self._prefixes):
            return Answer("", 404)
        links = "".join(f'<a href="{link}">.</a>' for link in found.links)
        return page(title=found.title, text=found.text, body=links)


@pytest.mark.slow
@pytest.mark.behaviour("Q-10", "Q-17", "S-17")
def test_all_real_pages_at_a_bounded_cost(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"*": Served(), "/robots.txt": ""})
    run = crawl.begin(f"{origin}/", delay=0).finish()
    assert run.status == 0, run.log[-3000:]
    asked = Counter(target.partition("?tk=")[0] for target in server.log.targets(origin))
    real = real_pages(LISTED)
    assert real - asked.keys() == set()
    assert asked.total() / len(real) <= 3.2  # 18 endless parts beside 1,176 pages
    assert {trap for trap in TRAPS if not any(p.startswith(f"/{trap}") for p in asked)} == set()
    reasons = {"low_yield", "repeated_directory"}
    assert {f"sitecrawl/rules/{reason}" for reason in reasons} <= run.stats.keys()


@pytest.mark.slow
@pytest.mark.behaviour("K-37", "Q-38")
@pytest.mark.parametrize(
    ("start", "prefixes"),
    [("/", ()), ("/shop", ("/shop", "/product")), ("/forum?board=1", ("/forum", "/topic"))],
    ids=["traps", "catalogue", "forum"],
)
def test_every_real_page_becomes_a_document(
    server: Server, crawl: CrawlCommand, start: str, prefixes: tuple[str, ...]
) -> None:
    origin = server.serve({"*": Served(*prefixes), "/robots.txt": ""})
    run = crawl.begin(f"{origin}{start}", delay=0).finish()
    assert run.status == 0, run.log[-3000:]
    real = {path for path in real_pages(LISTED) if not prefixes or path.startswith(prefixes)}
    real -= {path for path in real if path.endswith("&page=1")}  # the same as the board itself
    assert len(real) > 100
    assert real - {url.removeprefix(origin).partition("?tk=")[0] for url in run.documents} == set()
