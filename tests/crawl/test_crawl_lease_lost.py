"""A lease that is lost while a page is read, or before its request is sent."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from fixtures.server.answer import Request

PATHS = [f"/{number}" for number in range(5)]
STEAL = "UPDATE origin SET owner = 'another', fence = fence + 1, lease_until = ?"


def test_links_of_a_page_whose_lease_was_lost_are_not_lost(
    server: Server, crawl: CrawlCommand
) -> None:
    def start(_: Request) -> Page:
        if server.log.count("/") == 1:
            (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
            with closing(sqlite3.connect(database, isolation_level=None)) as connection:
                connection.execute(STEAL, (time.time() + 1,))
        return page(*PATHS, title="Start")

    site: dict[str, Page] = {"/": start}
    site |= {path: page(title=f"Page {path}") for path in PATHS}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert run.stats["sitecrawl/outcomes/lease_lost"] == 1
    assert run.documents.keys() == {f"{origin}{path}" for path in ("/", *PATHS)}


STAND_STILL = """
import sqlite3, time
from contextlib import closing
from pathlib import Path

class StandStill:
    stopped = False

    def process_request(self, request):
        if request.url.endswith("/3") and not self.stopped:
            self.stopped = True
            time.sleep(2.5)
            (database,) = Path(".sitecrawl").glob("*.db")
            with closing(sqlite3.connect(database, isolation_level=None)) as connection:
                until = time.time() + 2
                connection.execute(
                    "UPDATE origin SET owner = 'another', fence = fence + 1, lease_until = ?",
                    (until,),
                )
            Path("until").write_text(str(until))
"""


@pytest.mark.slow
@pytest.mark.behaviour("W-03")
def test_a_request_that_waited_longer_than_its_lease_is_not_sent(
    server: Server, crawl: CrawlCommand
) -> None:
    asked: list[float] = []

    def third(_: Request) -> Page:
        asked.append(time.time())
        return page(title="Page /3")

    site: dict[str, Page] = {"/": page(*PATHS, title="Start")}
    site |= {path: page(title=f"Page {path}") for path in PATHS}
    origin = server.serve({**site, "/3": third})
    (crawl.directory / "own.py").write_text(STAND_STILL)
    settings = {"DOWNLOADER_MIDDLEWARES": json.dumps({"own.StandStill": 543})}
    run = crawl(f"{origin}/", settings=settings, lease="2s")
    assert run.status == 0, run.log
    assert run.documents.keys() == {f"{origin}{path}" for path in ("/", *PATHS)}
    assert len(asked) == 1
    assert asked[0] >= float((crawl.directory / "until").read_text()), run.log
    assert "retry/count" not in run.stats


@pytest.mark.slow
@pytest.mark.behaviour("W-03")
def test_a_robots_txt_that_waited_longer_than_its_lease_is_asked_for_again(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page(*PATHS, title="Start")}
    site |= {path: page(title=f"Page {path}") for path in PATHS}
    origin = server.serve(site)
    (crawl.directory / "own.py").write_text(STAND_STILL.replace('"/3"', '"/robots.txt"'))
    settings = {"DOWNLOADER_MIDDLEWARES": json.dumps({"own.StandStill": 543})}
    run = crawl(f"{origin}/", settings=settings, lease="2s")
    assert run.documents.keys() == {f"{origin}{path}" for path in ("/", *PATHS)}, run.log
    assert server.log.count("/robots.txt") == 1
    assert "sitecrawl/robots/unreachable" not in run.stats, run.log
