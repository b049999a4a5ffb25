"""Pruning of old rows that are no longer needed, so that a crawl database stays small."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.database import Database, Row
from sitecrawl.frontier.leases import anyone_at_work
from sitecrawl.frontier.link_table import unpack_ids

BATCH = 5000
OF_REALM = " AND run IN (SELECT id FROM run WHERE realm = ?)"
SYNCHRONISED = (  # by every target that reads the realm; false if there is none
    "seq <= (SELECT min(t.seq) FROM sync_target AS t WHERE t.realm IN ('', {table}.realm))"
)
ATTEMPTS = (
    "SELECT id, url, started_at, outcome FROM attempt WHERE id < ? AND url <= ?{of_realm}"
    " ORDER BY id DESC LIMIT ?"
)
CHANGES = (
    "DELETE FROM outbox WHERE seq > ? AND seq <= ? AND (delivered <> 0 OR {synchronised})"
    " AND made_at < ?{of_realm} AND seq NOT IN (SELECT seq FROM sync_target)"
    " AND (op = 'upsert' AND NOT EXISTS (SELECT 1 FROM document AS d WHERE d.url = outbox.url"
    " AND d.seq = outbox.seq) AND NOT EXISTS (SELECT 1 FROM section AS s WHERE s.url = outbox.url"
    " AND s.seq = outbox.seq) OR op = 'delete' AND (EXISTS (SELECT 1 FROM document AS d"
    " WHERE d.url = outbox.url AND d.id = outbox.id AND d.seq > outbox.seq) AND NOT EXISTS"
    " (SELECT 1 FROM section AS s WHERE s.url = outbox.url) OR EXISTS (SELECT 1 FROM section AS s"
    " WHERE s.url = outbox.url AND s.id = outbox.id AND s.seq > outbox.seq)))"
)
DELETED_AGAIN = (
    "SELECT seq FROM (SELECT seq, delivered, realm, made_at, run, max(seq) OVER (PARTITION BY url, id)"
    " AS newest FROM outbox WHERE op = 'delete') AS deletions"
    " WHERE seq < newest AND (delivered <> 0 OR {synchronised})"
    " AND made_at < ?{of_realm} AND seq NOT IN (SELECT seq FROM sync_target) ORDER BY seq"
)
RUNS = (
    "SELECT run FROM (SELECT id AS run, finished_at FROM run) AS ended WHERE finished_at < ?"
    "{of_realm} EXCEPT SELECT max(id) FROM run GROUP BY realm EXCEPT SELECT run FROM attempt"
    " EXCEPT SELECT run FROM outbox EXCEPT SELECT run FROM held_change"
    " EXCEPT SELECT run FROM worker"
)
ANY, COUNTED = 1, 2  # later attempts on a URL: any, and one with an outcome


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Numbers of pruned rows that are older than ``before`` (UTC epoch seconds)."""

    before: float
    attempts: int
    changes: int
    runs: int

    @property
    def count(self) -> int:
        """Total number of rows."""
        return self.attempts + self.changes + self.runs


@dataclass(frozen=True, slots=True)
class Compacted:
    """Size of the file in bytes before and after, and the reason if it was not rewritten."""

    before: int
    after: int
    hindrance: str = ""


class Pruning:
    """Pruning of old rows of one realm or, if that is None, of all.

    Every batch is a transaction of its own, so the next call continues after an interrupted one.
    Raises FrontierError while a worker is alive.
    """

    def __init__(self, database: Database, realm: str | None = None) -> None:
        if anyone_at_work(database):
            raise FrontierError(
                f"{database.name} is being crawled; prune it when the run has ended."
            )
        self._database = database
        self._realm = () if realm is None else (realm,)
        self._of_realm = "" if realm is None else OF_REALM

    def forget(self, age: float) -> Forgotten:
        """Delete rows that are older than ``age`` seconds and no longer needed."""
        before = self._database.now() - age
        attempts = self._forget_attempts(before)
        changes = self._forget_changes(before)
        again = [seq for (seq,) in self._rows(DELETED_AGAIN, before, *self._realm)]
        changes += self._delete("outbox", "seq", again)
        self._forget_outside()
        of_realm = " AND realm = ?" if self._realm else ""
        with self._database.transaction():  # files that have not changed for long, or not named
            statement = f"DELETE FROM kept_file WHERE kept_at < ?{of_realm}"
            self._database.execute(statement, (before, *self._realm))
        runs = [run for (run,) in self._rows(RUNS, before, *self._realm)]
        self._delete("receipt", "run", runs)
        return Forgotten(before, attempts, changes, self._delete("run", "id", runs))

    def compact(self) -> Compacted | None:
        """Reclaim free space; None if a server does that itself."""
        before = self._database.size()
        if before is None:
            return None
        hindrance = self._database.compact()
        return Compacted(before, self._database.size() or 0, hindrance)

    def _forget_attempts(self, before: float) -> int:
        """Delete attempts that were followed by another on the same URL, from the newest down.

        Cancelled and lost attempts changed nothing, so the last one with an outcome is kept too.
        """
        [(last,)] = self._database.rows("SELECT coalesce(max(id), 0) + 1 FROM attempt")
        [(urls,)] = self._database.rows("SELECT coalesce(max(id), 0) FROM url")
        later = bytearray(urls + 1)  # one byte per URL; an index would slow down every fetch
        forgotten = 0
        while rows := self._rows(ATTEMPTS, last, urls, *self._realm, BATCH):
            last = rows[-1][0]
            old: list[int] = []
            for attempt, url, at, outcome in rows:
                counted = outcome >= 0
                if at < before and later[url] & (COUNTED if counted else ANY | COUNTED):
                    old.append(attempt)
                later[url] |= COUNTED if counted else ANY
            forgotten += self._delete("attempt", "id", old)
        return forgotten

    def _forget_changes(self, before: float) -> int:
        """Delete delivered or synchronised changes that were replaced: no export writes such an
        upsert, and a deletion before a newer upsert of the same id has no effect. Those stay that
        a target read last: its cursor is compared with them."""
        [(newest,)] = self._database.rows("SELECT coalesce(max(seq), 0) FROM outbox")
        [(oldest,)] = self._database.rows("SELECT coalesce(min(seq), 1) FROM outbox")
        statement = CHANGES.format(
            of_realm=self._of_realm, synchronised=SYNCHRONISED.format(table="outbox")
        )
        forgotten = 0
        for seq in range(oldest - 1, newest, BATCH):
            with self._database.transaction():
                forgotten += self._database.execute(
                    statement, (seq, seq + BATCH, before, *self._realm)
                )
        return forgotten

    def _forget_outside(self) -> None:
        links = self._database.stream("SELECT outside FROM link WHERE outside <> ''")
        used = {row for (rows,) in links for row in unpack_ids(rows)}
        known = self._database.rows("SELECT id FROM outside")
        self._delete("outside", "id", [row for (row,) in known if row not in used])

    def _rows(self, statement: str, *values: object) -> list[Row]:
        synchronised = SYNCHRONISED.format(table="deletions")
        text = statement.format(of_realm=self._of_realm, synchronised=synchronised)
        return self._database.rows(text, values)

    def _delete(self, table: str, key: str, found: list[int]) -> int:
        for start in range(0, len(found), BATCH):
            with self._database.transaction():
                self._database.many(
                    f"DELETE FROM {table} WHERE {key} = ?",
                    [(each,) for each in found[start : start + BATCH]],
                )
        return len(found)
