"""Forgetting what is old, and what is said of it afterwards."""

from __future__ import annotations

from sitecrawl.console.administering import Done
from sitecrawl.console.times import stamp
from sitecrawl.frontier import open_pruning
from sitecrawl.frontier.pruning import Compacted, Forgotten


def prune(database: str, realm: str | None, age: float) -> Done:
    """Forget what is older than ``age`` seconds and of no use, and give the space back."""
    with open_pruning(database, realm) as pruning:
        forgotten = pruning.forget(age)
        compacted = pruning.compact()
    said = [_forgotten(forgotten)]
    smaller = compacted is not None and not compacted.hindrance
    if forgotten.count or smaller:
        said.append(_compacted(compacted))
    return Done(forgotten.count or int(smaller), "\n".join(said))


def _forgotten(rows: Forgotten) -> str:
    before = stamp(rows.before)
    if not rows.count:
        return f"There is nothing to forget from before {before}."
    attempts, changes = _many(rows.attempts, "attempt"), _many(rows.changes, "superseded change")
    return f"Forgot {attempts}, {changes} and {_many(rows.runs, 'run')} from before {before}."


def _compacted(file: Compacted | None) -> str:
    if file is None:
        return "PostgreSQL's autovacuum frees the space for what comes."
    if file.hindrance:
        return (
            f"The file keeps its {_size(file.before)}: {file.hindrance}. What comes uses the space."
        )
    return f"The file went from {_size(file.before)} to {_size(file.after)}."


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _size(count: int) -> str:
    """Bytes in words: ``812 MB``, ``0.4 MB``."""
    return f"{count / 1e6:,.0f} MB" if count >= 1e7 else f"{count / 1e6:.1f} MB"
