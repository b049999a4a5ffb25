"""Settings of Scrapy that users give with ``-s``: they have their effect, or the log says why not."""

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


def test_settings_without_effect_are_said(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(text="Home")})
    unheeded = {"DOWNLOAD_TIMEOUT": 1, "USER_AGENT": "mine", "JOBDIR": "job", "DEPTH_LIMIT": 1}
    run = crawl(origin, settings={**unheeded, "HTTPCACHE_ENABLED": 0, "CONCURRENT_REQUESTS": 1})
    warned = {line.split()[0] for line in said(run.log)}
    assert warned == set(unheeded)
    assert said(crawl(origin).log) == []


def said(log: str) -> list[str]:
    """What the log says of settings, each line from its name on."""
    lines = [line for line in log.splitlines() if "has no effect on this crawl" in line]
    return [line.partition("WARNING: ")[2] for line in lines]
