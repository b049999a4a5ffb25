"""The outbox as an ordered log for readers outside of a crawl, and the cursor of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import NamedTuple

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.outbox import OF_SEQS, ChangeBatch, change_hash, changes_of, read_changes
from sitecrawl.frontier.url_table import OF_REALM

# ruff: noqa: S608 -- only constants become part of a statement

ADVANCE = (
    "INSERT INTO sync_target (target, realm, seq, synced_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (target) DO UPDATE SET realm = excluded.realm, seq = excluded.seq,"
    " synced_at = excluded.synced_at"
)
REFUSE = (
    "INSERT INTO dead_letter (target, id, seq, url, reason, refused_at) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (target, id) DO UPDATE SET seq = excluded.seq, url = excluded.url,"
    " reason = excluded.reason, refused_at = excluded.refused_at"
)
TARGETS = (
    "SELECT t.target, t.synced_at,"
    " (SELECT count(*) FROM outbox AS o WHERE o.seq > t.seq AND t.realm IN ('', o.realm)),"
    " (SELECT count(*) FROM dead_letter AS l WHERE l.target = t.target)"
    " FROM sync_target AS t ORDER BY t.target"
)
COUNT = (
    "SELECT (SELECT count(*) FROM document WHERE seq IS NOT NULL{of_realm})"
    " + (SELECT count(*) - count(DISTINCT s.url) FROM section AS s{of_section}),"
    " (SELECT count(*) FROM outbox WHERE seq > ?{of_change})"
    " + (SELECT count(*) FROM dead_letter WHERE target = ?)"
)
COUNT_ALL = COUNT.format(of_realm="", of_section="", of_change="")
COUNT_OF_REALM = COUNT.format(
    of_realm=f" AND {OF_REALM}",
    of_section=f" JOIN document AS d ON d.url = s.url WHERE d.{OF_REALM}",
    of_change=" AND realm = ?",
)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A change that a target refused, with the target's ``reason``."""

    seq: int
    id: str
    url: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class TargetLag:
    """State and lag of a target.

    ``synced_at`` is in UTC epoch seconds; ``behind`` is the number of changes that it has not read,
    ``refused`` the number of documents it refused.
    """

    target: str
    synced_at: float
    behind: int
    refused: int


class ExpectedCount(NamedTuple):
    """Number of documents in the log; a target has it, but for the ``uncertain`` ones.

    These have changes that it has not read, or has refused.
    """

    documents: int
    uncertain: int

    def fault(self, count: int) -> str:
        """Return what is wrong with a target that has this number of documents, or ""."""
        is_expected = abs(count - self.documents) <= self.uncertain
        return "" if is_expected else f"has {count} documents instead of {self.documents}"


class ChangeLog:
    """The outbox as read by targets, each at its own pace.

    A reader applies every batch in order. The last change of each document stays in the log, even
    a deletion, so that reading from any seq, 0 included, ends with the same documents.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        [(self.uid,)] = database.rows("SELECT uid FROM crawl")

    def newest(self) -> int:
        """Return the seq of the newest change; 0 before the first."""
        [(seq,)] = self._database.rows("SELECT coalesce(max(seq), 0) FROM outbox")
        return int(seq)

    def epoch(self) -> str:
        """Return the random id of this copy of the crawl database, a new one in a new place."""
        place = self._database.place()
        [(epoch, known)] = self._database.rows("SELECT epoch, place FROM crawl")
        if place == known or self._database.read_only:
            return str(epoch)
        with self._database.transaction():
            self._database.execute(
                "UPDATE crawl SET epoch = ?, place = ? WHERE place <> ?",
                (token_hex(8), place, place),
            )
            [(epoch,)] = self._database.rows("SELECT epoch FROM crawl")
        return str(epoch)

    def hash_of(self, seq: int) -> str | None:
        """Return the hash of the change with a seq; empty for 0, None if it is not in the log."""
        if not seq:
            return ""
        rows = self._database.rows("SELECT seq, id, made_at FROM outbox WHERE seq = ?", (seq,))
        return change_hash(*rows[0]) if rows else None

    def last_changes(self, realm: str | None) -> dict[str, tuple[int, str]]:
        """Return seq and hash of the last change of each document, by id, of one realm or of all.

        The hash of a deletion is empty.
        """
        of = " WHERE realm = ?" if realm else ""
        rows = self._database.stream(
            f"SELECT seq, op, id, made_at FROM outbox{of} ORDER BY seq", (realm,) if realm else ()
        )
        return {
            id_: (seq, change_hash(seq, id_, made_at) if op == "upsert" else "")
            for seq, op, id_, made_at in rows
        }

    def upserts(self, seqs: Sequence[int]) -> list[Change]:
        """Return the documents that changes with these seqs have written last."""
        return changes_of(self._database, self._database.rows_in(OF_SEQS, seqs))

    def expected(self, target: str, realm: str | None, seq: int) -> ExpectedCount:
        """Count the documents of one realm or of all that a target has which has read to a seq."""
        if realm:
            values = (realm, realm, seq, realm, target)
            return ExpectedCount(*self._database.rows(COUNT_OF_REALM, values)[0])
        return ExpectedCount(*self._database.rows(COUNT_ALL, (seq, target))[0])

    def read(self, after: int, realm: str | None, limit: int) -> ChangeBatch | None:
        """Read up to ``limit`` rows above a seq, of one realm or of all; None if there are none."""
        return read_changes(self._database, after, realm, limit)

    def wait(self, seconds: float) -> None:
        """Wait for changes, or until the time has elapsed."""
        self._database.wait_for_changes(seconds)

    def advance(
        self, target: str, realm: str | None, batch: ChangeBatch, refused: Iterable[DeadLetter]
    ) -> None:
        """Record that a target has applied a batch, except for the refused changes."""
        now = self._database.now()
        with self._database.transaction():
            self._database.execute(ADVANCE, (target, realm or "", batch.seq, now))
            self._database.many(
                "DELETE FROM dead_letter WHERE target = ? AND id = ?",
                [(target, change.id) for change in batch.changes],
            )
            self._database.many(
                REFUSE,
                [(target, each.id, each.seq, each.url, each.reason, now) for each in refused],
            )

    def restart(self, target: str) -> None:
        """Delete the refusals of a target before it is rebuilt."""
        with self._database.transaction():
            self._database.execute("DELETE FROM dead_letter WHERE target = ?", (target,))

    def forget(self, target: str) -> bool:
        """Delete a target; return False if it is unknown."""
        with self._database.transaction():
            self._database.execute("DELETE FROM dead_letter WHERE target = ?", (target,))
            count = self._database.execute("DELETE FROM sync_target WHERE target = ?", (target,))
        return count > 0

    def targets(self) -> list[TargetLag]:
        """Return every target that was synchronised from this database, with its lag."""
        return [TargetLag(*row) for row in self._database.rows(TARGETS)]

    def dead_letters(self) -> list[tuple[str, DeadLetter]]:
        """Return the refused changes, each with its target, by target and seq."""
        rows = self._database.rows(
            "SELECT target, seq, id, url, reason FROM dead_letter ORDER BY target, seq"
        )
        return [(name, DeadLetter(*rest)) for name, *rest in rows]
