"""The frontier: a store whose methods run in a thread of their own, so that the crawl can await them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sitecrawl.frontier.base import FrontierError, StateOptions
from sitecrawl.frontier.database import Backend, Reconnection
from sitecrawl.frontier.store import Store

RENEWALS_PER_LEASE = 4
MAX_CONNECTIONS = 10  # for one call: it may be what ends them
PAUSES = (0.05, 0.1, 0.2, 0.4)  # seconds before each retry of a transaction
P = ParamSpec("P")
T = TypeVar("T")
Calls = deque[tuple[Future[Any], Callable[[], Any]]]


def in_turn(
    method: Callable[Concatenate[Store, P], T], *, urgent: bool = False
) -> Callable[Concatenate[Frontier, P], Coroutine[Any, Any, T]]:
    """Make a method of the store a coroutine method that runs it in the thread, in its turn, or
    before the calls that wait if it is ``urgent``: other workers wait for this one.
    """
    name = next(name for name, each in vars(Store).items() if each is method)

    @wraps(method)
    async def awaited(self: Frontier, /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(getattr(self._store, name), *args, **kwargs)
        return await self._run(call, urgent=urgent)

    return awaited


class Frontier:
    """Interface of the crawler to the crawl database: the methods of ``Store``, awaited.

    They raise ``FrontierError`` with a readable text when the database fails. Calls run in their
    order, but for those that share the origins out and renew leases.
    """

    def __init__(self, backend: Backend, options: StateOptions) -> None:
        self._backend = backend
        self._options = options
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="frontier")
        self._calls: Calls = deque()
        self._urgent: Calls = deque()
        self._renewal: asyncio.Task[None] | None = None
        self._opened: Store | None = None
        self._reconnection = Reconnection(options.reconnect_seconds)

    async def open(self, crawl: str, configuration: dict[str, Any]) -> int:
        """Open or create the database, begin a run, and return its id; renew leases until ``close``."""
        self._opened = await self._run(partial(self._connect, crawl, configuration))
        self._renewal = asyncio.create_task(self._renew())
        return self._opened.run

    add = in_turn(Store.add)
    retire_starts = in_turn(Store.retire_starts)
    unnamed_starts = in_turn(Store.unnamed_starts)
    usage = in_turn(Store.usage)
    kept_file = in_turn(Store.kept_file)
    keep_file = in_turn(Store.keep_file)
    redirect_chain = in_turn(Store.redirect_chain)
    unskip = in_turn(Store.unskip)
    mark_due = in_turn(Store.mark_due)
    record_feed_dates = in_turn(Store.record_feed_dates)
    mark_modified = in_turn(Store.mark_modified)
    requeue_due = in_turn(Store.requeue_due)

    lease = in_turn(Store.lease, urgent=True)
    claim = in_turn(Store.claim)
    release = in_turn(Store.release)
    hand_over = in_turn(Store.hand_over, urgent=True)
    exclude_from_run = in_turn(Store.exclude_from_run)
    readmit = in_turn(Store.readmit)
    save_origin = in_turn(Store.save_origin)
    beat = in_turn(Store.beat, urgent=True)

    pop = in_turn(Store.pop)
    put_off = in_turn(Store.put_off)
    skip = in_turn(Store.skip)
    out_of_budget = in_turn(Store.out_of_budget)
    has_untried_urls = in_turn(Store.has_untried_urls)
    commit = in_turn(Store.commit)
    settle = in_turn(Store.settle)
    evidence = in_turn(Store.evidence)
    save_evidence = in_turn(Store.save_evidence)

    backlog = in_turn(Store.backlog)
    waiting_by_origin = in_turn(Store.waiting_by_origin)
    grant = in_turn(Store.grant)
    return_grant = in_turn(Store.return_grant)
    last_visits = in_turn(Store.last_visits)
    dead_links = in_turn(Store.dead_links)
    has_documents = in_turn(Store.has_documents)
    counters_of_others = in_turn(Store.counters_of_others)

    undelivered = in_turn(Store.undelivered)
    delivered = in_turn(Store.delivered)
    take_over_deliveries = in_turn(Store.take_over_deliveries)
    undeliver = in_turn(Store.undeliver)
    end_deliveries = in_turn(Store.end_deliveries)

    def holds(self, origin: str) -> bool:
        """Return True if the lease is certain to last long enough for a request. Never waits.

        Leases are renewed as long as the database can be reached.
        """
        return self._store.leases.safe(origin)

    def may_renew(self, origin: str) -> bool:
        """Return True if the lease is ours, or has expired and is not known to be lost."""
        return origin in self._store.leases

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
                await self._run(partial(self._opened.close, finish_reason, counters))
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

    async def _run(self, call: Callable[[], T], *, urgent: bool = False) -> T:
        """Run a call in the thread: in its turn, or before those that wait for it."""
        future: Future[T] = Future()
        entry = future, partial(self._try, call)
        (self._urgent if urgent else self._calls).append(entry)
        self._thread.submit(self._run_first)
        try:
            return await asyncio.wrap_future(future)
        except self._backend.errors as error:
            raise self._backend.readable(error) from error

    def _run_first(self) -> None:
        future, call = (self._urgent or self._calls).popleft()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 -- raised where the call is awaited
                future.set_exception(error)

    def _try(self, call: Callable[[], T]) -> T:
        pauses = iter(PAUSES)
        attempts = 0
        while True:
            try:
                return call()
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
                await self._run(self._store.renew, urgent=True)
