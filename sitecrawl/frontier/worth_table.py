"""Stored evidence on what parts of an origin are worth, and the URLs left out because of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sitecrawl.frontier.database import Database, placeholders

SAVE = (
    "INSERT INTO worth (origin, kind, name, state, value) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (origin, kind, name) DO UPDATE SET state = excluded.state,"
    " value = excluded.value"
)
ADMIT = "UPDATE url SET waiting = 1, priority = 0 WHERE origin = ? AND reason = ? AND waiting = 0"
RESTORE = "UPDATE url SET priority = 0 WHERE origin = ? AND waiting = 1 AND priority < 0"


class StoredWorth(NamedTuple):
    """The evidence on one part of an origin as it is stored."""

    kind: str
    name: str
    state: str
    value: dict[str, Any]


class WorthTable:
    """The worth table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, origin: int) -> list[StoredWorth]:
        """Return the evidence on an origin, ordered by kind and name."""
        rows = self._database.rows(
            "SELECT kind, name, state, value FROM worth WHERE origin = ? ORDER BY kind, name",
            (origin,),
        )
        return [
            StoredWorth(kind, name, state, json.loads(value)) for kind, name, state, value in rows
        ]

    def save(self, origin: int, parts: Iterable[StoredWorth]) -> None:
        """Store evidence, replacing that on the same parts."""
        self._database.many(
            SAVE,
            [(origin, *part[:3], json.dumps(part.value, separators=(",", ":"))) for part in parts],
        )

    def admit_again(self, origin: int, reason: str, only: Collection[int] = ()) -> int:
        """Queue the URLs refused for a reason, ``only`` these if there are any.

        Those that were put off get their place in the queue back.
        """
        suffix = f" AND fingerprint IN ({placeholders(len(only))})" if only else ""
        self._database.execute(RESTORE + suffix, (origin, *only))
        admitted = self._database.execute(ADMIT + suffix, (origin, reason, *only))
        if admitted:
            self._database.execute(
                "UPDATE origin SET pending = pending + ? WHERE id = ?", (admitted, origin)
            )
        return admitted
