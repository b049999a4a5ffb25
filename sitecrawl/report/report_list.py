"""Form of the lists of a report: a name, a table, and the reads that fill it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sitecrawl.policy.outcomes import Outcome
from sitecrawl.report.facts import Facts, Row

OVERVIEW, SITE_PROBLEMS, LINKS, CONTENT = "Overview", "Problems", "Links", "Content"
CRAWL, POLITE = "Crawl", "Politeness"


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
    rows: Callable[[Facts], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class FilledList:
    """A list with all its rows."""

    of: ReportList
    rows: Sequence[Row]


def word(outcome: Outcome | None) -> str:
    """Return the name of an outcome; ``waiting`` for none."""
    return "waiting" if outcome is None else outcome.name.lower()


def moment(at: float | None) -> str | None:
    """Return a time as RFC 3339 in UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
