"""Archives by date are read to their last story; calendars are left."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable
from itertools import product

import pytest

from fixtures.traps.page import MONTHS
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_limits
from sitecrawl.policy.traps.series import precision
from sitecrawl.policy.urls.url_rules import read_target

HOME = "http://example.org"
YEARS = range(2001, 2021)
AS_WORDS = str.maketrans("0123456789/?&=", "abcdefghij    ")
Links = Callable[[str], list[str]]


def walk(links: Links) -> list[str]:
    """URLs fetched of a site from ``/`` on, in the order of a crawl.

    Every page that has links has the same text, the others their own.
    """
    limits = build_limits(CrawlParams(start=[HOME]), {})
    waiting: list[tuple[int, int, str, str | None]] = [(0, 0, "/", None)]
    seen, fetched = {"/"}, list[str]()
    while waiting and len(fetched) < 5000:
        depth, _, path, referrer = heapq.heappop(waiting)
        if not limits.fetch(HOME + path, depth=depth, referrer=referrer, new=True).allowed:
            continue
        fetched.append(path)
        found = links(path)
        text = "Choose" if found else path.translate(AS_WORDS)
        title = path.translate(AS_WORDS)
        page = limits.page(HOME + path, depth=depth, text=text, new=True, title=title)
        for link in found:
            known = link in seen
            if page.admit(HOME + link, depth=depth + 1, known=known).allowed and not known:
                seen.add(link)
                heapq.heappush(waiting, (depth + 1, len(seen), link, HOME + path))
    return fetched


def archive(form: str) -> Links:
    """Years, their months, their days, and a story for each day."""
    year, month, day = form.split()
    found = {"/": [year.format(y=y) for y in YEARS]}
    for y, m in product(YEARS, range(1, 13)):
        at = month.format(y=y, m=m, n=MONTHS[m - 1])
        found.setdefault(year.format(y=y), []).append(at)
        found[at] = [day.format(y=y, m=m, d=d, n=MONTHS[m - 1]) for d in (1, 15)]
        found.update(
            {
                day.format(y=y, m=m, d=d, n=MONTHS[m - 1]): [f"/story/{y}-of-{m}-and-{d}-x"]
                for d in (1, 15)
            }
        )
    return lambda path: found.get(path, [])


@pytest.mark.parametrize(
    "form",
    [
        "/{y}/ /{y}/{m:02}/ /{y}/{m:02}/{d:02}/",
        "/archive/{y}/ /archive/{y}/{m}/ /archive/{y}/{m}/{d}.html",
        "/archive/{y} /archive/{y}-{m:02} /archive/{y}-{m:02}-{d:02}",
        "/archive/{y} /archive/{y}/{n} /archive/{y}/{n}/{d}",
    ],
)
def test_every_story_of_an_archive_is_found(form: str) -> None:
    fetched = walk(archive(form))
    assert sum(path.startswith("/story/") for path in fetched) == len(YEARS) * 12 * 2


@pytest.mark.parametrize("form", ["/c/{y}/{m:02}/", "/c?year={y}&month={m}"])
def test_a_calendar_with_days_below_its_months_is_left(form: str) -> None:
    def links(path: str) -> list[str]:
        if path == "/":
            return [form.format(y=2026, m=11)]
        numbers = [int(number) for number in re.findall(r"\d+", path)]
        y, m = numbers[:2]
        around = [divmod(y * 12 + m - 1 + step, 12) for step in (-1, 1)]
        months = [form.format(y=year, m=month + 1) for year, month in around]
        below = "{}&day={}" if "?" in form else "{}{:02}/"
        days = [below.format(path, day) for day in range(1, 29)] if len(numbers) == 2 else []
        return [*months, *days]

    assert 10 < len(walk(links)) < 60


@pytest.mark.parametrize(
    ("path", "numbers"),
    [("/2026/11/", 2), ("/2026/11/20", 3), ("/2026", 0), ("/c?year=2026&month=1&day=2", 3)],
)
def test_precision(path: str, numbers: int) -> None:
    assert precision(read_target(HOME + path)) == numbers
