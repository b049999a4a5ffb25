"""Draws the last results as SVG, beside them: python -m benchmarks.plots"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from benchmarks.results import FOLDER, Figures, load
from benchmarks.tables import OURS

INK, PALE, GRID = "#1f2933", "#9aa5b1", "#d9dee3"
COLOURS = ("#0b7285", "#e8590c", "#5f3dc4", "#2b8a3e")
WIDTH = 720
TEXT = 'font-family="sans-serif" font-size="13"'


def svg(height: int, title: str, parts: Iterator[str]) -> str:
    """A drawing on white, so that it reads on dark pages, too."""
    size = f'viewBox="0 0 {WIDTH} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {TEXT}>',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            text(16, 26, title, weight="bold"),
            *parts,
            "</svg>\n",
        ]
    )


def text(x: float, y: float, words: str, *, anchor: str = "start", weight: str = "normal") -> str:
    """Words at a point."""
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="{INK}" text-anchor="{anchor}"'
        f' font-weight="{weight}">{escape(words)}</text>'
    )


def bars(figures: Figures) -> str:
    """CPU per page by crawler, the dearest first."""
    rows = sorted(figures["rows"].items(), key=lambda row: -row[1]["cost"])
    most = rows[0][1]["cost"]
    left, step, room = 200, 34, WIDTH - 280

    def parts() -> Iterator[str]:
        for number, (name, row) in enumerate(rows):
            top, length = 46 + step * number, room * row["cost"] / most
            colour = COLOURS[0] if name == OURS else PALE
            yield text(left - 10, top + 17, name, anchor="end")
            yield f'<rect x="{left}" y="{top}" width="{length:.1f}" height="24" fill="{colour}"/>'
            yield text(left + length + 8, top + 17, f"{row['cost']:.2f}")

    return svg(60 + step * len(rows), "CPU milliseconds per page, whole process", parts())


def scale(most: float) -> list[float]:
    """Round values from 0 to at least ``most``, five to ten of them."""
    size = 10.0 ** floor(log10(most))
    step = next(s for s in (size / 5, size / 2, size, 2 * size) if most / s <= 8)
    return [round(step * number, 6) for number in range(ceil(most / step) + 1)]


def lines(figures: Figures, measure: str, title: str) -> str:
    """One line for each database and kind of links over the number of known URLs."""
    series = figures["series"]
    sizes = [point["known"] for point in series[0]["sizes"]]
    ticks = scale(max(point[measure] for line in series for point in line["sizes"]))
    left, right, high, low = 60.0, WIDTH - 50.0, 50.0, 300.0
    span = log10(sizes[-1] / sizes[0]) or 1.0

    def x(known: int) -> float:
        return left + (right - left) * log10(known / sizes[0]) / span

    def y(value: float) -> float:
        return float(low - (low - high) * value / ticks[-1])

    def parts() -> Iterator[str]:
        for value in ticks:
            yield f'<path d="M{left} {y(value):.1f}H{right}" stroke="{GRID}"/>'
            yield text(left - 8, y(value) + 4, f"{value:g}", anchor="end")
        for known in sizes:
            yield text(x(known), low + 20, f"{known:,}", anchor="middle")
        for number, line in enumerate(series):
            points = [(x(point["known"]), y(point[measure])) for point in line["sizes"]]
            yield from _line(points, COLOURS[number % len(COLOURS)])
            yield from _legend(number, f"{line['database']}, known links: {line['links']}")

    return svg(390, title, parts())


def _line(points: Sequence[tuple[float, float]], colour: str) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _legend(number: int, words: str) -> Iterator[str]:
    left, top = 60 + 330 * (number % 2), 346 + 22 * (number // 2)
    colour = COLOURS[number % len(COLOURS)]
    yield f'<rect x="{left}" y="{top}" width="18" height="4" fill="{colour}"/>'
    yield text(left + 26, top + 6, words)


def main() -> None:
    """Draw what there are figures of."""
    drawn = {
        "against_others.svg": ("against_others", bars),
        "growth_cost.svg": (
            "growth",
            lambda f: lines(f, "loop", "CPU milliseconds per page by known URLs"),
        ),
        "growth_memory.svg": (
            "growth",
            lambda f: lines(f, "memory", "Peak memory in MB by known URLs"),
        ),
    }
    for file, (name, draw) in drawn.items():
        if (FOLDER / f"{name}.json").exists():
            (FOLDER / file).write_text(draw(load(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
