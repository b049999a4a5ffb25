"""Form of the lists of a report: a name, a table, and the reads that fill it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from sitecrawl.policy.outcomes import Outcome
from sitecrawl.report.facts import Facts, Row

OVERVIEW, SITE_PROBLEMS = "Overview", "Problems"
Reader: TypeAlias = Callable[[Facts], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class ReportList:
    """One list: its columns, and a function that reads its rows.

    ``about`` is one sentence for readers; ``empty`` is shown in place of an empty table.
    """

    name: str
    title: str
    group: str
    about: str
    empty: str
    columns: Sequence[str]
    rows: Reader


@dataclass(frozen=True, slots=True)
class FilledList:
    """A list with all its rows."""

    of: ReportList
    rows: Sequence[Row]


def read_lists(
    name: str, readers: Mapping[str, Reader], numbers: Mapping[str, float]
) -> Iterator[tuple[ReportList, Mapping[str, str]]]:
    """Yield the lists of ``NAME.toml`` in their order, each with all its texts.

    ``readers`` are their functions by name, ``numbers`` what stands in braces in a text.
    """
    tables = tomllib.loads((files("sitecrawl.report") / f"{name}.toml").read_text("utf-8"))
    for key, told in tables.items():
        group, empty = told.get("group", SITE_PROBLEMS), told.get("empty", "None.")
        about, columns = told["about"].format_map(numbers), tuple(told["columns"])
        yield ReportList(key, told["title"], group, about, empty, columns, readers[key]), told


def word(outcome: Outcome | None) -> str:
    """Return the name of an outcome; ``waiting`` for none."""
    return "waiting" if outcome is None else outcome.name.lower()
