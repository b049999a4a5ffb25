"""From the outbox to the feeds: what is not delivered yet, and what is."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

from collections.abc import Sequence

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.database import Database, Row
from sitecrawl.frontier.documents import Documents, unpack
from sitecrawl.frontier.outbox import Entry, record

COLUMNS = (
    "SELECT o.seq, o.run, o.realm, o.url, o.op, o.id, o.change, o.reason, o.moved_to, o.address,"
    " d.body, d.seq FROM outbox AS o LEFT JOIN document AS d ON d.url = o.url"
)
CHANGES = f"{COLUMNS} WHERE o.seq > ?{{of}} ORDER BY o.seq LIMIT ?"
WAITING = (
    f"{COLUMNS} WHERE o.delivered = 0 AND o.realm = ? AND o.seq > ? AND (o.owner IS NULL OR"
    " o.owner NOT IN (SELECT owner FROM worker)) ORDER BY o.seq LIMIT ?"
)


def change_of(row: Row, additional: dict[int, list[str]]) -> Change | None:
    """The change of an outbox row; None when a later change has taken its document's place."""
    seq, run, realm, url, op, id_, change, reason, moved_to, address, body, current = row
    entry = Entry(url, op, id_, change, reason, moved_to, address)
    if op == "upsert":
        if current != seq:
            return None
        also = {"additional_urls": additional[url]} if url in additional else {}
        entry.content = {**unpack(body), **also}
    return Change(seq, op, id_, record(seq, run, realm, entry))


def take_undelivered(
    database: Database, realm: str, owner: str, limit: int, after: int
) -> list[Change]:
    """Assign up to ``limit`` rows of a realm to this worker that no feed and no living worker has.

    Rows whose document has changed since count as delivered: the later row brings it.
    """
    changes: list[Change] = []
    while len(changes) < limit:
        rows = database.rows(WAITING, (realm, after, limit - len(changes)))
        if not rows:
            break
        after = rows[-1][0]
        additional = Documents(database).additional_urls([row[3] for row in rows])
        found = [(row[0], change_of(row, additional)) for row in rows]
        deliver(database, [seq for seq, change in found if change is None])
        taken = [change for _, change in found if change is not None]
        database.many("UPDATE outbox SET owner = ? WHERE seq = ?", [(owner, c.seq) for c in taken])
        changes += taken
    return changes


def deliver(database: Database, seqs: Sequence[int]) -> None:
    """Mark outbox rows as written to a feed."""
    database.many(
        "UPDATE outbox SET delivered = 1, owner = NULL WHERE seq = ?", [(seq,) for seq in seqs]
    )
