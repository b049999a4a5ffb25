"""The origins that this worker has in hand: taken, remembered, and given back."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from sitecrawl.config.assembly import pace
from sitecrawl.events import Event
from sitecrawl.frontier.base import OriginState
from sitecrawl.policy.http.failure_budget import FailureBudget
from sitecrawl.resolver import addresses_of
from sitecrawl.scheduling.origin import Gate, Origin, RobotsFile

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.scheduling.background import Tasks


ORIGINS_IN_HAND = 2000
LOOK_AGAIN_SECONDS = 2.0
LOOK_ROUND_SECONDS = 10.0  # for what a worker that died meanwhile had, while others are in hand


class Hand:
    """Leases origins that have something due, and gives them back when they have not.

    ``acquired`` is sent for each that comes. An origin that comes back is the same object:
    its pace, patience and robots.txt are those of the run, until ``renew`` begins another.
    """

    def __init__(
        self, params: CrawlParams, owner: FrontierOwner, recorder: Recorder, tasks: Tasks
    ) -> None:
        self.origins: dict[str, Origin] = {}
        self.acquired: Event[Origin] = Event()
        self._params = params
        self._owner = owner
        self._recorder = recorder
        self._tasks = tasks
        self._gates: dict[IPv4Address | IPv6Address, Gate] = {}
        self._resting: dict[str, Origin] = {}
        self._looking = False
        self._look_again: asyncio.TimerHandle | None = None
        self._look_round: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether an origin is in hand, or may come."""
        return bool(self.origins or self._look_again)

    def look(self) -> None:
        """Ask the frontier for origins that have something due."""
        if not self._looking:
            self._looking = True
            self._tasks.begin(self._lease())

    def ensure(self, key: str) -> Origin:
        """The origin in hand under ``key``, taken up without a lease if need be."""
        if key not in self.origins:
            origin = self._take(OriginState(key, None, None, 0.0, None, 0.0, 0))
            origin.dry = True
        return self.origins[key]

    def must_claim(self, origin: Origin) -> bool:
        """Whether the lease must be asked for before what is no visit may be sent.

        It is asked for then, and ``acquired`` is sent when it is ours. While another worker has it,
        errands go without: two origins that send each other's robots.txt here and there
        would wait for ever.
        """
        if origin.ended or origin.claim or self._owner.frontier.holds(origin.key):
            return False
        origin.claim = "asked"
        origin.drop_due()  # popped under a lease that has ended
        self._tasks.begin(self._claim(origin))
        return True

    def give_back(self, origin: Origin) -> None:
        """Let go of an origin that has nothing left in this run."""
        self._resting[origin.key] = self.origins.pop(origin.key)
        origin.rest()
        self._tasks.begin(self._give_back(origin))

    def save(self, origin: Origin) -> None:
        """Store what is worth remembering of an origin."""
        self._tasks.begin(self._save(origin))

    def given_up(self) -> dict[str, str]:
        """The origins that were given up, and why."""
        met = (*self.origins.values(), *self._resting.values())
        return {origin.key: origin.ended for origin in met if origin.ended}

    async def save_all(self) -> None:
        """Store what is worth remembering of the origins in hand, as a crawl ends."""
        if self._look_round is not None:
            self._look_round.cancel()
        await self._tasks.end()
        for origin in list(self.origins.values()):
            await self._save(origin)

    async def renew(self) -> None:
        """Forgive all failures: a further round begins as a further run does."""
        for origin in (*self.origins.values(), *self._resting.values()):
            before, fresh = origin.pace, pace(self._params)
            origin.pace = replace(fresh, crawl_delay=before.crawl_delay, ended_at=before.ended_at)
            origin.patience = FailureBudget(self._params.patience)
            origin.robots.failures = 0
            origin.tries.clear()
            if origin.ended:
                origin.ended = ""
                await self._owner.frontier.forgive(origin.key)

    def share_pace(self, origin: Origin, address: IPv4Address | IPv6Address) -> None:
        """Let the origin keep one pace with the others on its address, if so configured.

        What has answered may be another address than the one that was looked up.
        """
        if self._params.pace_by == "address" and not origin.in_flight:
            origin.gate = self._gate_of(address, origin.ready_at)

    async def _look_up(self, origin: Origin) -> None:
        """Move a new origin from its closed gate to that of its address, before any request."""
        closed, address = origin.gate, None
        with suppress(CannotResolveHostError):  # its requests fail, unless a proxy knows the name
            host = urlsplit(origin.key).hostname or ""
            address = ip_address((await addresses_of(host, self._params.timeout))[0])
        origin.gate = self._gate_of(address, closed.ready_at)
        if closed.waiting:
            origin.queued_at = None
        if origin.key in self.origins:
            self.acquired.send(origin)

    def _gate_of(self, address: IPv4Address | IPv6Address | None, ready_at: float) -> Gate:
        """The gate of an address, or a new one, which is not open before ``ready_at``."""
        gate = Gate(ready_at)
        if address is not None:
            gate = self._gates.setdefault(address, gate)
        gate.ready_at = max(gate.ready_at, ready_at)
        return gate

    async def _give_back(self, origin: Origin) -> None:
        frontier = self._owner.frontier
        await self._save(origin)
        if origin.ended:
            if origin.patience.failed_like_last_run and not await frontier.promises(origin.key):
                self._recorder.settle(origin.key, await frontier.settle(origin.key))
            await frontier.give_up(origin.key)
            self.look()
            return
        self._recorder.settle(origin.key, await frontier.settle(origin.key))
        if origin.key in self._resting:  # else it was taken up again, and its lease with it
            await frontier.release(origin.key)
        self.look()

    async def _save(self, origin: Origin) -> None:
        loop_now = asyncio.get_running_loop().time()
        await self._owner.frontier.save_origin(origin.stored(loop_now, time.time()))

    async def _lease(self) -> None:
        frontier = self._owner.frontier
        for state in await frontier.lease(ORIGINS_IN_HAND - len(self.origins)):
            self.acquired.send(self._take(state))
        self._looking = False
        if not self.origins:
            await self._expect_more()
        elif self._look_round is None:
            loop = asyncio.get_running_loop()
            self._look_round = loop.call_later(LOOK_ROUND_SECONDS, self._on_look_round)

    async def _claim(self, origin: Origin) -> None:
        state = await self._owner.frontier.claim(origin.key)
        if state is None:
            origin.claim = "elsewhere"
            asyncio.get_running_loop().call_later(LOOK_AGAIN_SECONDS, self._claim_again, origin)
        else:
            self._take(state)
            if state.given_up:
                origin.ended = f"{origin.key} was given up for this run"
        self.acquired.send(origin)

    def _claim_again(self, origin: Origin) -> None:
        if origin.claim and origin.foreign:
            self._tasks.begin(self._claim(origin))
        else:
            origin.claim = ""

    async def _expect_more(self) -> None:
        backlog = await self._owner.frontier.backlog()
        if not (backlog.free or backlog.elsewhere):
            return
        wait = LOOK_AGAIN_SECONDS
        if backlog.ready_at is not None:
            wait = min(max(0.0, backlog.ready_at - time.time()), LOOK_AGAIN_SECONDS)
        loop = asyncio.get_running_loop()
        self._look_again = self._look_again or loop.call_later(wait, self._on_look_again)

    def _on_look_again(self) -> None:
        self._look_again = None
        self.look()

    def _on_look_round(self) -> None:
        self._look_round = None
        self.look()

    def _take(self, state: OriginState) -> Origin:
        origin = self.origins.get(state.key) or self._resting.pop(state.key, None)
        ready_at = asyncio.get_running_loop().time() + max(0.0, state.ready_at - time.time())
        origin = origin or self._new_origin(state, ready_at)
        origin.ready_at = max(origin.ready_at, ready_at)  # another worker may have asked it last
        origin.dry, origin.claim = False, ""
        self.origins[state.key] = origin
        return origin

    def _new_origin(self, state: OriginState, ready_at: float) -> Origin:
        origin = Origin(
            state=state,
            pace=pace(self._params),
            patience=FailureBudget(self._params.patience),
            robots=RobotsFile(f"{state.key}/robots.txt"),
            gate=Gate(ready_at),
        )
        if self._params.pace_by == "address":
            origin.gate.in_flight = self._params.requests_per_origin  # closed for now
            self._tasks.begin(self._look_up(origin))
        return origin
