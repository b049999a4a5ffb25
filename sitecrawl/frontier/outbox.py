"""The outbox: every change of a document, in the order in which transactions ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.database import Database, Row

INSERT = (
    "INSERT INTO outbox (seq, url, op, id, change, reason, moved_to, address, run, realm, made_at,"
    " owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(slots=True)
class Entry:
    """A change on its way into the outbox.

    ``content`` holds an upsert's fields beside the envelope, ``address`` the URL of a delete.
    """

    url: int
    op: str
    id: str
    change: str | None = None
    reason: str | None = None
    moved_to: str | None = None
    address: str | None = None
    content: dict[str, Any] = field(default_factory=dict)


def record(seq: int, run: int, realm: str, entry: Entry) -> dict[str, Any]:
    """The line of a change as the contract has it; empty values are left out."""
    envelope = {
        "op": entry.op,
        "id": entry.id,
        "seq": seq,
        "run_id": run,
        "realm": realm,
        "change": entry.change,
        "url": entry.address,
        "reason": entry.reason,
        "moved_to": entry.moved_to,
    }
    return {name: value for name, value in envelope.items() if value is not None} | entry.content


class Outbox:
    """Numbers changes last in their transaction, so that no reader ever misses one."""

    def __init__(self, database: Database, run: int, realm: str, owner: str | None) -> None:
        self._database = database
        self._run = run
        self._realm = realm
        self._owner = owner

    def write(self, entries: Sequence[Entry]) -> list[Change]:
        """Number and write the changes."""
        if not entries:
            return []
        [(last,)] = self._database.rows(
            "UPDATE crawl SET seq = seq + ? RETURNING seq", (len(entries),)
        )
        numbered = list(enumerate(entries, start=last - len(entries) + 1))
        made = (self._run, self._realm, self._database.now(), self._owner)
        self._database.many(
            INSERT,
            [(seq, *_columns(entry), *made) for seq, entry in numbered],
        )
        self._database.many(
            "UPDATE document SET seq = ? WHERE url = ?",
            [(seq, e.url) for seq, e in numbered if e.op == "upsert"],
        )
        return [
            Change(seq, e.op, e.id, record(seq, self._run, self._realm, e)) for seq, e in numbered
        ]


def _columns(entry: Entry) -> Row:
    return (
        entry.url,
        entry.op,
        entry.id,
        entry.change,
        entry.reason,
        entry.moved_to,
        entry.address,
    )
