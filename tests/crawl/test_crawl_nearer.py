"""Pages that come nearer to a start than they were, or become one: between runs, or in one."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page


def chain(*paths: str) -> dict[str, Page]:
    """Pages of which each links to the next, and none ever changes."""
    pairs = zip(paths, (*paths[1:], ""), strict=True)
    return {
        path: Answer(page(*filter(None, [to]), title=f"Page {path}"), headers={"ETag": '"1"'})
        for path, to in pairs
    }


def ways(crawl: CrawlCommand, origin: str) -> dict[str, tuple[int, str]]:
    """Depth and way of discovery of each URL."""
    rows = crawl.rows("SELECT url, depth, via FROM url")
    return {url.removeprefix(origin): (depth, via) for url, depth, via in rows}


@pytest.mark.behaviour("LR-25", "DB-19")
def test_links_left_out_by_depth_are_found_when_their_page_comes_nearer(
    server: Server, crawl: CrawlCommand
) -> None:
    site = chain("/a", "/b", "/c", "/d") | {"/": page("/a", title="Start")}
    origin = server.serve(site)
    options: dict[str, Any] = {"max_depth": 3, "recrawl": 0}
    assert f"{origin}/d" not in crawl(f"{origin}/", **options).documents
    site["/"] = page("/a", "/b", title="Start")
    runs = [crawl(f"{origin}/", **options) for _ in range(4)]  # one step each at the least
    assert ways(crawl, origin)["/d"] == (3, "link")
    written = [line for run in runs for line in run.lines]
    assert [(line["url"], line["depth"]) for line in written if line["change"] == "new"] == [
        (f"{origin}/d", 3)
    ]
    assert {line["url"] for line in written} == {f"{origin}/", f"{origin}/d"}
    assert server.log.header("/c", "If-None-Match")[-1] == '"1"'  # read in full once
    assert server.log.header("/c", "If-None-Match").count(None) == 2


@pytest.mark.behaviour("LR-25")
def test_a_page_found_first_by_a_long_way_is_as_near_as_by_the_short_one(
    server: Server, crawl: CrawlCommand
) -> None:
    site = chain("/a", "/b", "/c", "/d") | {"/": page("/a", title="Start")}
    here = server.serve(site)
    site["/late"] = page("/c", title="Late")
    site["/robots.txt"] = "User-agent: *\nCrawl-delay: 0\n"
    there: dict[str, Page] = {"/": page(f"{here}/late", title="Other")}
    there["/robots.txt"] = Answer("User-agent: *\nCrawl-delay: 0\n", delay=0.5)
    other = server.serve(there)
    crawl(f"{here}/ {other}/", crawl_name="both", max_depth=9)
    assert ways(crawl, here)["/c"] == (2, "link")


@pytest.mark.behaviour("A-01", "DB-19")
def test_a_known_page_that_becomes_a_start_is_one(server: Server, crawl: CrawlCommand) -> None:
    site = {"/": page("/a", title="Start"), **chain("/a", "/b?x=1", "/c")}
    origin = server.serve(site)
    crawl(f"{origin}/", crawl_name="one")
    options: dict[str, Any] = {"crawl_name": "one", "max_depth": 1, "query": "ignore", "recrawl": 0}
    run = crawl(f"{origin}/b?x=1", **options)
    assert ways(crawl, origin)["/b?x=1"] == (0, "seed")
    assert f"{origin}/b?x=1" not in run.deletions, run.log[-3000:]
    assert server.log.targets(origin).count("/b?x=1") == 2
    assert server.log.header("/b?x=1", "Referer") == [f"{origin}/a", None]
