"""Counters of a run: those of all its workers together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitecrawl.frontier.database import Database

EXAMPLE = "example"
"""Name of a text of which the better one is kept, whichever worker met it."""
OF_LAST = ("sitecrawl/exit_status", "failed_starts")
"""Values that are not added up: the run has those of its last worker."""
KEPT = ("sitecrawl/", "refusals", "given_up", "left_out", "failed_starts")
"""Beginnings of the names that are stored with the run."""


def combined(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up numbers, and join tables and lists; lists keep the length of the longest."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if name not in total:
                total[name] = value
            elif name == EXAMPLE:
                total[name] = better_example(total[name], value)
            else:
                total[name] = _joined(total[name], value)
    return total


def better_example(one: str, other: str) -> str:
    """Return the shorter one of two examples; of equal length, the first in the alphabet."""
    return min(one, other, key=lambda text: (len(text), text))


def _joined(before: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        return combined([before, value])
    if isinstance(value, list):
        return [*before, *value][: max(len(before), len(value))]
    return before + value if isinstance(value, int | float) else before


def worker_counters(database: Database, run: int, *, besides: str) -> Iterator[dict[str, Any]]:
    """Yield the counters of each worker of a run but one, as of its last heartbeat."""
    rows = database.rows(
        "SELECT counters FROM run_worker WHERE run = ? AND owner <> ? AND counters IS NOT NULL"
        " ORDER BY started_at, owner",
        (run, besides),
    )
    return (json.loads(counters) for (counters,) in rows)


def of_run(database: Database, run: int, last: str, counters: dict[str, Any]) -> dict[str, Any]:
    """Return the counters of a run whose last worker, ``last``, ended with ``counters``.

    The reasons for which origins were given up are those of their rows: workers that were killed
    may not have reported them.
    """
    total = combined([counters, *worker_counters(database, run, besides=last)])
    total = {name: value for name, value in total.items() if name.startswith(KEPT)}
    rows = database.rows(
        "SELECT key, given_up_because FROM origin WHERE given_up = ? AND given_up_because IS NOT NULL",
        (run,),
    )
    total |= {name: counters[name] for name in OF_LAST if name in counters}
    if "given_up" in total or rows:
        total["given_up"] = {**total.get("given_up", {}), **dict(rows)}
    return total
