"""Numbered pages are all read where they have names or tables of their own; traps end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from fixtures.traps.tarpit import letter

PARTS, TABLES = 200, 300
Links = Callable[[int], Iterable[int]]


def part(number: int, links: Iterable[int]) -> str:
    """A page with a name of its own beside its number."""
    return page(*(f"/part/{each}" for each in links), title=f"Part {number}", text=letter(number))


def table(number: int) -> str:
    """A page of measurements that leads to the next one alone."""
    values = Random(number)
    text = " ".join(f"{values.uniform(0, 100):.2f}" for _ in range(24))
    onward = [f"/table/{number + 1}"] if number < TABLES else []
    return page(*onward, title=f"Table {number}", text=f"Station {number}: {text}")


@pytest.mark.slow
@pytest.mark.behaviour("Q-22")
@pytest.mark.parametrize(
    ("start", "links"),
    [
        (0, lambda number: range(1, PARTS + 1) if number == 0 else [0]),
        (1, lambda _: range(1, PARTS + 1)),
        (1, lambda number: [number * 3 % PARTS + 1, number * 7 % PARTS + 1, number % PARTS + 1]),
    ],
    ids=["one lists all", "each lists all", "links in a circle"],
)
def test_numbered_pages_that_numbered_pages_list(
    start: int, links: Links, server: Server, crawl: CrawlCommand
) -> None:
    numbers = range(start, PARTS + 1)
    site: dict[str, Page] = {f"/part/{each}": part(each, links(each)) for each in numbers}
    origin = server.serve({**site, "/robots.txt": ""})
    run = crawl(f"{origin}/part/{start}")
    assert run.status == 0
    assert run.documents.keys() == {f"{origin}{path}" for path in site}


@pytest.mark.slow  # a chain costs a batch of the database for each page
@pytest.mark.behaviour("Q-22")
def test_an_archive_of_tables_beside_a_calendar(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {f"/table/{each}": table(each) for each in range(1, TABLES + 1)}
    months = {
        f"/month/{each}": page(
            f"/month/{each + 1}", text=f"Month {each}: {' '.join(map(str, range(1, 32)))}"
        )
        for each in range(1, 100)
    }
    start = page("/table/1", "/month/1", title="Home")
    origin = server.serve({"/": start, **site, **months, "/robots.txt": ""})
    run = crawl(f"{origin}/")
    assert {f"{origin}{path}" for path in site} <= run.documents.keys()
    asked = [target for target in server.log.targets(origin) if target.startswith("/month/")]
    assert 10 < len(asked) < 60  # the sample of a kind that brings nothing
