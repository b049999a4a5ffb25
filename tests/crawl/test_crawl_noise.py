"""Pages that say something else at each request."""

from __future__ import annotations

from itertools import count

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Request, Server, page
from fixtures.traps.tarpit import letter

PAGES = 40


@pytest.mark.slow
@pytest.mark.behaviour("Q-64")
def test_a_counter_on_each_page_makes_no_calendar_without_end(
    server: Server, crawl: CrawlCommand
) -> None:
    visits = count(10_000, 7)

    def answer(request: Request) -> Page:
        foot = f"<p>Visits: {next(visits)}, made in 0.{next(visits)} seconds</p>"
        if request.target == "/":
            links = [f"/page/{n}" for n in range(PAGES)]
            return page(*links, "/calendar?month=1", title="Home", body=foot)
        _, _, number = request.target.rpartition("=" if "=" in request.target else "/")
        if "month" in request.target:
            onward = f"/calendar?month={int(number) + 1}"
            return page(onward, title="Calendar", text="No events", body=foot)
        return page("/", title=letter(int(number)), text=letter(int(number)), body=foot)

    origin = server.serve({"/robots.txt": "", "*": answer})
    run = crawl(f"{origin}/", max_pages=400)
    targets = server.log.targets(origin)
    assert len({each for each in targets if "month" in each}) < 250, run.log[-3000:]
    assert len([each for each in run.documents if "/page/" in each]) == PAGES
    assert len(targets) == len(set(targets)) + 1  # one page is read a second time
    server.log.clear()
    crawl(f"{origin}/", recrawl=0, max_pages=400)
    assert len({each for each in server.log.targets(origin) if "month" in each}) < 250
