"""The chart of outcomes over time: stacked columns, as SVG without any script or library."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import floor, log10

from sitecrawl.report.overview import KINDS, Column, Overview

WIDTH, HEIGHT = 960, 280
LEFT, RIGHT, TOP, BOTTOM = 130, 8, 20, 36
GAP = 0.25
"""Part of a column's place that stays free."""
LABEL_WIDTH = 84


def chart(overview: Overview) -> str:
    """Return the SVG element; "" without columns."""
    columns = overview.columns
    if not columns:
        return ""
    most = max(sum(each.counts.values()) for each in columns)
    step = tick(most)
    top = step * -(-most // step)
    parts = [*_grid(step, top), *_bars(columns, top), *_labels(columns)]
    described = escape(_described(overview))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{described}">'
        f"{''.join(parts)}</svg>"
    )


def tick(most: int) -> int:
    """Return the distance of grid lines: 1, 2 or 5 times a power of ten, four lines or fewer."""
    if most <= 4:
        return 1
    power = 10 ** floor(log10(most / 4))
    return next(int(power * each) for each in (1, 2, 5, 10) if power * each * 4 >= most)


def _grid(step: int, top: int) -> Iterator[str]:
    for value in range(0, top + 1, step):
        y = _y(value, top)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value:,}</text>'


def _bars(columns: tuple[Column, ...], top: int) -> Iterator[str]:
    place = (WIDTH - LEFT - RIGHT) / len(columns)
    width = min(place * (1 - GAP), 64)
    for number, column in enumerate(columns):
        x = LEFT + place * number + (place - width) / 2
        bottom = 0
        yield "<g>"
        words = ", ".join(
            f"{column.counts[kind]:,} {kind}" for kind in KINDS if column.counts[kind]
        )
        yield f"<title>{escape(column.label)}: {words or 'nothing'}</title>"
        for index, kind in enumerate(KINDS):
            if count := column.counts[kind]:
                y, below = _y(bottom + count, top), _y(bottom, top)
                yield (
                    f'<rect class="k{index}" x="{x:.1f}" y="{y}" width="{width:.1f}"'
                    f' height="{below - y:.1f}"/>'
                )
                bottom += count
        yield "</g>"


def _labels(columns: tuple[Column, ...]) -> Iterator[str]:
    place = (WIDTH - LEFT - RIGHT) / len(columns)
    every = max(1, -(-LABEL_WIDTH // max(int(place), 1)))
    shown = range(0, len(columns), every)
    for index, number in enumerate(shown):
        x = LEFT + place * (number + 0.5)
        label = escape(columns[number].label)
        kind = "tick minor" if index % 3 and len(shown) > 4 else "tick"
        yield f'<text class="{kind}" x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{label}</text>'


def _y(value: int, top: int) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top, 1)


def _described(overview: Overview) -> str:
    totals = ((kind, sum(each.counts[kind] for each in overview.columns)) for kind in KINDS)
    words = ", ".join(f"{number:,} {kind}" for kind, number in totals if number)
    return f"Stacked columns: {overview.axis}. In all {words}."
