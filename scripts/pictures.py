"""Makes the pictures of docs/images that are drawn from the code: python -m scripts.pictures

The tables are those of a new crawl database, the layers those of the contract of import-linter.
"""

from __future__ import annotations

import re
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from sitecrawl.frontier.database import schema_scripts
from sitecrawl.frontier.sqlite import SqliteDatabase

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COLUMNS = (
    ("run", "run_worker", "receipt", "delivery", "crawl"),
    ("origin", "evidence", "worker"),
    ("url",),
    ("document", "held_change", "section", "link"),
    ("outbox", "attempt", "outside", "sync_target", "dead_letter"),
)
"""Tables of the picture, from the left to the right."""
COLOURS = {
    "run": "#1d4f91",
    "origin": "#2e7031",
    "url": "#a4420b",
    "worker": "#6b3fa0",
    "delivery": "#0b6e75",
    "sync_target": "#9c1f4b",
}
"""Colours of the tables to which others refer."""
REFERENCES = {
    "run": {"run", "given_up", "robots_run", "listed"},
    "origin": {"origin"},
    "url": {"url", "target", "referrer"},
    "worker": {"owner"},
    "delivery": {"delivered"},
}
"""Columns that hold the key of a table; an address of a page has another type."""
WIDTH, LINE, GAP = 180, 17, 14
STYLE = "text{font:13px ui-monospace,Menlo,Consolas,monospace}.t{fill:#fff;font-weight:bold}"


def svg(width: int, height: int, parts: Iterable[str]) -> str:
    """Return a picture on white ground."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" rx="6" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def tables() -> dict[str, dict[str, str]]:
    """Return the columns of each table, with their types."""
    with sqlite3.connect(":memory:") as database:
        for _, script in sorted(schema_scripts().items()):
            database.executescript(script.format_map(SqliteDatabase.types))
        names = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        return {
            name: {row[1]: row[2] for row in database.execute(f"PRAGMA table_info({name})")}
            for name in names
            if not name.startswith("sqlite_")
        }


def referred(table: str, column: str, kind: str) -> str:
    """Return the table whose key a column holds, or ""."""
    if (table, column) == ("dead_letter", "target"):
        return "sync_target"
    if (kind == "TEXT") != (column == "owner") or (table, column) == ("worker", "owner"):
        return ""
    return next((name for name, columns in REFERENCES.items() if column in columns), "")


def box(table: str, columns: dict[str, str], x: int, y: int) -> Iterator[str]:
    """Yield the parts of a table: its name on its colour, and its columns in those of others."""
    height = (len(columns) + 1) * LINE + 12
    colour = COLOURS.get(table, "#555")
    yield f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{height}" rx="4" fill="#f6f6f4" stroke="{colour}"/>'
    yield f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{LINE + 6}" rx="4" fill="{colour}"/>'
    yield f'<text class="t" x="{x + 8}" y="{y + 16}">{table}</text>'
    for number, (column, kind) in enumerate(columns.items(), start=2):
        other = referred(table, column, kind)
        look = f'fill="{COLOURS[other]}" font-weight="bold"' if other else 'fill="#333"'
        arrow = f" → {other}" if other else ""
        yield f'<text x="{x + 8}" y="{y + number * LINE + 4}" {look}>{column}{arrow}</text>'


def data_model() -> str:
    """Draw the tables of the crawl database."""
    known = tables()
    parts: list[str] = []
    bottom = 0
    for number, column in enumerate(COLUMNS):
        y = GAP
        for table in column:
            parts += box(table, known[table], GAP + number * (WIDTH + GAP), y)
            y += (len(known[table]) + 1) * LINE + 12 + GAP
        bottom = max(bottom, y)
    return svg(len(COLUMNS) * (WIDTH + GAP) + GAP, bottom, parts)


def layers() -> str:
    """Draw the layers of the packages: each imports from those below it only."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = [
        re.findall(r"\w+", row) for row in project["tool"]["importlinter"]["contracts"][0]["layers"]
    ]
    whole, height = 900, 30
    parts = []
    for number, row in enumerate(rows):
        x, y = float(GAP), GAP + number * (height + 6)
        spare = (whole - 2 * GAP - 6 * (len(row) - 1) - 8 * len("".join(row))) / len(row)
        colour = COLOURS["url" if row[0] in {"web", "policy", "frontier"} else "run"]
        for name in row:
            width = 8 * len(name) + spare
            parts.append(
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{height}" rx="4" fill="{colour}"/>'
                f'<text class="t" x="{x + width / 2:.0f}" y="{y + 20}" text-anchor="middle">{name}</text>'
            )
            x += width + 6
    return svg(whole, len(rows) * (height + 6) + 2 * GAP - 6, parts)


PICTURES = {"data-model.svg": data_model, "layers.svg": layers}


def main() -> None:
    """Write the pictures."""
    for name, draw in PICTURES.items():
        (IMAGES / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
