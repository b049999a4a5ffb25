"""Crawls that begin anew for as long as their process runs: a bad night must not be their last."""

from __future__ import annotations

import pytest
from walked import wait_for

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

DOWN = Answer("down", status=503)


@pytest.mark.behaviour("P-11", "S-12")
@pytest.mark.parametrize("robots", [False, True])
def test_an_origin_that_was_given_up_is_asked_again_in_the_next_round(
    robots: bool, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/robots.txt": DOWN if robots else ""}
    site |= {"/": page(*(f"/{n}" for n in range(8)), title="Start"), "*": DOWN}
    origin = server.serve(site)
    running = crawl.begin(f"{origin}/", delay=0, interval=1, recrawl=0, patience=2)
    try:
        wait_for(lambda: server.log.count("/robots.txt" if robots else "/1") == 1 + robots)
        site |= {"/robots.txt": "", "*": lambda request: page(title=request.target)}
        wait_for(lambda: server.log.count("/7") >= 1)
    finally:
        running.process.terminate()
        run = running.finish()
    assert f"{origin}/7" in run.documents, run.log[-3000:]


def test_a_start_with_another_spelling_is_read_in_each_round(
    server: Server, crawl: CrawlCommand
) -> None:
    texts = [page(title="Docs", text=f"Round {number}") for number in range(3)]
    origin = server.serve({"/docs": redirect("/docs/"), "/docs/": texts})
    running = crawl.begin(f"{origin}/docs", delay=0, interval=1, recrawl=0)
    try:
        wait_for(lambda: server.log.count("/docs/") >= 3)
    finally:
        running.process.terminate()
        run = running.finish()
    assert [line["body"] for line in run.lines][:2] == ["Round 0", "Round 1"]
    assert "redirect_loop" not in run.log


@pytest.mark.behaviour("Q-15")
def test_a_directory_is_filled_anew_in_each_round(server: Server, crawl: CrawlCommand) -> None:
    paths = [f"/d/{number}" for number in range(5)]
    site: dict[str, Page] = {"/": page(*paths, title="Start")}
    site |= {path: page(title=path, text=path) for path in [*paths, "/d/new"]}
    origin = server.serve(site)
    options = {"delay": 0, "interval": 1, "recrawl": 0, "max_pages_per_directory": 6}
    running = crawl.begin(f"{origin}/", **options)
    try:
        wait_for(lambda: server.log.count(paths[-1]) >= 2)
        site["/"] = page("/d/new", *paths, title="Start")
        wait_for(lambda: server.log.count(paths[-1]) >= 4)
    finally:
        running.process.terminate()
        run = running.finish()
    assert server.log.count("/d/new") >= 1, run.log[-3000:]
    assert {line["op"] for line in run.lines} == {"upsert"}
