"""Two crawls share a database; when one is killed, the other takes over what it had."""

from __future__ import annotations

import time

import pytest

from fixtures.crawls import CrawlCommand, read
from fixtures.server import Page, Server, page
from sitecrawl.frontier.opening import open_records

ORIGINS = 6
NAMES = [
    "ant",
    "bee",
    "cat",
    "dog",
    "elk",
    "fox",
    "gnu",
    "hen",
    "ibis",
    "jay",
    "kiwi",
    "lark",
    "mole",
    "newt",
    "owl",
    "pig",
]
DELAY = 0.15


def site(number: int, origins: list[str]) -> dict[str, Page]:
    """A tree of pages that links to the next origin's."""
    pages: dict[str, Page] = {"/robots.txt": "User-agent: *\nDisallow:\n"}
    for index, name in enumerate(NAMES):
        below = [f"/{each}" for each in NAMES[2 * index + 1 : 2 * index + 3]]
        words = " ".join(f"word{(number * 97 + index * 31 + n * n * 7) % 5000}" for n in range(60))
        pages[f"/{name}"] = page(*below, f"{origins[(number + 1) % ORIGINS]}/ant", text=words)
    return pages


@pytest.mark.behaviour("DB-20", "P-05")
def test_a_killed_crawl_is_taken_over(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    sites: list[dict[str, Page]] = [{} for _ in range(ORIGINS)]
    origins = [server.serve(each, address=f"127.0.0.{n + 2}") for n, each in enumerate(sites)]
    for number, each in enumerate(sites):
        each.update(site(number, origins))
    starts = [f"{origin}/ant" for origin in origins]
    settings = {"SITECRAWL_DATABASE": database_url}
    arguments = {"delay": DELAY, "crawl_name": "shared"}
    one, other = (crawl.begin(*starts, settings=settings, **arguments) for _ in range(2))
    server.log.wait_for(4 * ORIGINS)
    one.process.kill()
    one.process.wait()
    killed_at = time.monotonic()
    finished = other.finish()
    assert finished.status == 0, finished.log
    assert time.monotonic() - killed_at < 30
    last = crawl(*starts, settings=settings, **arguments)  # delivers what the killed one had
    with open_records(database_url) as records:
        stored = {record["url"] for record in records.documents()}
        assert len(list(records.changes(0))) == ORIGINS * len(NAMES)
    assert stored == {f"{origin}/{name}" for origin in origins for name in NAMES}
    killed = read(crawl.directory / "documents-1.jsonl")
    lines = [line["url"] for line in (*killed, *finished.lines, *last.lines)]
    assert set(lines) == stored
    assert all(server.log.most_in_flight(origin) == 1 for origin in origins)
    asked = [target for target in server.log.targets() if target != "/robots.txt"]
    assert len(asked) <= len(stored) + ORIGINS * 3  # what the killed one had in hand
