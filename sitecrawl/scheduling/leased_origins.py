"""Origins that this worker has leased: acquired, remembered, and released."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from sitecrawl.config.assembly import pace
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.events import Event
from sitecrawl.frontier.base import OriginState
from sitecrawl.policy.http.answers import FailureBudget
from sitecrawl.reqmeta import occupying, robots_of
from sitecrawl.resolver import addresses_of
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.origin import TRANSITIONS, Origin, OriginPhase, PacingSlot, RobotsFile
from sitecrawl.scheduling.origin_knowledge import OriginKnowledge
from sitecrawl.scheduling.worker_processes import WorkerProcesses

Address: TypeAlias = IPv4Address | IPv6Address

MAX_LEASED_ORIGINS = 2000
RETRY_LEASE_SECONDS = 2.0
RENEWAL_SECONDS = 0.5  # between looks at a lease that is being renewed
IDLE_LEASE_SECONDS = 0.25  # between attempts that find no free origin
TAKE_OVER_SECONDS = 10.0  # for the origins of dead workers, while others are leased


@dataclass(eq=False, repr=False)
class LeasedOrigins:
    """Leased origins: acquired while they have URLs due, released afterwards.

    ``acquired`` is sent for each. An origin that is leased again is the same object: its pace,
    failure budget and robots.txt last for the whole run, until ``renew`` begins another.
    """

    _params: CrawlParams
    _owner: FrontierOwner
    _recorder: Recorder
    _tasks: BackgroundTasks
    knowledge: OriginKnowledge
    _workers: WorkerProcesses | None = None
    origins: dict[str, Origin] = field(default_factory=dict)
    acquired: Event[Origin] = field(default_factory=Event)
    _slots: dict[Address, PacingSlot] = field(default_factory=dict)
    _resting: dict[str, Origin] = field(default_factory=dict)
    _leasing: bool = False
    _no_lease_before: float = 0.0
    _retry_timer: asyncio.TimerHandle | None = None
    _take_over_timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """True while an origin is leased, or may be soon, or a worker process runs."""
        working = self._workers is not None and self._workers.alive
        return bool(self.origins or self._retry_timer or working)

    def acquire(self) -> None:
        """Ask the frontier for origins that have URLs due."""
        if self._leasing or self._workers is not None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._no_lease_before:
            self._retry_timer = self._retry_timer or loop.call_at(
                self._no_lease_before, self._retry_lease
            )
            return
        self._leasing = True
        self._tasks.begin(self._lease())

    def ensure(self, key: str) -> Origin:
        """Return the origin ``key``, added without a lease if necessary."""
        if key not in self.origins:
            self._bring(OriginState(key, None, None, 0.0, None, 0.0))
        return self.origins[key]

    def must_acquire_lease(self, origin: Origin) -> bool:
        """Ask for the lease of an origin that has none; return True if requests must wait for it.

        ``acquired`` is sent when the lease is ours.
        """
        if origin.given_up or self._owner.frontier.holds(origin.key):
            return False
        if origin.awaits_lease:
            return True
        if origin.is_refilling:
            origin.postpone(asyncio.get_running_loop().time() + RENEWAL_SECONDS)
            return True
        origin.lease_asked()
        self._tasks.begin(self._claim(origin))
        return True

    def may_request(self, origin: Origin) -> bool:
        """Return True if the lease of an origin is safe; drop its due URLs if it was lost.

        A lease that may have expired is renewed soon, unless another worker has had the origin: the
        due URLs stay until that is known, as the crawl database gives them out only once.
        """
        frontier = self._owner.frontier
        if frontier.holds(origin.key):
            return True
        if frontier.may_renew(origin.key):
            origin.postpone(asyncio.get_running_loop().time() + RENEWAL_SECONDS)
        else:
            origin.drop_due()
        return False

    def release(self, origin: Origin) -> None:
        """Release an origin that has nothing left to do in this run."""
        self._resting[origin.key] = self.origins.pop(origin.key)
        work = self._leave(origin) if origin.is_leaving else self._release(origin)
        origin.rest()
        self._tasks.begin(work)

    def save(self, origin: Origin) -> None:
        """Store the state of an origin."""
        self._tasks.begin(self._save(origin))

    def given_up(self) -> dict[str, dict[str, str]]:
        """Return the origins that were given up, with words and with the word of the reason."""
        met = [each for each in (*self.origins.values(), *self._resting.values()) if each.given_up]
        return {
            "given_up": {each.key: each.given_up for each in met},
            "given_up_for": {each.key: each.given_up_reason for each in met},
        }

    async def save_all(self) -> None:
        """Store the state of all origins at the end of a crawl, and write what waits for it."""
        if self._take_over_timer is not None:
            self._take_over_timer.cancel()
        await self._tasks.end()
        for origin in list(self.origins.values()):
            await self._save(origin)
            await self.knowledge.release(origin.key)

    async def renew(self) -> None:
        """Forgive all failures: another pass starts as another run does."""
        for origin in (*self.origins.values(), *self._resting.values()):
            was_given_up = bool(origin.given_up)
            origin.forgive(pace(self._params), FailureBudget(self._params.patience))
            if was_given_up:
                await self._owner.frontier.readmit(origin.key)

    async def _share_address(self, origin: Origin, *, handed_over: bool) -> None:
        """Let an origin share the pace of its address with the others there."""
        address = await self._look_up(origin.key)
        if address is not None and not origin.in_flight:
            ready_at = origin.ready_at
            origin.slot = self._slots.setdefault(address, origin.slot)
            origin.postpone(ready_at)
        origin.lease_acquired(asyncio.get_running_loop().time(), handed_over=handed_over)
        self.acquired.send(origin)

    async def _look_up(self, key: str) -> Address | None:
        """Return the address of an origin; None if it has none, or if only a proxy knows it."""
        with suppress(CannotResolveHostError):
            host = urlsplit(key).hostname or ""
            return ip_address((await addresses_of(host, self._params.timeout))[0])
        return None

    async def _release(self, origin: Origin) -> None:
        frontier = self._owner.frontier
        await self._save(origin)
        await self.knowledge.release(origin.key)
        if origin.given_up:
            if origin.failure_budget.failed_like_last_run and not await frontier.has_untried_urls(
                origin.key
            ):
                await self._settle(origin.key)
            await frontier.exclude_from_run(origin.key, origin.given_up)
            self.acquire()
            return
        await self._settle(origin.key)
        if origin.key in self._resting:  # otherwise it was acquired again, with its lease
            await frontier.release(origin.key)
        self.acquire()

    async def _leave(self, origin: Origin) -> None:
        """Release an origin for another worker, which continues where this one has stopped."""
        await self.knowledge.release(origin.key)
        await self._owner.frontier.hand_over(self._state_of(origin))
        if not self.origins:
            self.acquire()

    async def _settle(self, origin: str) -> None:
        self._recorder.settle(origin, await self._owner.frontier.settle(origin))

    async def _save(self, origin: Origin) -> None:
        await self._owner.frontier.save_origin(self._state_of(origin))

    def _state_of(self, origin: Origin) -> OriginState:
        return origin.stored(asyncio.get_running_loop().time(), time.time())

    async def _lease(self) -> None:
        found = await self._owner.frontier.lease(MAX_LEASED_ORIGINS - len(self.origins))
        for state in found:
            self._take_lease(state)
        self._leasing = False
        if not found:
            self._no_lease_before = asyncio.get_running_loop().time() + IDLE_LEASE_SECONDS
        if not self.origins:
            await self._expect_more()
        elif self._take_over_timer is None:
            loop = asyncio.get_running_loop()
            self._take_over_timer = loop.call_later(TAKE_OVER_SECONDS, self._take_over)

    async def _claim(self, origin: Origin) -> None:
        state = await self._owner.frontier.claim(origin.key)
        if state is None:
            origin.lease_denied()
            self._return_robots_requests(origin)
            asyncio.get_running_loop().call_later(RETRY_LEASE_SECONDS, self._claim_again, origin)
            self.acquired.send(origin)
            return
        if state.given_up is not None:
            origin.give_up(state.given_up or f"{origin.key} was given up for this run")
        self._take_lease(state)

    def _return_robots_requests(self, holder: Origin) -> None:
        """Request a robots.txt that redirects to an origin of another worker in the turn of its own."""
        for request in tuple(holder.urgent_requests):
            asking = robots_of(request)
            if asking is not None and asking is not holder:
                holder.urgent_requests.remove(request)
                request.meta.update(occupying(asking))
                asking.urgent_requests.append(request)
                self.acquired.send(asking)

    def _claim_again(self, origin: Origin) -> None:
        is_elsewhere = origin.phase is OriginPhase.LEASED_ELSEWHERE
        if is_elsewhere and (origin.adhoc_requests or origin.urgent_requests):
            origin.lease_asked()
            self._tasks.begin(self._claim(origin))

    async def _expect_more(self) -> None:
        backlog = await self._owner.frontier.backlog()
        if not (backlog.free or backlog.elsewhere):
            return
        wait = RETRY_LEASE_SECONDS
        if backlog.ready_at is not None:
            wait = min(max(0.0, backlog.ready_at - time.time()), RETRY_LEASE_SECONDS)
        loop = asyncio.get_running_loop()
        self._retry_timer = self._retry_timer or loop.call_later(wait, self._retry_lease)

    def _retry_lease(self) -> None:
        self._retry_timer = None
        self.acquire()

    def _take_over(self) -> None:
        self._take_over_timer = None
        self.acquire()

    def _take_lease(self, state: OriginState) -> None:
        origin = self._bring(state)
        if not state.continued:
            origin.drop_due()  # another worker may have visited them
        received = state.robots_read and not state.continued
        is_quiet = not origin.in_flight and origin.phase in TRANSITIONS["lease_asked"]
        if is_quiet and self._params.pace_by == "address":
            origin.lease_asked()
            self._tasks.begin(self._share_address(origin, handed_over=received))
        else:
            origin.lease_acquired(asyncio.get_running_loop().time(), handed_over=received)
            self.acquired.send(origin)

    def _bring(self, state: OriginState) -> Origin:
        origin = self.origins.get(state.key) or self._resting.pop(state.key, None)
        ready_at = asyncio.get_running_loop().time() + max(0.0, state.ready_at - time.time())
        origin = origin or self._new_origin(state, ready_at)
        origin.postpone(ready_at)
        self.origins[state.key] = origin
        return origin

    def _new_origin(self, state: OriginState, ready_at: float) -> Origin:
        handed = state.robots_read  # by another worker of this run
        return Origin(
            loaded=state,
            pace=replace(pace(self._params), crawl_delay=state.delay if handed else None),
            failure_budget=FailureBudget(self._params.patience),
            robots=_robots_of(state),
            slot=PacingSlot(ready_at),
            holds_lease=partial(self._owner.frontier.holds, state.key),
        )


def _robots_of(state: OriginState) -> RobotsFile:
    """Return the robots.txt of an origin, as read by the worker that has handed it over, if any."""
    if not state.robots_read or state.robots_text is None:
        return RobotsFile(state.key)
    expires_at = asyncio.get_running_loop().time() + state.robots_expires_at - time.time()
    body, status = state.robots_text.encode(), state.robots_status or 200
    return RobotsFile(state.key, body=body, status=status, expires_at=expires_at)
