"""Asynchronous frontier that runs every call in one worker thread."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sitecrawl.frontier.base import (
    Backlog,
    Candidate,
    Change,
    Commit,
    DeadLink,
    Delivered,
    DueUrl,
    FeedFile,
    FrontierError,
    Heartbeat,
    LastVisit,
    OriginState,
    Settlement,
    Share,
    VisitResult,
)
from sitecrawl.frontier.database import Backend, Reconnection
from sitecrawl.frontier.evidence_table import StoredEvidence
from sitecrawl.frontier.state_options import StateOptions
from sitecrawl.frontier.store import Store

RENEWALS_PER_LEASE = 4
MAX_CONNECTIONS = 10  # for one call: it may be what ends them
PAUSES = (0.05, 0.1, 0.2, 0.4)  # seconds before each retry of a transaction
T = TypeVar("T")


class ThreadedFrontier:
    """Implementation of the frontier protocol by a store in a thread of its own.

    Calls run in their order, but for those that share the origins out and renew leases: these run
    next, because other workers wait for them.
    """

    def __init__(self, backend: Backend, options: StateOptions) -> None:
        self._backend = backend
        self._options = options
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="frontier")
        self._urgent: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._renewal: asyncio.Task[None] | None = None
        self._opened: Store | None = None
        self._reconnection = Reconnection(options.reconnect_seconds)

    async def open(self, crawl: str, configuration: dict[str, Any]) -> int:
        """Open or create the database, begin a run, and start the task that renews leases."""
        self._opened = await self._run(self._connect, crawl, configuration)
        self._renewal = asyncio.create_task(self._renew())
        return self._opened.run

    async def add(self, candidates: Sequence[Candidate]) -> int:
        """Store unknown URLs, and shorter paths to known ones; return the number of new URLs."""
        return await self._run(self._store.add, candidates)

    async def retire_starts(self, starts: Sequence[Candidate]) -> list[str]:
        """Turn stored starts that are not among ``starts`` into ordinary URLs; return them."""
        return await self._run(self._store.retire_starts, starts)

    async def unnamed_starts(self) -> set[tuple[str, int]]:
        """Return origin and fingerprint of the former starts that are not referenced yet."""
        return await self._run(self._store.unnamed_starts)

    async def ask_listing(self, url: str) -> None:
        """Record that a sitemap, which may list a former start, has been requested."""
        await self._run(self._store.ask_listing, url)

    async def read_listing(self, url: str) -> None:
        """Record that a sitemap was read to its end."""
        await self._run(self._store.read_listing, url)

    async def redirect_chain(self, urls: Sequence[str]) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target."""
        return await self._run(self._store.redirect_chain, urls)

    async def unskip(self, candidates: Sequence[Candidate]) -> None:
        """Queue those candidates that the run has set aside."""
        await self._run(self._store.unskip, candidates)

    async def mark_due(self, candidates: Sequence[Candidate]) -> None:
        """Queue these regardless of their age."""
        await self._run(self._store.mark_due, candidates)

    async def record_feed_dates(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Store the dates of feed entries, and queue the URLs whose date has changed."""
        await self._run(self._store.record_feed_dates, entries)

    async def mark_modified(self, entries: Sequence[tuple[Candidate, float]]) -> None:
        """Queue the URLs that were last read before the date given with each."""
        await self._run(self._store.mark_modified, entries)

    async def skip(self, origin: str, fingerprints: Collection[int]) -> None:
        """Remove popped URLs of a leased origin from the queue without a visit."""
        await self._run(self._store.skip, origin, fingerprints)

    async def requeue_due(self) -> None:
        """Queue every URL that is due now, including those that this run has visited."""
        await self._run(self._store.requeue_due)

    async def lease(self, limit: int) -> list[OriginState]:
        """Lease up to ``limit`` free origins that have due URLs."""
        return await self._run_next(self._store.lease, limit)

    async def claim(self, origin: str) -> OriginState | None:
        """Lease an origin; None while another worker has it."""
        return await self._run(self._store.claim, origin)

    async def pop(self, origin: str, limit: int) -> list[DueUrl]:
        """Pop up to ``limit`` due URLs of a leased origin."""
        return await self._run(self._store.pop, origin, limit)

    async def pop_within_budget(self, origin: str, limit: int, reserved: int) -> list[DueUrl]:
        """Pop due URLs of a leased origin within the budget of its day."""
        return await self._run(self._store.pop_within_budget, origin, limit, reserved)

    async def out_of_budget(self) -> dict[str, int]:
        """Return the waiting URLs of each origin whose budget of the day is spent."""
        return await self._run(self._store.out_of_budget)

    async def commit(self, origin: str, visits: Sequence[VisitResult]) -> Commit:
        """Write the results of visits in one transaction."""
        return await self._run(self._store.commit, origin, visits)

    async def put_off(self, origin: str, priorities: Mapping[int, int]) -> None:
        """Return popped URLs of a leased origin to the queue, each with a new priority."""
        await self._run(self._store.put_off, origin, priorities)

    async def evidence(self, origin: str, basis: str = "") -> list[StoredEvidence]:
        """Return the evidence on the kinds of pages of a leased origin."""
        return await self._run(self._store.evidence, origin, basis)

    async def save_evidence(self, origin: str, parts: Sequence[StoredEvidence]) -> None:
        """Store evidence on the kinds of pages of a leased origin."""
        await self._run(self._store.save_evidence, origin, parts)

    async def admit_again(self, origin: str, reason: str) -> int:
        """Queue the URLs of a leased origin that were refused for a reason."""
        return await self._run(self._store.admit_again, origin, reason)

    async def save_origin(self, state: OriginState) -> None:
        """Store robots.txt, delay, and the earliest time of the next request of a leased origin."""
        await self._run(self._store.save_origin, state)

    async def release(self, origin: str) -> None:
        """Release the origin."""
        await self._run(self._store.release, origin)

    async def hand_over(self, state: OriginState) -> None:
        """Store the state of an origin, and release it for another worker of this run."""
        await self._run_next(self._store.hand_over, state)

    async def hold_address(self, origin: str, address: str) -> float | None:
        """Let a leased origin share the pace of an address, unless another worker holds that."""
        return await self._run(self._store.hold_address, origin, address)

    async def follow(self, origin: str, other: str) -> bool:
        """Let the worker that has another origin have this one next."""
        return await self._run(self._store.follow, origin, other)

    async def beat(self, heartbeat: Heartbeat) -> Share:
        """Record a heartbeat; return the part of the waiting work that this worker has."""
        return await self._run_next(self._store.beat, heartbeat)

    async def has_untried_urls(self, origin: str) -> bool:
        """Tell whether a leased origin has waiting URLs other than those that failed last time."""
        return await self._run(self._store.has_untried_urls, origin)

    async def exclude_from_run(self, origin: str, reason: str) -> None:
        """Release the origin, and keep every worker from leasing it again in this run."""
        await self._run(self._store.exclude_from_run, origin, reason)

    async def readmit(self, origin: str) -> None:
        """Allow an origin that was given up to be leased again."""
        await self._run(self._store.readmit, origin)

    def holds(self, origin: str) -> bool:
        """Tell whether a request to the origin may begin."""
        return self._store.leases.safe(origin)

    def may_renew(self, origin: str) -> bool:
        """Tell whether the lease is ours, or has expired and is not known to be lost."""
        return origin in self._store.leases

    async def backlog(self) -> Backlog:
        """Count the waiting URLs by lease holder."""
        return await self._run(self._store.backlog)

    async def waiting_by_origin(self) -> dict[str, int]:
        """Return the number of waiting URLs of each origin that this worker leases."""
        return await self._run(self._store.waiting_by_origin)

    async def grant(self, limit: int) -> int:
        """Allow some of the ``limit`` requests of the run; return their number, 0 at the limit."""
        return await self._run(self._store.grant, limit)

    async def return_grant(self, number: int) -> None:
        """Return requests that were allowed and not made."""
        await self._run(self._store.return_grant, number)

    async def last_visits(self, candidates: Sequence[Candidate]) -> list[LastVisit]:
        """Return the last visits of these URLs and of their redirect targets in this run."""
        return await self._run(self._store.last_visits, candidates)

    async def dead_links(self) -> list[DeadLink]:
        """Return the URLs that failed in this run, ordered by URL."""
        return await self._run(self._store.dead_links)

    async def has_documents(self) -> bool:
        """Return True if the realm has a document."""
        return await self._run(self._store.has_documents)

    async def settle(self, origin: str) -> Settlement:
        """Carry out the changes of a leased origin that wait, unless too many documents were lost."""
        return await self._run(self._store.settle, origin)

    async def undelivered(
        self, limit: int, after: int = 0, *, of_workers: bool = False
    ) -> list[Change]:
        """Take over undelivered outbox rows that no living worker holds."""
        undelivered = partial(self._store.undelivered, of_workers=of_workers)
        return await self._run(undelivered, limit, after)

    async def delivered(
        self, seqs: Sequence[int], files: Sequence[FeedFile] = (), number: int = 0
    ) -> int:
        """Mark outbox rows as written to files; return their delivery (new if ``number`` is 0)."""
        return await self._run(self._store.delivered, seqs, files, number)

    async def take_over_deliveries(self, feeds: Collection[str]) -> list[Delivered]:
        """Take over deliveries to these feeds from crawls that did not end normally."""
        return await self._run(self._store.take_over_deliveries, feeds)

    async def undeliver(self, numbers: Collection[int]) -> None:
        """Mark the rows of these deliveries as undelivered."""
        await self._run(self._store.undeliver, numbers)

    async def undeliver_file(self, path: str, seqs: Collection[int]) -> int:
        """Mark our rows in an open file, and ``seqs``, as undelivered."""
        return await self._run(self._store.undeliver_file, path, seqs)

    async def end_deliveries(self) -> None:
        """End the deliveries of this worker; once all workers have, later runs overwrite the files."""
        await self._run(self._store.end_deliveries)

    async def counters_of_others(self) -> dict[str, Any]:
        """Return the counters of the other workers of the run."""
        return await self._run(self._store.counters_of_others)

    def stop_reconnecting(self) -> None:
        """Give a lost connection up at once: the crawl is to end."""
        self._reconnection.stop.set()

    async def close(self, finish_reason: str, counters: dict[str, Any]) -> None:
        """End the run, close the database and the thread."""
        if self._renewal is not None:
            self._renewal.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewal
        try:
            if self._opened is not None:
                await self._run(self._opened.close, finish_reason, counters)
        finally:
            self._thread.shutdown(wait=False)

    @property
    def _store(self) -> Store:
        if self._opened is None:
            raise FrontierError("The crawl database is not open.")
        return self._opened

    def _connect(self, crawl: str, configuration: dict[str, Any]) -> Store:
        database = self._backend.connect()
        database.reconnection = self._reconnection
        try:
            return Store(database, crawl, configuration, self._options)
        except BaseException:
            database.close()
            raise

    async def _run(self, function: Callable[..., T], *arguments: Any) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._try_in_turn, function, *arguments)
        except self._backend.errors as error:
            raise self._backend.readable(error) from error

    async def _run_next(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a call before those that wait for the thread."""
        future: Future[T] = Future()
        self._urgent.append((future, partial(self._try, function, *arguments)))
        self._thread.submit(self._run_urgent)
        try:
            return await asyncio.wrap_future(future)
        except self._backend.errors as error:
            raise self._backend.readable(error) from error

    def _run_urgent(self) -> None:
        while self._urgent:
            future, call = self._urgent.popleft()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 -- raised where the call is awaited
                    future.set_exception(error)

    def _try_in_turn(self, function: Callable[..., T], *arguments: Any) -> T:
        self._run_urgent()
        return self._try(function, *arguments)

    def _try(self, function: Callable[..., T], *arguments: Any) -> T:
        pauses = iter(PAUSES)
        attempts = 0
        while True:
            try:
                return function(*arguments)
            except self._backend.transient:
                pause = next(pauses, None)
                if pause is None:
                    raise
                time.sleep(pause)
            except self._backend.errors as error:
                attempts += 1
                if attempts > MAX_CONNECTIONS or not self._restore(error):
                    raise

    def _restore(self, error: Exception) -> bool:
        """Restore a lost connection and check the leases; return False if it was not lost."""
        store = self._opened
        if store is None or not store.restore(error):
            return False
        with suppress(*self._backend.errors):  # the call that failed is tried again anyway
            store.renew()
        return True

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._options.lease_seconds / RENEWALS_PER_LEASE)
            with suppress(FrontierError):  # the next regular call raises the same error
                await self._run_next(self._store.renew)
