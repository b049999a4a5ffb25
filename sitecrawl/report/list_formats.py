"""Lists as CSV, JSON and JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO

from sitecrawl.report.facts import Cell, Row
from sitecrawl.report.report_list import ReportList

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that spreadsheets evaluate (OWASP, CSV injection)."""


def csv_lines(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a head and the rows; a text that a spreadsheet would evaluate begins with ``'``."""
    yield _csv_line(found.columns)
    for row in rows:
        yield _csv_line(map(_plain, row))


def json_lines(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield each row as an object."""
    return (json.dumps(dict(zip(found.columns, row, strict=True))) for row in rows)


def json_array(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of one array of objects."""
    before = "["
    for line in json_lines(found, rows):
        yield f"{before}{line}"
        before = ","
    yield "[]" if before == "[" else "]"


FORMATS: Mapping[str, Callable[[ReportList, Iterable[Row]], Iterator[str]]] = {
    "csv": csv_lines,
    "json": json_array,
    "jsonl": json_lines,
}


def _plain(cell: Cell) -> Cell:
    text = " ".join(cell) if isinstance(cell, tuple) else cell
    if isinstance(text, str) and text.startswith(FORMULA):
        return f"'{text}"
    return text


def _csv_line(cells: Iterable[object]) -> str:
    line = StringIO()
    csv.writer(line).writerow(cells)  # quotes the characters of its line end
    return line.getvalue().removesuffix("\r\n")
