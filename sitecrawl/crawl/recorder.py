"""Recorder that writes visits to the crawl database in batches."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from scrapy.statscollectors import StatsCollector

from sitecrawl import typed_program
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.events import Event
from sitecrawl.frontier.base import Change, Settlement, VisitResult
from sitecrawl.policy.outcomes import OUTCOME_STATS

logger = logging.getLogger(__name__)

BATCH_VISITS = 50
BATCH_SECONDS, MAX_BATCH_SECONDS = 0.2, 2.0
"""Time between rounds of writing, and the longest one while the database or the machine is busy."""
WRITING_SHARE = 0.2
"""Part of the time in which visits are written, above which rounds become rarer and batches larger: a
commit costs as much as eight visits, so small ones make a full machine slower still."""

HELD_BACK = (
    "%d of %d documents of %s would be lost: %s. They are kept because they are so many, and their "
    "pages are visited again in every run until they show content of their own. If this is intended, "
    "confirm it with: %s frontier confirm %s"
)
LASTED = "%d changes of %s that were held back have stood for so long that they were written now."

Waiting = tuple[VisitResult, "asyncio.Future[Change | None]"]


def pause_after(writing: float) -> float:
    """Return the seconds between the beginnings of two rounds of writing, by the duration of one."""
    return min(max(BATCH_SECONDS, writing / WRITING_SHARE), MAX_BATCH_SECONDS)


class Recorder:
    """Batches of finished visits, each written in one transaction.

    ``record`` returns a future for the outbox row of the visit's document, which is set when it
    is committed, to None if nothing was written. Changes that no visit waits for (deletions,
    promoted duplicates) go to ``deliver``. ``judge`` may replace the result of a visit, as when its
    page says nothing new. ``visit_recorded`` is sent for each visit that has ended and is in its
    batch, so that a listener may have it written at once; ``visit_committed`` for each written one,
    ``batch_committed`` with the origin when a batch was written or has failed.
    """

    def __init__(
        self, owner: FrontierOwner, deliver: Callable[[Change], object], stats: StatsCollector
    ) -> None:
        self.judge: Callable[[VisitResult], VisitResult] = lambda visit: visit
        self.visit_recorded: Event[VisitResult] = Event()
        self.visit_committed: Event[VisitResult] = Event()
        self.batch_committed: Event[str, Sequence[VisitResult]] = Event()
        self._deliver = deliver
        self._stats = stats
        self._owner = owner
        self._waiting: dict[str, list[Waiting]] = defaultdict(list)
        self._writing: dict[str, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._slowest = 0.0  # write of this round, in seconds with its time in the queue
        self._pause = BATCH_SECONDS
        self._held: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        """True while a visit is not yet committed."""
        return bool(self._waiting or self._writing)

    def record(self, visit: VisitResult) -> asyncio.Future[Change | None]:
        """Add a finished visit to the batch of its origin."""
        future: asyncio.Future[Change | None] = asyncio.get_running_loop().create_future()
        if self._owner.failure is not None:
            future.set_result(None)
            return future
        words = f"{visit.due.url} could not be learned from"
        with self._owner.errors_end_crawl(words):
            visit = self.judge(visit)
        self._waiting[visit.due.origin].append((visit, future))
        with self._owner.errors_end_crawl(words):
            self.visit_recorded.send(visit)
        self._see_to(visit.due.origin)
        return future

    def flush_soon(self, origin: str) -> None:
        """Start writing the origin's batch, unless one is being written."""
        if origin in self._waiting and origin not in self._writing:
            self._writing[origin] = asyncio.create_task(self._write(origin))

    async def flush(self, origin: str) -> None:
        """Wait until all recorded visits of the origin are committed."""
        while origin in self._writing or origin in self._waiting:
            self.flush_soon(origin)
            await asyncio.shield(self._writing[origin])

    def settle(self, origin: str, settlement: Settlement) -> None:
        """Deliver the changes that waited for the end of an origin, and log those that are held."""
        for change in settlement.changes:
            self._deliver(change)
        self._held[origin] = sum(group.pages for group in settlement.held)
        if settlement.held:
            self._stats.set_value("sitecrawl/changes_held", sum(self._held.values()))
            words = ", ".join(group.in_words for group in settlement.held)
            count = self._held[origin]
            program = typed_program()
            logger.warning(HELD_BACK, count, settlement.documents, origin, words, program, origin)
        if settlement.lasted:
            logger.warning(LASTED, settlement.lasted, origin)

    async def flush_all(self) -> None:
        """Write all remaining batches."""
        for origin in [*self._writing, *self._waiting]:
            await self.flush(origin)
        if self._timer is not None:
            self._timer.cancel()

    def _see_to(self, origin: str) -> None:
        if len(self._waiting[origin]) >= BATCH_VISITS:
            self.flush_soon(origin)
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pause, self._flush_all)

    def _flush_all(self) -> None:
        self._timer = None
        self._pause, self._slowest = pause_after(self._slowest), 0.0
        for origin in list(self._waiting):
            self.flush_soon(origin)

    async def _write(self, origin: str) -> None:
        batch, began = self._waiting.pop(origin), time.monotonic()
        visits: Sequence[VisitResult] = [visit for visit, _ in batch]
        changes: Sequence[Change] = []
        try:
            with self._owner.errors_end_crawl(f"Visits of {origin} could not be written"):
                visits, changes = await self._owner.frontier.commit(origin, visits)
                self._note(visits)
        finally:
            del self._writing[origin]
            self._slowest = max(self._slowest, time.monotonic() - began)
        self._answer(batch, changes)
        with self._owner.errors_end_crawl(f"Visits of {origin} could not be learned from"):
            self.batch_committed.send(origin, visits)
        if origin in self._waiting:  # the timer may have fired during the write
            self._see_to(origin)

    def _answer(self, batch: list[Waiting], changes: Sequence[Change]) -> None:
        waiting = {
            visit.document["id"]: future
            for visit, future in batch
            if visit.document and not future.done()
        }
        for change in changes:
            page = change.record.get("page_id", change.id)  # a section has the id of its page
            future = waiting.pop(page, None) if change.op == "upsert" else None
            if future is not None:
                future.set_result(change)
            else:
                self._deliver(change)
        for _, future in batch:
            if not future.done():
                future.set_result(None)

    def _note(self, visits: Sequence[VisitResult]) -> None:
        for visit in visits:
            self._stats.inc_value(OUTCOME_STATS + visit.outcome.name.lower())
            self.visit_committed.send(visit)
