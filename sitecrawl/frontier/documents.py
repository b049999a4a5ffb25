"""The current documents and the outbox, in which every change of them has its number."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.database import Database

COMPRESSION = 1
OUTBOX = (
    "INSERT INTO outbox (seq, url, op, id, change, reason, moved_to, run, made_at, owner)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
DOCUMENT = (
    "INSERT INTO document (url, origin, id, seq, hash, body) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET id = excluded.id, seq = excluded.seq,"
    " hash = excluded.hash, body = excluded.body, target = NULL, because = NULL"
)


def pack(document: dict[str, Any]) -> bytes:
    """A document as it is stored."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), COMPRESSION)


def unpack(body: bytes) -> dict[str, Any]:
    """The document of a stored body."""
    text = zlib.decompress(body).decode("utf-8", "surrogatepass")
    document: dict[str, Any] = json.loads(text)
    return document


@dataclass(slots=True)
class Entry:
    """A change on its way into the outbox."""

    url: int
    op: str
    id: str
    change: str | None = None
    reason: str | None = None
    moved_to: str | None = None
    content: dict[str, Any] = field(default_factory=dict)
    hash: str | None = None


def record(seq: int, run: int, entry: Entry) -> dict[str, Any]:
    """The line of a change as the contract has it; empty values are left out."""
    envelope = {
        "op": entry.op,
        "id": entry.id,
        "seq": seq,
        "run_id": run,
        "change": entry.change,
        "reason": entry.reason,
        "moved_to": entry.moved_to,
    }
    present = {name: value for name, value in envelope.items() if value is not None}
    return {**present, **entry.content}


class Outbox:
    """Numbers changes in the order in which transactions end, so that no reader misses one."""

    def __init__(self, database: Database, run: int, owner: str) -> None:
        self._database = database
        self._run = run
        self._owner = owner

    def write(self, origin: int, entries: Sequence[Entry]) -> list[Change]:
        """Write the changes and the documents they bring; last in the transaction."""
        if not entries:
            return []
        [(last,)] = self._database.rows(
            "UPDATE crawl SET seq = seq + ? RETURNING seq", (len(entries),)
        )
        numbered = list(enumerate(entries, start=last - len(entries) + 1))
        made_at = self._database.now()
        self._database.many(
            OUTBOX,
            [
                (
                    seq,
                    e.url,
                    e.op,
                    e.id,
                    e.change,
                    e.reason,
                    e.moved_to,
                    self._run,
                    made_at,
                    self._owner,
                )
                for seq, e in numbered
            ],
        )
        self._database.many(
            DOCUMENT,
            [
                (e.url, origin, e.id, seq, e.hash, pack(e.content))
                for seq, e in numbered
                if e.op == "upsert"
            ],
        )
        return [Change(seq, e.op, e.id, record(seq, self._run, e)) for seq, e in numbered]
