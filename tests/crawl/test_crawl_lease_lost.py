"""A lease that is lost while a page is read: its links are found again with the page."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

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
