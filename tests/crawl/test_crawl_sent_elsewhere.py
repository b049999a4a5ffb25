"""A start that redirects to another origin of its owner, from run to run."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

PAGES = ["/", "/a", "/b"]


def site() -> dict[str, Page]:
    return {"/": page("/a", "/b"), "/a": page(title="A"), "/b": page(title="B")}


@pytest.mark.behaviour("K-10")
@pytest.mark.parametrize("status", [301, 302])
def test_the_next_run_deletes_nothing(status: int, server: Server, crawl: CrawlCommand) -> None:
    home = server.serve(site())
    start = server.serve({"/": redirect(f"{home}/", status)})
    first = crawl(f"{start}/")
    assert sorted(first.documents) == [home + path for path in PAGES]
    server.log.clear()
    again = crawl(f"{start}/", recrawl=0)
    assert (again.lines, again.status) == ([], 0)
    assert set(PAGES) <= set(server.log.targets(home))


@pytest.mark.slow
@pytest.mark.behaviour("K-10")
def test_a_start_that_does_not_answer_once_costs_nothing(
    server: Server, crawl: CrawlCommand
) -> None:
    home = server.serve(site())
    answers: dict[str, Page] = {"/": redirect(f"{home}/", 302)}
    start = server.serve(answers)
    crawl(f"{start}/")
    answers["/"] = Answer(status=503)
    for _ in range(3):
        assert crawl(f"{start}/", force=1).deletions == {}


@pytest.mark.behaviour("K-10")
def test_a_start_may_be_sent_on(server: Server, crawl: CrawlCommand) -> None:
    home = server.serve(site())
    between = server.serve({"/": redirect(f"{home}/")})
    start = server.serve({"/": redirect(f"{between}/")})
    assert sorted(crawl(f"{start}/").documents) == [home + path for path in PAGES]
    assert crawl(f"{start}/", recrawl=0).lines == []


@pytest.mark.behaviour("K-10")
def test_a_page_that_is_sent_elsewhere_opens_nothing(server: Server, crawl: CrawlCommand) -> None:
    other = server.serve(site())
    start = server.serve({"/": page("/old"), "/old": redirect("/older"), "/older": redirect(other)})
    assert sorted(crawl(f"{start}/").documents) == [f"{start}/"]
