"""Delivery of the outbox to feeds: who writes a change, and which were written."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict

from sitecrawl.frontier.base import Change, Delivered, FeedFile, StateOptions
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

    def take_undelivered(self, limit: int, after: int = 0) -> list[Change]:
        """Assign up to ``limit`` undelivered rows with ``seq > after`` that no living worker holds to
        this one, in order; if it does not crawl, those that others have left to it, too.

        Rows whose document has changed since count as delivered: the later row has its content.
        """
        self._reap()
        changes: list[Change] = []
        owner = "" if self._options.crawls else self._owner
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

    def deliver(self, seqs: Sequence[int], files: Sequence[FeedFile] = (), number: int = 0) -> int:
        """Mark outbox rows as written to files; return their delivery (new if ``number`` is 0)."""
        if files:
            if not number:
                [(number,)] = self._database.rows(
                    "UPDATE crawl SET deliveries = deliveries + 1 RETURNING deliveries"
                )
            record = json.dumps([asdict(file) for file in files])
            self._database.execute(RECORD, (number, self._owner, self._run, len(seqs), record))
        self._database.write(MARK, [(number or WITHOUT_RECORD, seq) for seq in seqs])
        return number

    def take_over(self, feeds: Collection[str]) -> list[Delivered]:
        """Take over deliveries to these feeds from crawls that did not end normally."""
        self._reap()
        found = [
            Delivered(number, lines, tuple(FeedFile(**each) for each in json.loads(files)))
            for number, lines, files in self._database.rows(LEFT)
        ]
        taken = [each for each in found if any(file.feed in feeds for file in each.files)]
        self._database.many(
            "UPDATE delivery SET owner = ?, run = ? WHERE number = ?",
            [(self._owner, self._run, each.number) for each in taken],
        )
        return taken

    def undeliver(self, numbers: Iterable[int]) -> None:
        """Mark the rows of these deliveries as undelivered."""
        rows = [(number,) for number in numbers]
        self._database.many(UNDELIVER, rows)
        self._database.many("DELETE FROM delivery WHERE number = ?", rows)

    def end(self) -> None:
        """Record that this worker ended normally; delete the deliveries of its run once all have, so
        that later runs overwrite the files.

        Until then, the files of a worker that ended normally must not be overwritten either. A
        worker that was killed may have had no delivery yet.
        """
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
