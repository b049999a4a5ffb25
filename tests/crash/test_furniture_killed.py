"""A crawl is killed while it rewrites documents without furniture; the next run ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fixtures.crawls import Crawl, CrawlCommand, read
from fixtures.server import Server, Site
from sitecrawl.frontier import open_records

NAMES = [f"/docs/{letter}{other}" for letter in "abcdefgh" for other in "lmnopqrst"]
MENU = ("Products", "Support", "Company")
OPTIONS = {"recrawl": 0, "crawl_name": "killed"}
Reached = Callable[[Server, str], bool]


def site(lines: Sequence[str] = MENU) -> Site:
    """Pages with a menu, which is not known as furniture when the first ones are written."""
    menu = "".join(f"<div>{line}</div>" for line in lines)
    pages: Site = {
        name: f"<title>{name}</title>{menu}<h1>About {name}</h1><p>Text of {name}.</p>"
        for name in NAMES
    }
    links = "".join(f"<a href={name}></a>" for name in NAMES)
    pages["/"] = f"<title>Start</title>{menu}<h1>About /</h1><p>Text of /.{links}</p>"
    return pages


def stored(database_url: str) -> dict[str, dict[str, Any]]:
    """The documents in the database, by id."""
    with open_records(database_url) as records:
        return {record["id"]: record for record in records.documents()}


def all_asked(server: Server, _: str) -> bool:
    """Documents are about to be rewritten."""
    return len(server.log.of()) > len(NAMES)


def first_rewritten(_: Server, database_url: str) -> bool:
    """Rewritten documents are stored, and about to be delivered."""
    return any(each["change"] == "template" for each in stored(database_url).values())


@pytest.mark.behaviour("C-31", "DB-20")
@pytest.mark.parametrize("reached", [all_asked, first_rewritten])
def test_a_crawl_killed_while_it_rewrites_documents_loses_none(
    server: Server, crawl: CrawlCommand, database_url: str, reached: Reached
) -> None:
    pages = site()
    origin = server.serve(pages)
    settings = {"SITECRAWL_DATABASE": database_url}
    begun = crawl.begin(f"{origin}/", settings=settings, delay=0, **OPTIONS)
    server.log.wait_for(len(NAMES) + 1)
    deadline = time.monotonic() + 60
    while not reached(server, database_url) and time.monotonic() < deadline:
        time.sleep(0.01)
    begun.process.kill()
    begun.process.wait()
    killed = Crawl(-9, read(crawl.directory / "documents-1.jsonl"), "")
    second = crawl(f"{origin}/", settings=settings, **OPTIONS)
    assert second.status == 0, second.log
    documents = stored(database_url)
    bodies = {each["url"]: each["body"] for each in documents.values()}
    assert bodies == {f"{origin}{name}": f"About {name}\nText of {name}." for name in pages}
    lines = [line for run in (killed, second) for line in run.lines]
    assert {line["id"]: line for line in lines} == documents
    assert {line["change"] for line in lines} == {"new", "template"}
    assert crawl(f"{origin}/", settings=settings, **OPTIONS).lines == []


@pytest.mark.behaviour("C-31", "DB-20")
def test_a_crawl_killed_before_an_altered_menu_is_known_loses_no_change(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    pages = site()
    origin = server.serve(pages)
    settings = {"SITECRAWL_DATABASE": database_url}
    first = crawl(f"{origin}/", settings=settings, **OPTIONS)
    asked = len(server.log.of())
    pages.update(site(("Products", "Help", "Company")))
    pages["/"] = str(pages["/"]).replace("Text of", "New text of")
    begun = crawl.begin(f"{origin}/", settings=settings, delay=0.3, **OPTIONS)
    server.log.wait_for(asked + 7)
    begun.process.kill()
    begun.process.wait()
    killed = Crawl(-9, read(crawl.directory / "documents-2.jsonl"), "")
    third = crawl(f"{origin}/", settings=settings, **{**OPTIONS, "recrawl": "7d"})
    assert third.status == 0, third.log
    changed = [line["url"] for run in (killed, third) for line in run.lines]
    assert changed == [f"{origin}/"]
    documents = stored(database_url)
    bodies = {each["url"]: each["body"] for each in documents.values()}
    expected = {f"{origin}{name}": f"About {name}\nText of {name}." for name in pages}
    expected[f"{origin}/"] = "About /\nNew text of /."
    assert bodies == expected
    lines = [line for run in (first, killed, third) for line in run.lines]
    assert {line["id"]: line for line in lines} == documents
