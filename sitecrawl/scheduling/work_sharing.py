"""Sharing among the workers of a run: origins that are handed over, and the number of requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.runs import combined
from sitecrawl.policy.origin_shares import to_hand_over
from sitecrawl.policy.outcomes import OUTCOME_STATS
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.origin_queues import OriginQueues

HEARTBEAT_SECONDS = 1.0
FIRST_HEARTBEAT_SECONDS = 0.25
"""Time to the first heartbeat, doubled for each next one up to ``HEARTBEAT_SECONDS``, at the start of
a worker and whenever it has run out of origins: others have some to hand over, or just did."""
MIN_STAY_SECONDS = 3.0
"""Time for which an origin that was handed over stays: shorter changes cost more than they bring."""
RATE_SECONDS = 10.0


@dataclass(eq=False, repr=False)
class WorkSharing:
    """Heartbeat of this worker. After each, origins go to workers that have less to do, or free
    ones are leased.

    An origin is handed over when its last request has ended and its visits are committed: the other
    worker then knows the time of its next request.
    """

    _owner: FrontierOwner
    _leased: LeasedOrigins
    _queues: OriginQueues
    _own_counters: Callable[[], dict[str, Any]]
    _task: asyncio.Task[None] | None = None
    _counted: tuple[float, int] = (0.0, 0)
    _rate: float = 0.0
    _given_away: int = 0  # load that has left by the next heartbeat, if not before

    def begin(self) -> None:
        """Start to send heartbeats."""
        self._counted = (asyncio.get_running_loop().time(), 0)
        self._task = asyncio.create_task(self._beat())

    async def end(self) -> None:
        """Stop; the crawl ends."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def counters(self) -> dict[str, Any]:
        """Return the counters of all workers of the run."""
        others: dict[str, Any] = {}
        if self._owner.run_id and self._owner.failure is None:
            with suppress(FrontierError):  # a more important call will report the same error
                others = await self._owner.frontier.counters_of_others()
        return combined([self._own_counters(), others])

    def _rate_of(self, pages: int) -> float:
        now, (began, before) = asyncio.get_running_loop().time(), self._counted
        if now - began >= RATE_SECONDS or not self._rate:
            self._rate = (pages - before) / max(now - began, HEARTBEAT_SECONDS)
        if now - began >= RATE_SECONDS:
            self._counted = (now, pages)
        return self._rate

    async def _beat(self) -> None:
        pause, worked = FIRST_HEARTBEAT_SECONDS, False
        while True:
            await asyncio.sleep(pause)
            ran_out = worked and not self._leased.origins
            worked = bool(self._leased.origins)
            pause = min(FIRST_HEARTBEAT_SECONDS if ran_out else 2 * pause, HEARTBEAT_SECONDS)
            if self._owner.failure is not None:
                return
            with suppress(FrontierError):  # a more important call will report the same error
                await self._share()

    async def _share(self) -> None:
        counters = self._own_counters()
        pages = sum(count for name, count in counters.items() if name.startswith(OUTCOME_STATS))
        share = await self._owner.frontier.beat(pages, self._rate_of(pages), counters)
        origins = self._leased.origins
        mine = {
            key: load
            for key, load in share.mine.items()
            if key in origins and not origins[key].is_leaving
        }
        if share.free and sum(mine.values()) <= min(share.others, default=0) + share.free:
            self._leased.acquire()
        received_before = asyncio.get_running_loop().time() - MIN_STAY_SECONDS
        settled = {
            key: load
            for key, load in mine.items()
            if load and origins[key].may_be_handed_over(received_before)
        }
        fixed = sum(mine.values()) - sum(settled.values())
        leaving = sum(share.mine.values()) - sum(mine.values())
        given = to_hand_over(
            settled, share.others, fixed, leaving + min(share.free, self._given_away)
        )
        self._given_away = leaving + sum(settled[key] for key in given)
        for key in given:
            origins[key].hand_over()
            self._queues.advance(origins[key])


@dataclass(eq=False, repr=False)
class RequestBudget:
    """Requests that this worker may still make, granted by the crawl database in blocks.

    All workers together make no more than ``limit``; 0 is no limit.
    """

    _limit: int
    _owner: FrontierOwner
    _tasks: BackgroundTasks
    _granted: int = 0
    _asking: bool = False
    is_exhausted: bool = False

    @property
    def allows(self) -> bool:
        """True if a request may be made now."""
        return not self._limit or self._granted > 0

    def spend(self) -> None:
        """Count a request."""
        self._granted -= 1

    def refund(self) -> None:
        """Take back the count of a request that is made once more."""
        self._granted += 1
        self.is_exhausted = False

    def ask(self) -> None:
        """Ask for another block; the engine is woken when the answer is there."""
        if not self._asking:
            self._asking = True
            self._tasks.begin(self._ask())

    async def _ask(self) -> None:
        self._granted += (granted := await self._owner.frontier.grant(self._limit))
        self.is_exhausted = not granted
        self._asking = False

    async def end(self) -> None:
        """Return what was not spent, for other workers."""
        unspent, self._granted = self._granted, 0
        if self._limit and unspent > 0 and self._owner.failure is None:
            with suppress(FrontierError):  # a more important call will report the same error
                await self._owner.frontier.return_grant(unspent)
