"""Scrapy's own settings of the pace, which the crawl's scheduler has replaced."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server


@pytest.mark.parametrize(("seconds", "said"), [("0", False), ("7", True)])
def test_a_delay_that_is_not_kept_is_reported(
    seconds: str, said: bool, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": "<title>A</title><p>A page"})
    run = crawl(f"{origin}/", settings={"DOWNLOAD_DELAY": seconds})
    assert run.status == 0
    assert ("DOWNLOAD_DELAY has no effect on this crawl" in run.log) is said
