"""A refresh that is limited to what is older than some days."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server
from fixtures.site import serve

DAY = 86400


def grow_older(crawl: CrawlCommand, pattern: str, days: int) -> None:
    """Put the last visits of some URLs back in time, as if the crawl had been so long ago."""
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "UPDATE url SET visited_at = visited_at - :age, due = due - :age WHERE url LIKE :like",
            {"age": days * DAY, "like": pattern},
        )


@pytest.mark.behaviour("A-09", "RC-01", "RC-17")
def test_only_what_is_older_is_refreshed(server: Server, crawl: CrawlCommand) -> None:
    start = f"{serve(server).main}/many/"
    assert len(crawl(start, scope="directory").documents) == 61
    grow_older(crawl, "%/many/_.html", 31)
    grow_older(crawl, "%/many/5_.html", 29)
    server.log.clear()
    again = crawl(start, scope="directory", recrawl="30d")
    assert again.status == 0, again.log[-3000:]
    asked = set(server.log.targets()) - {"/robots.txt"}
    assert asked == {f"/many/{number}.html" for number in range(1, 10)}


@pytest.mark.behaviour("A-15")
def test_scrapys_log_levels_apply(server: Server, crawl: CrawlCommand) -> None:
    start = f"{serve(server).main}/many/1.html"
    usual = crawl(start, scope="directory", max_pages=1)
    quiet = crawl(start, scope="directory", max_pages=1, settings={"LOG_LEVEL": "ERROR"})
    assert " INFO: " in usual.log
    assert " WARNING: " in usual.log
    assert quiet.status == 0
    assert quiet.log == ""
