"""Settings of Scrapy that users give with ``-s``: they do what Scrapy's documentation says."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

PATHS = [f"/p{n}" for n in range(40)]
SITE = {"/": page(*PATHS, text="Home"), **{path: page(text=f"Page {path}") for path in PATHS}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLOSESPIDER_TIMEOUT", 1),
        ("CLOSESPIDER_PAGECOUNT", 5),
        ("CLOSESPIDER_ITEMCOUNT", 5),
    ],
)
def test_a_crawl_ends_where_it_was_told_to_and_the_next_goes_on(
    name: str, value: int, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    run = crawl(origin, delay=0.15, settings={name: value})
    assert run.status == 0, run.log[-3000:]
    assert f"'finish_reason': '{name.lower()}'" in run.log
    assert 0 < len(run.lines) < len(PATHS)
    rest = crawl(origin)
    assert len(run.lines) + len(rest.lines) == 1 + len(PATHS)
