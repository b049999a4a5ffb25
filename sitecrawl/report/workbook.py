"""Lists as a workbook for spreadsheets, a sheet for each list that is not empty."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from sitecrawl.report.report_list import FilledList

OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
MAX_ROWS = 1_048_575
"""Rows of a sheet below its head."""
MAX_CELL = 32_767  # characters


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
                sheet.write_row(number, 0, map(_plain, row))
    finally:
        workbook.close()
    partial.replace(path)


def _plain(cell: Any) -> Any:
    text = "\n".join(cell) if isinstance(cell, tuple) else cell
    return text[:MAX_CELL] if isinstance(text, str) else text
