"""Limits of a run are those of all its workers together."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
ORIGINS, LIMIT = 6, 40


def starts(server: Server) -> list[str]:
    """Serve sites of 21 pages; the starts."""
    found = []
    for number in range(ORIGINS):
        paths = [f"/{one}-{other}" for one in WORDS for other in WORDS[:2]]
        pages: dict[str, Page] = {"/": page(*paths, text=f"Home of {number}")}
        for place, path in enumerate(paths):
            seed = number * 977 + place * 31
            words = " ".join(f"word{(seed + n * n * 7) % 9000}" for n in range(60))
            pages[path] = page(text=words)
        found.append(f"{server.serve(pages, address=f'127.0.6.{number + 1}')}/")
    return found


def fetched(server: Server) -> int:
    """Number of pages that were requested."""
    return sum(target != "/robots.txt" for target in server.log.targets())


@pytest.mark.slow
@pytest.mark.behaviour("W-14")
def test_max_pages_is_the_limit_of_all_processes(server: Server, crawl: CrawlCommand) -> None:
    run = crawl(*starts(server), workers=3, max_pages=LIMIT, politeness=0)
    assert run.status == 0, run.log
    assert fetched(server) == LIMIT
    assert len(run.documents) == LIMIT
    assert f"left for the next run: it stopped at max_pages {LIMIT}" in run.log


@pytest.mark.slow
@pytest.mark.behaviour("W-14")
def test_max_pages_is_the_limit_of_all_workers_of_a_run(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    settings = {"SITECRAWL_DATABASE": database_url}
    options = {"crawl_name": "limited", "max_pages": LIMIT, "delay": 0.1, "politeness": 0}
    found = starts(server)
    running = [crawl.begin(*found, settings=settings, **options) for _ in range(2)]
    assert [each.finish().status for each in running] == [0, 0]
    assert fetched(server) == LIMIT
