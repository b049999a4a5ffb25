"""Pages that show a picture and no words of their own."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

STRIPS = 90


@pytest.mark.slow
@pytest.mark.behaviour("Q-62")
def test_strips_that_lead_from_one_to_the_next_are_all_read(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/robots.txt": "", "/": page("/strip/1", title="Comic")}
    for n in range(1, STRIPS + 1):
        onward = [f"/strip/{n + 1}"] if n < STRIPS else []
        picture = f'<img src="/pictures/{n:03}.png" alt="">'
        site[f"/strip/{n}"] = page(*onward, title=f"Strip {n}", body=picture)
    run = crawl(f"{server.serve(site)}/")
    assert len(run.documents) == 1 + STRIPS, run.log[-3000:]
    assert "low_yield" not in run.log
