"""Reader of the outbox for one target: in batches and in order, starting at the cursor."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.outbox import ChangeBatch
from sitecrawl.sync.target import (
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


class Synchronizer:
    """Keeps a target equal to the documents of a crawl database.

    The cursor is stored in the target: it identifies the log and the position in it. A cursor of
    another log, or of another mapping of the documents, is refused; ``rebuild`` fills a new index
    and replaces the old one with it.
    """

    def __init__(
        self,
        log: ChangeLog,
        target: SyncTarget,
        uri: str,
        *,
        realm: str | None = None,
        batch: int = BATCH,
        poll: float = POLL_SECONDS,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        """``pause`` waits before a retry; a true value ends the retries after one more attempt."""
        self._log = log
        self._target = target
        self._name = shown_target(uri)
        self._realm = realm
        self._batch = batch
        self._poll = poll
        self._pause = pause

    def pending(self) -> tuple[int, int]:
        """Count the documents to be written and to be deleted, without any change."""
        seq, ops = self._checked(self._target.cursor()).seq, Counter[str]()
        while batch := self._log.read(seq, self._realm, self._batch):
            seq = batch.seq
            ops.update(change.op for change in batch.changes)
        return ops["upsert"], ops["delete"]

    def run(self) -> SyncReport:
        """Apply the changes after the cursor; raises SyncError."""
        return self._update(self._begin(), SyncReport())[1]

    def follow(self, ended: Callable[[], bool]) -> SyncReport:
        """Apply changes as they are written, until ``ended``; earlier ones are still applied."""
        cursor, done = self._begin(), SyncReport()
        not_before = 0.0
        while True:
            last = ended()
            if last or time.monotonic() >= not_before:
                began = time.monotonic()
                cursor, done = self._update(cursor, done)
                if not self._target.incremental:  # at most half of the time is spent on rebuilds
                    not_before = 2 * time.monotonic() - began
            if last:
                return done
            self._log.wait(self._poll)

    def rebuild(self) -> SyncReport:
        """Fill a new index from the database, and replace the old one with it."""
        return self._rebuild()[1]

    def _begin(self) -> Cursor:
        """Open the target; return its cursor, or a new one. Raises TargetMismatchError."""
        return self._checked(self._target.open())

    def _checked(self, stored: Cursor | None) -> Cursor:
        """Return a target's cursor, or a new one; raises TargetMismatchError for one that does
        not match.
        """
        expected = self._new_cursor()
        if stored is None:
            return expected
        rebuild = "add --rebuild to rebuild it from the crawl database (nothing is fetched)"
        if stored.crawl != expected.crawl:
            raise TargetMismatchError(
                f"{self._name} was filled from another crawl database; {rebuild}."
            )
        if stored.seq > self._log.newest():
            raise TargetMismatchError(
                f"{self._name} has read up to change {stored.seq}, and the crawl database ends with "
                f"{self._log.newest()}: it is an older copy; {rebuild}."
            )
        if stored.realm != expected.realm:
            had = f"realm {stored.realm!r}" if stored.realm else "all realms"
            raise TargetMismatchError(
                f"{self._name} holds {had}; give another target, or {rebuild}."
            )
        if stored.mapping != expected.mapping:
            raise TargetMismatchError(
                f"{self._name} holds documents in another shape (options or version); {rebuild}."
            )
        return stored

    def _new_cursor(self) -> Cursor:
        return Cursor(self._log.uid, self._realm or "", digest(self._target.mapping()), 0)

    def _update(self, cursor: Cursor, done: SyncReport) -> tuple[Cursor, SyncReport]:
        """Apply all changes after a cursor; return the new one."""
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
        """Apply all changes after a cursor to a target; return the new one."""
        while batch := self._log.read(cursor.seq, self._realm, self._batch):
            cursor = replace(cursor, seq=batch.seq)
            done = self._apply(target, batch, cursor, done)
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
                if self._pause(seconds):
                    break
        return act()
