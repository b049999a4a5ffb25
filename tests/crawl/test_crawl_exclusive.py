"""A crawl that is still running is not started a second time."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page


@pytest.mark.behaviour("W-09")
def test_a_running_crawl_is_not_started_twice(server: Server, crawl: CrawlCommand) -> None:
    paths = [f"/{letter}" for letter in "abcdefgh"]
    origin = server.serve({"/": page(*paths), **{p: page(text=f"Page {p}") for p in paths}})
    running = crawl.begin(f"{origin}/", delay=0.5, exclusive="yes")
    server.log.wait_for(3)
    second = crawl(f"{origin}/", exclusive="yes")
    assert second.status == 5, second.log
    assert "is still going on (scrapy frontier workers); nothing is started." in second.log
    assert second.lines == []
    first = running.finish()
    assert first.status == 0, first.log
    assert len(first.documents) == len(paths) + 1
    assert crawl(f"{origin}/", exclusive="yes").status == 0
