"""The chart of outcomes over time: the places of stacked columns, which the template draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import NamedTuple, Self

from sitecrawl.report.overview import KINDS, Column, Overview

WIDTH, HEIGHT = 960, 280
LEFT, RIGHT, TOP, BOTTOM = 130, 8, 20, 36
GAP = 0.25
"""BarPart of a column's place that stays free."""
LABEL_WIDTH = 84


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
