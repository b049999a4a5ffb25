"""The site of traps crawled over HTTP with default settings; the server's log is the witness."""

from __future__ import annotations

from collections import Counter

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Request, Server, page
from fixtures.traps import TrapSite, real_pages

LISTED = 100  # of 300 list pages: the traps cost the same, and the test a third of the time
TRAPS = (
    *("calendar", "days", "events", "agenda", "search", "error", "lost", "grow", "session"),
    *("visitor", "login", "missing", "random", "maze", "tree", "tick", "tock", "token"),
)


class Served:
    """The site as pages of a server."""

    def __init__(self) -> None:
        self._site = TrapSite(LISTED)

    def __call__(self, request: Request) -> Page:
        """The page of a target; its links have no text of their own."""
        found = self._site.answer(request.target)
        if found is None:
            return ""
        links = "".join(f'<a href="{link}">.</a>' for link in found.links)
        return page(title=found.title, text=found.text, body=links)


@pytest.mark.slow
@pytest.mark.behaviour("Q-10", "Q-17", "S-17")
def test_all_real_pages_at_one_and_a_half_requests_each(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"*": Served(), "/robots.txt": ""})
    run = crawl.begin(f"{origin}/", delay=0).finish()
    assert run.status == 0, run.log[-3000:]
    asked = Counter(target.partition("?tk=")[0] for target in server.log.targets(origin))
    real = real_pages(LISTED)
    assert real - asked.keys() == set()
    assert asked.total() / len(real) <= 1.5
    assert {trap for trap in TRAPS if not any(p.startswith(f"/{trap}") for p in asked)} == set()
    reasons = {"endless_series", "recombination", "copies", "session_like", "repeated_directory"}
    assert {f"sitecrawl/rules/{reason}" for reason in reasons} <= run.stats.keys()
