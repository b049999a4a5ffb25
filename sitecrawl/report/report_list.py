"""Texts of a report's lists, and the formats of files that lists are written to."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

from sitecrawl.policy.outcomes import Outcome
from sitecrawl.report.facts import Cell, FilledList, ReportList, Row

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that spreadsheets evaluate (OWASP, CSV injection)."""
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
MAX_ROWS = 1_048_575
"""Rows of a sheet below its head."""
MAX_CELL = 32_767  # characters


def read_lists(name: str, names: Mapping[str, Any]) -> Iterator[ReportList]:
    """Yield the lists of ``NAME.toml`` in their order.

    ``names`` are those of the module: the function ``_NAME`` of each list, and the numbers that
    stand in braces in a text.
    """
    tables = tomllib.loads((files("sitecrawl.report") / f"{name}.toml").read_text("utf-8"))
    for key, told in tables.items():
        told["about"] = told["about"].format_map(names)
        yield ReportList(key, rows=names[f"_{key}"], **told)


def word(outcome: Outcome | None) -> str:
    """Return the name of an outcome; ``waiting`` for none."""
    return "waiting" if outcome is None else outcome.name.lower()


def csv_lines(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a head and the rows; a text that a spreadsheet would evaluate begins with ``'``."""
    yield _csv_line(found.columns)
    for row in rows:
        yield _csv_line(map(_plain, row))


def json_lines(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield each row as an object."""
    return (json.dumps(dict(zip(found.columns, row, strict=True))) for row in rows)


def json_array(found: ReportList, rows: Iterable[Row]) -> Iterator[str]:
    """Yield one array of objects, each on a line of its own."""
    objects = ",\n".join(json_lines(found, rows))
    yield f"[{objects}]"


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


def write_workbook(path: str, lists: Iterable[FilledList]) -> None:
    """Write the lists to a file, which is replaced when it is complete; raises OSError."""
    partial = Path(f"{path}.part")
    partial.touch()  # the library's own error is no OSError
    workbook: Any = import_module("xlsxwriter").Workbook(partial, OPTIONS)
    bold = workbook.add_format({"bold": True})
    try:
        for each in lists:
            of, rows = each.of, each.rows[:MAX_ROWS]
            if not rows:
                continue
            sheet = workbook.add_worksheet(of.name)
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, len(rows), len(of.columns) - 1)
            sheet.write_row(0, 0, of.columns, bold)
            for number, row in enumerate(rows, 1):
                sheet.write_row(number, 0, map(_sheet_cell, row))
    finally:
        workbook.close()
    partial.replace(path)


def _sheet_cell(cell: Any) -> Any:
    text = "\n".join(cell) if isinstance(cell, tuple) else cell
    return text[:MAX_CELL] if isinstance(text, str) else text
