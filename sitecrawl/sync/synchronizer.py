"""Reader of the outbox for one target: in batches and in order, starting at the cursor."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.outbox import ChangeBatch
from sitecrawl.policy.lifecycle.losses import PLAIN_SHARE
from sitecrawl.sync.target import (
    REBUILD,
    ChangeReceiver,
    Cursor,
    SyncTarget,
    TargetMismatchError,
    TargetUnreachableError,
    digest,
    shown_target,
)

T = TypeVar("T")
BATCH = 100  # rows of the log
COPIED = "was filled before the crawl database was copied, moved or restored"
POLL_SECONDS = 5.0  # longest wait for changes; a requested end is noticed afterwards
BACKOFF = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)  # seconds before each retry of a batch


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Counts of one synchronisation: documents written and deleted, changes refused."""

    upserts: int = 0
    deletions: int = 0
    refused: int = 0
    rebuilt: bool = False

    @property
    def count(self) -> int:
        """Number of changes that were applied."""
        return self.upserts + self.deletions


class Difference(NamedTuple):
    """Seqs of the changes that a target lacks, ids of the documents that it has too many, and the
    number of those that it has.
    """

    missing: list[int]
    extra: list[str]
    total: int


class Synchronizer:
    """Keeps a target equal to the documents of a crawl database.

    The cursor is stored in the target: it identifies the log and the position in it. A cursor of
    another log, or of another mapping of the documents, is refused; ``rebuild`` fills a new index
    and replaces the old one with it. Each start counts the target's documents and looks for the
    change that the cursor names. If one is not as it should be, because somebody emptied the target
    or restored the database from a copy, every document is compared.
    """

    def __init__(
        self,
        log: ChangeLog,
        target: SyncTarget,
        uri: str,
        *,
        report: Callable[[str], object],
        reached: Callable[[int], object] | None = None,
        realm: str | None = None,
        batch: int = BATCH,
        poll: float = POLL_SECONDS,
    ) -> None:
        """``report`` gets a line about each comparison, ``reached`` each position that is written."""
        self._log = log
        self._target = target
        self._name = shown_target(uri)
        self._report = report
        self._reached = reached
        self._realm = realm
        self._batch = batch
        self._poll = poll

    def pending(self) -> tuple[int, int]:
        """Count the documents to be written and to be deleted, without any change."""
        stored, ops = self._target.cursor(), Counter[str]()
        cursor = self._checked(stored)
        if stored is not None:
            cursor, found = self._examined(cursor)
            if found:
                missing, extra, _ = self._difference(cursor.seq)
                ops.update(upsert=len(missing), delete=len(extra))
        seq = cursor.seq
        while batch := self._log.read(seq, self._realm, self._batch):
            seq = batch.seq
            ops.update(change.op for change in batch.changes)
        return ops["upsert"], ops["delete"]

    def run(self) -> SyncReport:
        """Apply the changes after the cursor; raises SyncError."""
        return self._start()[1]

    def follow(self, ended: Callable[[], bool]) -> SyncReport:
        """Apply changes as they are written, until ``ended``; earlier ones are still applied."""
        cursor, done = None, SyncReport()
        not_before = 0.0
        while True:
            last = ended()
            if last or time.monotonic() >= not_before:
                began = time.monotonic()
                cursor, done = self._update(cursor, done) if cursor else self._start()
                if not self._target.incremental:  # at most half of the time is spent on rebuilds
                    not_before = 2 * time.monotonic() - began
            if last:
                return done
            self._log.wait(self._poll)

    def rebuild(self) -> SyncReport:
        """Fill a new index from the database, and replace the old one with it."""
        return self._rebuild()[1]

    def _start(self) -> tuple[Cursor, SyncReport]:
        """Open the target, and apply the changes after its cursor; compare it if it is not what the
        cursor says. Raises SyncError.

        A count is exact when every change was applied, so documents are counted once more then.
        """
        cursor, found = self._examined(self._checked(self._target.open()))
        if found:
            return self._reconcile(cursor, found, SyncReport())
        after, done = self._update(cursor, SyncReport())
        found = self._fault(after) if after != cursor else ""
        return self._reconcile(after, found, done) if found else (after, done)

    def _checked(self, stored: Cursor | None) -> Cursor:
        """Return a target's cursor, or a new one; raises TargetMismatchError for one that does
        not match.
        """
        expected, fault = self._new_cursor(), ""
        if stored is None:
            return expected
        if stored.crawl != expected.crawl:
            fault = "was filled from another crawl database;"
        elif stored.realm != expected.realm:
            had = f"realm {stored.realm!r}" if stored.realm else "all realms"
            fault = f"holds {had}; give another target, or"
        elif stored.mapping != expected.mapping:
            fault = "holds documents in another shape (options or version);"
        if fault:
            raise TargetMismatchError(f"{self._name} {fault} {REBUILD}.")
        return stored

    def _new_cursor(self) -> Cursor:
        mapping = digest(self._target.mapping())
        return Cursor(self._log.uid, self._realm or "", mapping, 0, self._log.epoch())

    def _examined(self, cursor: Cursor) -> tuple[Cursor, str]:
        """Return the position from which a target is to be updated, and why it has to be compared up
        to there, or "".
        """
        if (cursor.epoch, cursor.hash) != (self._log.epoch(), self._log.hash_of(cursor.seq)):
            return replace(cursor, seq=self._log.newest()), COPIED
        return cursor, self._fault(cursor)

    def _fault(self, cursor: Cursor) -> str:
        expected = self._log.expected(self._name, self._realm, cursor.seq)
        return self._with_retries(lambda: self._target.fault(expected))

    def _difference(self, position: int) -> Difference:
        """Compare the documents of the target with those of the log, except for documents with a
        change after a position: a sync that was killed may have written that.
        """
        last, extra, total = self._log.last_changes(self._realm), [], 0
        for id_, hash_ in self._target.documents():
            total += 1
            seq, expected = last.get(id_, (0, ""))
            if not expected and seq <= position:
                extra.append(id_)
            elif hash_ == expected:
                del last[id_]
        lacking = [seq for seq, expected in last.values() if expected and seq <= position]
        return Difference(sorted(lacking), extra, total)

    def _reconcile(self, cursor: Cursor, found: str, done: SyncReport) -> tuple[Cursor, SyncReport]:
        """Write the documents that the target lacks, and delete those that it has too many.

        Meanwhile its cursor names no copy: if it is interrupted, the next start compares again.
        """
        if not self._target.incremental:
            self._report(f"{self._name} {found}; it is made anew from the crawl database.")
            return self._rebuild()
        difference = self._with_retries(lambda: self._difference(cursor.seq))
        missing, extra, total = difference
        if len(extra) > PLAIN_SHARE * total:
            raise TargetMismatchError(
                f"{self._name} {found}, and {len(extra)} of its {total} documents are not in the "
                f"crawl database; {REBUILD}."
            )
        begun = replace(cursor, epoch="", hash="", comparison=cursor.comparison + 1)
        for changes in self._changes(difference, cursor.seq):
            done = self._apply(self._target, ChangeBatch(changes, cursor.seq, ""), begun, done)
        hash_ = self._log.hash_of(cursor.seq) or ""
        ended = replace(begun, epoch=self._log.epoch(), hash=hash_)
        self._with_retries(lambda: self._target.apply([], ended))
        if found == COPIED or missing or extra:  # else it is only what a killed sync has written
            self._report(
                f"{self._name} {found}; compared with the crawl database: documents written "
                f"{len(missing)}, deleted {len(extra)}."
            )
        return self._drain(self._target, ended, done)

    def _changes(self, difference: Difference, seq: int) -> Iterator[list[Change]]:
        yield []
        for start in range(0, len(difference.missing), self._batch):
            yield self._log.upserts(difference.missing[start : start + self._batch])
        for start in range(0, len(difference.extra), self._batch):
            ids = difference.extra[start : start + self._batch]
            yield [Change(seq, "delete", id_, {}) for id_ in ids]

    def _update(self, cursor: Cursor, done: SyncReport) -> tuple[Cursor, SyncReport]:
        if self._target.incremental:
            return self._drain(self._target, cursor, done)
        if self._log.read(cursor.seq, self._realm, 1) is None:
            return cursor, done
        return self._rebuild()

    def _rebuild(self) -> tuple[Cursor, SyncReport]:
        self._log.restart(self._name)
        with self._target.rebuild() as fresh:
            return self._drain(fresh, self._new_cursor(), SyncReport(rebuilt=True))

    def _drain(
        self, target: ChangeReceiver, cursor: Cursor, done: SyncReport
    ) -> tuple[Cursor, SyncReport]:
        while batch := self._log.read(cursor.seq, self._realm, self._batch):
            cursor = replace(cursor, seq=batch.seq, hash=batch.hash)
            done = self._apply(target, batch, cursor, done)
            if self._reached is not None:
                self._reached(cursor.seq)
        return cursor, done

    def _apply(
        self, target: ChangeReceiver, batch: ChangeBatch, cursor: Cursor, done: SyncReport
    ) -> SyncReport:
        refused = self._with_retries(lambda: target.apply(batch.changes, cursor))
        self._log.advance(self._name, self._realm, batch, refused)
        deletions = sum(change.op == "delete" for change in batch.changes)
        return replace(
            done,
            upserts=done.upserts + len(batch.changes) - deletions,
            deletions=done.deletions + deletions,
            refused=done.refused + len(refused),
        )

    def _with_retries(self, act: Callable[[], T]) -> T:
        for seconds in BACKOFF:
            try:
                return act()
            except TargetUnreachableError:
                time.sleep(seconds)
        return act()
