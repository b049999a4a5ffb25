"""Keeps a short to-do list for each origin in hand, filled from the frontier in batches."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from sitecrawl.assembly import pace
from sitecrawl.crawl.database import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.robots import Robots
from sitecrawl.frontier.base import DueUrl, FrontierError, OriginState, Outcome, Visit
from sitecrawl.origins import Gate, Origin, RobotsFile, Turns
from sitecrawl.policy.patience import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.params.crawl import CrawlParams
    from sitecrawl.policy.decision import Decision

logger = logging.getLogger(__name__)

ORIGINS_IN_HAND = 2000
URLS_IN_HAND = 50
REFILL_BELOW = 10
LOOK_AGAIN_SECONDS = 2.0


class TodoLists:
    """The origins in hand: leased, filled, handed out and given back.

    Nothing here lets the scheduler wait for the database: refills and leases run as
    tasks, and ``turns`` changes when they are done.
    """

    def __init__(
        self,
        params: CrawlParams,
        discovery: Discovery,
        owner: FrontierOwner,
        recorder: Recorder,
        robots: Robots,
    ) -> None:
        self.turns = Turns(params.requests_per_origin)
        self.origins: dict[str, Origin] = {}
        self.wake: Callable[[], None] = lambda: None
        self.given_up: Callable[[str, str], None] = lambda _, __: None
        self._gates: dict[str, Gate] = {}
        self._resting: dict[str, Origin] = {}
        self._discovery = discovery
        self._params = params
        self._owner = owner
        self._recorder = recorder
        self._robots = robots
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = False
        self._look_again: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether there is work in hand, or the frontier is being asked for some."""
        return bool(self.origins or self._tasks or self._look_again)

    def see_to(self, work: Coroutine[None, None, None]) -> None:
        """Run a piece of work on the database before the crawl may end."""
        self._begin(work)

    def look(self) -> None:
        """Ask the frontier for origins that have something due."""
        if not self._looking:
            self._looking = True
            self._begin(self._lease())

    def ensure(self, key: str) -> Origin:
        """The origin in hand under ``key``, made without a lease if need be."""
        if key not in self.origins:
            origin = self._take(OriginState(key, None, None, 0.0, None, 0.0, 0))
            origin.dry = True
        return self.origins[key]

    def next_due(self, origin: Origin) -> DueUrl | None:
        """The origin's next URL that robots.txt allows; the others get their outcome."""
        if not self._owner.frontier.holds(origin.key):
            origin.todo.clear()
        while origin.todo:
            due = origin.todo.popleft()
            decision = self._discovery.still_worth(due)
            outcome = Outcome.BLOCKED_URL_BY_LOCAL_POLICY
            if decision.allowed:
                decision = self._robots.decide(origin, due.url)
                outcome = Outcome.BLOCKED_BY_ROBOTS_TXT
            if decision.allowed:
                origin.open_visits += 1
                return due
            self._block(origin, due, decision, outcome)
        return None

    def check(self, origin: Origin) -> None:
        """Line the origin up for its next turn, refill its list, or give it back."""
        self._leave_alone(origin)
        if origin.ended:
            origin.todo.clear()
            self.given_up(origin.key, origin.ended)
        self.turns.stand(origin)
        low = len(origin.todo) < REFILL_BELOW
        if low and not (origin.dry or origin.refilling or origin.ended):
            origin.refilling = True
            self._begin(self._refill(origin))
        elif origin.is_done and origin.key in self.origins:
            self._resting[origin.key] = self.origins.pop(origin.key)
            self._begin(self._give_back(origin))
        elif not origin.todo and not origin.in_flight:
            self._recorder.flush_soon(origin.key)

    def _leave_alone(self, origin: Origin) -> None:
        wait = origin.ready_at - asyncio.get_running_loop().time()
        if wait > self._params.max_wait and not origin.ended:
            origin.ended = f"{origin.key} asks to be left alone for {wait:.0f} s, until a later run"
            logger.warning("%s", origin.ended)

    def share_pace(self, origin: Origin, address: str) -> None:
        """Let the origin keep one pace with the others on its address, if so configured."""
        if self._params.pace_by == "origin" or origin.gate.in_flight:
            return
        gate = self._gates.setdefault(address, origin.gate)
        gate.ready_at = max(gate.ready_at, origin.ready_at)
        origin.gate = gate

    def refreshed(self, origin: Origin) -> None:
        """A robots.txt was read, or could not be: the origin's next turn may come."""
        self._begin(self._save(origin))
        self.check(origin)
        self.wake()

    async def save(self) -> None:
        """Store what is worth remembering of the origins in hand, as a crawl ends."""
        for origin in self.origins.values():
            await self._save(origin)

    def committed(self, key: str, visits: list[Visit]) -> None:
        """A batch is written: its candidates may be work for any origin."""
        written = self.origins.get(key)
        if written is not None:
            written.open_visits -= len(visits)
            written.dry = False
        keys = {candidate.origin for visit in visits for candidate in visit.candidates}
        if not keys <= self.origins.keys():
            self.look()
        for each in (keys | {key}) & self.origins.keys():
            self.origins[each].dry = False
            self.check(self.origins[each])
        self.wake()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, FrontierError):
            self._owner.fail(error)
        elif error is not None:
            logger.error("A refill of the to-do lists failed", exc_info=error)
        self.wake()

    async def _refill(self, origin: Origin) -> None:
        if not origin.todo:
            await self._recorder.flush(origin.key)
        dues = await self._owner.frontier.pop(origin.key, URLS_IN_HAND)
        origin.dry = not dues
        for due in dues:
            decision = self._discovery.recheck(due)
            if decision.allowed:
                origin.todo.append(due)
            else:
                self._block(origin, due, decision, Outcome.BLOCKED_URL_BY_LOCAL_POLICY)
        origin.refilling = False
        self.check(origin)

    def _block(self, origin: Origin, due: DueUrl, decision: Decision, outcome: Outcome) -> None:
        origin.open_visits += 1
        self._discovery.refused(decision, due.url, due.referrer)
        self._recorder.record(
            Visit(
                due,
                time.time(),
                outcome=outcome,
                reason=decision.reason,
                detail=decision.rule,
            )
        )

    async def _give_back(self, origin: Origin) -> None:
        frontier = self._owner.frontier
        await self._save(origin)
        if origin.ended:  # its lease is kept, so that no worker takes it up in this run
            return
        self._recorder.settle(origin.key, await frontier.settle(origin.key))
        await frontier.release(origin.key)
        self.look()

    async def _save(self, origin: Origin) -> None:
        loop_now = asyncio.get_running_loop().time()
        await self._owner.frontier.save_origin(origin.stored(loop_now, time.time()))

    async def _lease(self) -> None:
        frontier = self._owner.frontier
        for state in await frontier.lease(ORIGINS_IN_HAND - len(self.origins)):
            self.check(self._take(state))
        self._looking = False
        if not self.origins:
            await self._expect_more()

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

    def _take(self, state: OriginState) -> Origin:
        origin = self.origins.get(state.key) or self._resting.pop(state.key, None)
        origin = origin or self._new_origin(state)
        origin.dry = False
        self.origins[state.key] = origin
        return origin

    def _new_origin(self, state: OriginState) -> Origin:
        loop_now = asyncio.get_running_loop().time()
        return Origin(
            state=state,
            pace=pace(self._params),
            patience=Patience(self._params.patience),
            robots=RobotsFile(f"{state.key}/robots.txt"),
            gate=Gate(loop_now + max(0.0, state.ready_at - time.time())),
        )
