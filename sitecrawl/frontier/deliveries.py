"""Delivery of the outbox to feeds: who writes a change, and which were written."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from sitecrawl.frontier.base import Change, StateOptions
from sitecrawl.frontier.database import Database, RowStatement
from sitecrawl.frontier.leases import reap_dead_workers
from sitecrawl.frontier.outbox import COLUMNS, changes_by_seq

WAITING = (
    f"{COLUMNS} WHERE o.delivered = 0 AND o.realm = ? AND o.seq > ? AND (o.owner IS NULL OR"
    " o.owner = ? OR o.owner NOT IN (SELECT owner FROM worker)) ORDER BY o.seq LIMIT ?"
)
WITHOUT_RECORD = 1  # delivery of rows whose files need no record
MARK = RowStatement(
    "UPDATE outbox SET delivered = ?, owner = NULL WHERE seq = ?", ("bigint", "bigint"), keys=(1,)
)
UNDELIVER = "UPDATE outbox SET delivered = 0, owner = NULL WHERE delivered = ?"
RECORD = (
    "INSERT INTO delivery (number, owner, run, lines, files) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (number) DO UPDATE SET lines = delivery.lines + excluded.lines, files = excluded.files"
)
AT_WORK_OR_KILLED = (
    "SELECT 1 FROM run_worker WHERE run = ? AND owner <> ?"
    " AND (ended_at IS NULL OR finish IN ('died', 'silent', 'shutdown')) LIMIT 1"
)
LEFT = (
    "SELECT number, lines, files FROM delivery WHERE owner NOT IN (SELECT owner FROM worker)"
    " ORDER BY number"
)


class Deliveries:
    """The deliveries of one worker of a run."""

    def __init__(self, database: Database, owner: str, run: int, options: StateOptions) -> None:
        self._database = database
        self._owner = owner
        self._run = run
        self._options = options

    def take_undelivered(
        self, limit: int, after: int = 0, *, of_workers: bool = False
    ) -> list[Change]:
        """Assign up to ``limit`` undelivered rows with ``seq > after`` that no living worker holds to
        this one, in order; ``of_workers``: rows that other workers have left to this one, too.

        Rows whose document has changed since count as delivered: the later row has its content.
        """
        self._reap()
        changes: list[Change] = []
        owner = self._owner if of_workers else ""
        while len(changes) < limit:
            values = (self._options.realm, after, owner, limit - len(changes))
            rows = self._database.rows(WAITING, values)
            if not rows:
                break
            after = rows[-1][0]
            found = changes_by_seq(self._database, rows)
            skipped = [(WITHOUT_RECORD, seq) for seq, change in found.items() if change is None]
            self._database.write(MARK, skipped)
            taken = [change for change in found.values() if change is not None]
            self._database.many(
                "UPDATE outbox SET owner = ? WHERE seq = ?", [(self._owner, c.seq) for c in taken]
            )
            changes += taken
        return changes

    def deliver(self, seqs: Sequence[int], feeds: Sequence[str] = (), number: int = 0) -> int:
        """Mark outbox rows as written to feeds; return their delivery (new if ``number`` is 0)."""
        if feeds:
            if not number:
                [(number,)] = self._database.rows(
                    "UPDATE crawl SET deliveries = deliveries + 1 RETURNING deliveries"
                )
            record = (number, self._owner, self._run, len(seqs), json.dumps(feeds))
            self._database.execute(RECORD, record)
        self._database.write(MARK, [(number or WITHOUT_RECORD, seq) for seq in seqs])
        return number

    def undeliver(self, feeds: AbstractSet[str]) -> int:
        """Mark the lines as undelivered that crawls which did not end normally have written to these
        feeds; return their number."""
        self._reap()
        left = [row for row in self._database.rows(LEFT) if feeds & set(json.loads(row[2]))]
        numbers = [(number,) for number, _, _ in left]
        self._database.many(UNDELIVER, numbers)
        self._database.many("DELETE FROM delivery WHERE number = ?", numbers)
        return sum(lines for _, lines, _ in left)

    def end(self) -> None:
        """Record that this worker ended normally; delete the deliveries of its run once all have, so
        that its lines are not written again. A worker that was killed may have had no delivery yet."""
        execute, run, owner = self._database.execute, self._run, self._owner
        execute("UPDATE delivery SET owner = '' WHERE owner = ?", (owner,))
        now = self._database.now()
        execute("UPDATE run_worker SET ended_at = ? WHERE owner = ?", (now, owner))
        if not (
            self._database.rows(
                "SELECT 1 FROM delivery WHERE run = ? AND owner <> '' LIMIT 1", (run,)
            )
            or self._database.rows(AT_WORK_OR_KILLED, (run, owner))
        ):
            execute("DELETE FROM delivery WHERE run = ?", (run,))

    def _reap(self) -> None:
        reap_dead_workers(self._database, self._database.now(), self._options.delay)
