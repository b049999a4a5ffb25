"""A crawl database that cannot take what it is given ends the crawl, and nothing waits for it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

PATHS = [f"/{number}" for number in range(8)]
SITE: dict[str, Page] = {"/": page(*PATHS, title="Start")}
SITE |= {path: page(title=f"Page {path}") for path in PATHS}
FULL = (
    "CREATE TRIGGER full BEFORE INSERT ON attempt"
    " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
)
MISTAKEN = """
from sitecrawl.crawl.visit import ContentHashes


class Mistaken:
    def process_item(self, item):
        if item.visit.due.url.endswith("/3"):
            item.visit.hashes = ContentHashes(document=[])  # where a text belongs
        return item
"""


def test_any_error_of_a_commit_ends_the_crawl_as_an_error_of_the_database(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    (crawl.directory / "own.py").write_text(MISTAKEN, encoding="utf-8")
    settings = {"ITEM_PIPELINES": json.dumps({"own.Mistaken": 450})}
    done = crawl(f"{origin}/", settings=settings)
    assert done.status == 3, done.log[-3000:]
    assert "The crawl database failed and the crawl ends: " in done.log
    again = crawl(f"{origin}/")
    assert again.status == 0, again.log[-3000:]
    written = done.documents.keys() | again.documents.keys()
    assert written == {f"{origin}{path}" for path in ("/", *PATHS)}


@pytest.mark.behaviour("S-13")
def test_a_database_that_takes_nothing_any_more_ends_every_origin(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = {f"/{number}": page(title=f"Page {number}") for number in range(400)}
    site: dict[str, Page] = {"/": page(*pages, title="Start"), **pages}
    origins = [server.serve(site), server.serve(site, address="127.0.0.2")]
    starts = [f"{origin}/" for origin in origins]
    crawl(*starts, crawl_name="full", max_pages=2, allow_private=1)
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(FULL)
    server.log.clear()
    done = crawl(*starts, crawl_name="full", allow_private=1)
    assert done.status == 3, done.log[-3000:]
    (line,) = [line for line in done.log.splitlines() if "The crawl database failed" in line]
    assert "the disk is full" in line
    assert all(len(server.log.targets(origin)) < 300 for origin in origins), "neither goes on"
    assert done.lines == [], "what is not remembered is not written either"


def test_a_database_that_cannot_be_opened_says_so_in_one_line(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    (crawl.directory / "notes.db").write_text("no database " * 100, encoding="utf-8")
    done = crawl(f"{origin}/", settings={"SITECRAWL_DATABASE": "sqlite:///notes.db"})
    assert done.status == 3, done.log[-3000:]
    assert "Traceback" not in done.log
    (line,) = [line for line in done.log.splitlines() if " ERROR: " in line]
    assert "notes.db is not a SQLite database" in line
    assert server.log.targets() == []


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (
            "mysql://crawl:secret@host/crawl",
            "'mysql://crawl:***@host/crawl' is not a crawl database",
        ),
        ("postgresql://host/crawl?colour=red", "not the URL of a PostgreSQL database"),
    ],
)
def test_a_database_of_an_unknown_kind_is_refused_in_one_line(
    setting: str, told: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    done = crawl(f"{origin}/", settings={"SITECRAWL_DATABASE": setting})
    assert done.status == 2, done.log[-3000:]
    (line,) = done.log.splitlines()
    assert told in line
    assert server.log.targets() == []


def test_a_damaged_document_that_was_not_delivered_ends_the_crawl_in_a_line(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    log = crawl.directory / "first.log"
    start = ["-a", f"start={origin}/", "-a", "delay=0"]
    assert Command(["crawl", "site", *start], crawl.directory, errors=log).wait(120) == 0
    (database,) = (crawl.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE document SET body = CAST(X'00' || body AS BLOB)")
    done = crawl(f"{origin}/")
    assert done.status == 3, done.log[-3000:]
    assert "the crawl ends: A document in the crawl database is damaged" in done.log
    assert "Traceback" not in done.log
