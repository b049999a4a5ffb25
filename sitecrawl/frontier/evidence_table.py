"""Stored evidence on the kinds of pages of an origin, and the URLs left out because of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sitecrawl.frontier.database import Database

SAVE = (
    "INSERT INTO evidence (origin, basis, name, value) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (origin, basis, name) DO UPDATE SET value = excluded.value"
)
MEANING = "meaning"
"""Basis of what is known of names of session ids and tracking parameters: if they carry a meaning."""


class StoredEvidence(NamedTuple):
    """The evidence on one kind of page, pool or part of an origin as it is stored."""

    basis: str
    name: str
    values: dict[str, Any]


def stored_evidence(database: Database, origin: int, basis: str) -> list[StoredEvidence]:
    """Return the evidence on an origin, or that of one basis, ordered by basis and name."""
    rows = database.rows(
        "SELECT basis, name, value FROM evidence WHERE origin = ? AND ? IN ('', basis)"
        " ORDER BY basis, name",
        (origin, basis),
    )
    return [StoredEvidence(basis, name, json.loads(value)) for basis, name, value in rows]


def store_evidence(database: Database, origin: int, parts: Iterable[StoredEvidence]) -> None:
    """Store evidence, replacing that of the same basis and name."""
    packed = ((basis, name, json.dumps(each, separators=(",", ":"))) for basis, name, each in parts)
    database.many(SAVE, [(origin, *each) for each in packed])
