"""The report as one HTML page that needs nothing else: styles, script and data are inside it.

The data of a list are its columns as JSON, gzip and base64, which the script unpacks when they are
needed; the first rows stand in the page as a table. Everything that comes from a site is escaped by
the template and becomes a text node in the script; the content security policy admits only our own
style and script.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import floor, log10
from typing import NamedTuple, Self

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sitecrawl import __version__
from sitecrawl.report.facts import Cell, Facts
from sitecrawl.report.lists import LISTS, PROBLEMS
from sitecrawl.report.overview import KINDS, Column, Overview
from sitecrawl.report.report_list import FilledList

WIDTH, HEIGHT = 960, 280
LEFT, RIGHT, TOP, BOTTOM = 130, 8, 20, 36
GAP = 0.25
"""BarPart of a column's place that stays free."""
LABEL_WIDTH = 84
MAX_ROWS = 100_000
"""Rows of a list in the page; `scrapy report --list` has them all."""
MAX_CELL = 4000
"""Characters of one cell in the page."""
NUMBERS = frozenset(
    {
        *("status", "pages", "links", "urls", "documents", "depth", "clicks", "hops", "seconds"),
        *("run", "tried", "new", "changed", "deleted"),
        *("bytes", "words", "percent", "requests", "promised", "smallest_gap", "median_gap", "429"),
        *("503", "asked", "waited", "crawl_delay", "waiting", "duplicate", "redirect"),
        *("left out", "failed", "number", "length", "images", "scripts"),
        *("title_length", "description_length", "h1", "exit_status", "high", "medium", "low"),
    }
)
URLS = frozenset(
    {
        *("url", "target", "moved_to", "linked_from", "kept", "start", "on_the_way", "example"),
        *("examples", "canonical", "folder", "assets"),
    }
)
WORDS = frozenset(
    {
        *("outcome", "reason", "change", "because", "via", "kind", "state", "problem", "ends_as"),
        *(
            "crawl",
            "finish_reason",
            "started_at",
            "ended_at",
            "importance",
            "indexable",
            "listed",
            "before",
        ),
        *("list", "share"),
        *("at", "visited_at", "seen_at", "checked_at", "origin", "language"),
    }
)
HEADS = {"url": "URL", "urls": "URLs"}
BAD = frozenset({"broken links", "deleted"})
"""Figures that are marked unless they are 0."""


class BarPart(NamedTuple):
    """The part of a column that one kind of outcomes has."""

    kind: int
    y: float
    height: float


class Bar(NamedTuple):
    """A column: its words, its left edge, and its parts from the bottom."""

    title: str
    x: float
    parts: Sequence[BarPart]


@dataclass(frozen=True, slots=True)
class Chart:
    """Geometry of the chart, in the units of its view box.

    ``grid`` has the value and height of each line, ``labels`` the place of each, the text, and
    whether a narrow screen leaves it out, ``kinds`` the number and name of each kind in it.
    """

    described: str
    bar_width: float
    grid: Sequence[tuple[int, float]]
    bars: Sequence[Bar]
    labels: Sequence[tuple[float, str, bool]]
    kinds: Sequence[tuple[int, str]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT

    @classmethod
    def draw(cls, overview: Overview) -> Self | None:
        """Place the columns; return None if there are none."""
        columns = overview.columns
        if not columns:
            return None
        most = max(sum(each.counts.values()) for each in columns)
        step = tick(most)
        top = step * -(-most // step)
        place = (WIDTH - LEFT - RIGHT) / len(columns)
        width = round(min(place * (1 - GAP), 64), 1)
        totals = {kind: sum(each.counts[kind] for each in columns) for kind in KINDS}
        return cls(
            f"Stacked columns: {overview.axis}. In all {_words(totals)}.",
            width,
            [(value, _y(value, top)) for value in range(0, top + 1, step)],
            [
                Bar(
                    f"{each.label}: {_words(each.counts) or 'nothing'}",
                    round(LEFT + place * number + (place - width) / 2, 1),
                    list(_parts(each, top)),
                )
                for number, each in enumerate(columns)
            ],
            list(_labels(columns, place)),
            [(number, kind) for number, kind in enumerate(KINDS) if totals[kind]],
        )


def tick(most: int) -> int:
    """Return the distance of grid lines: 1, 2 or 5 times a power of ten, four lines or fewer."""
    if most <= 4:
        return 1
    power = 10 ** floor(log10(most / 4))
    return next(int(power * each) for each in (1, 2, 5, 10) if power * each * 4 >= most)


def _parts(column: Column, top: int) -> Iterator[BarPart]:
    bottom = 0
    for index, kind in enumerate(KINDS):
        if count := column.counts[kind]:
            y = _y(bottom + count, top)
            yield BarPart(index, y, round(_y(bottom, top) - y, 1))
            bottom += count


def _labels(columns: Sequence[Column], place: float) -> Iterator[tuple[float, str, bool]]:
    every = max(1, -(-LABEL_WIDTH // max(int(place), 1)))
    shown = range(0, len(columns), every)
    for index, number in enumerate(shown):
        is_minor = bool(index % 3) and len(shown) > 4
        yield round(LEFT + place * (number + 0.5), 1), columns[number].label, is_minor


def _y(value: int, top: int) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top, 1)


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS if counts[kind])


def page(facts: Facts) -> str:
    """Return the page of one crawl."""
    overview = Overview.read(facts)
    lists = [FilledList(each, facts.rows(each)) for each in LISTS if each is not PROBLEMS]
    problems = FilledList(PROBLEMS, facts.rows(PROBLEMS))
    return _page(_site(overview), lists, overview, problems)


def crawls_page(title: str, lists: Sequence[FilledList]) -> str:
    """Return a page over several crawls."""
    return _page(title, lists)


def _page(
    title: str,
    lists: Sequence[FilledList],
    overview: Overview | None = None,
    problems: FilledList | None = None,
) -> str:
    environment = Environment(
        loader=PackageLoader("sitecrawl.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"kind": _kind, "packed": packed, "shortened": _shortened}
    style, script = _asset("report_page.css"), _asset("report_page.js")
    return environment.get_template("report.html").render(
        title=title,
        lists=lists,
        groups=dict.fromkeys(each.of.group for each in lists),
        overview=overview,
        problems=problems,
        chart=Chart.draw(overview) if overview else None,
        style=Markup(style),  # noqa: S704 -- our own
        script=Markup(script),  # noqa: S704
        policy=_policy(style, script),
        heads=HEADS,
        bad=BAD,
        max_rows=MAX_ROWS,
        version=__version__,
    )


def packed(found: FilledList) -> str:
    """Return the columns of a list as base64 of gzipped JSON."""
    columns = [list(map(_shortened, column)) for column in zip(*found.rows[:MAX_ROWS], strict=True)]
    text = json.dumps(columns, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(
        gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
    ).decode("ascii")


def _asset(name: str) -> str:
    return files("sitecrawl.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}';"
        " base-uri 'none'; form-action 'none'"
    )


def _site(overview: Overview) -> str:
    if len(overview.sites) == 1:
        return overview.sites[0]
    first, others = (overview.sites or ("No start",))[0], len(overview.sites) - 1
    return f"{first} and {others} more" if others > 0 else first


def _kind(name: str) -> str:
    if name in NUMBERS:
        return "n"
    if name in URLS:
        return "u"
    return "w" if name in WORDS else "t" if name == "text" else "s"


def _shortened(cell: Cell) -> Cell:
    if isinstance(cell, str) and len(cell) > MAX_CELL:
        return f"{cell[:MAX_CELL]}…"
    return cell
