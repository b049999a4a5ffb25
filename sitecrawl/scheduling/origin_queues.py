"""Queues of the leased origins, and the order in which the origins are requested."""

from __future__ import annotations

import asyncio
import heapq
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from scrapy import Request

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.discovery import REWRITTEN, Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.seeds import SeedRedirects
from sitecrawl.crawl.visit import Visit
from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import occupying
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.robots_files import RobotsFiles
from sitecrawl.scheduling.yields import DueVerdict
from sitecrawl.web.urls.url import origin as origin_key

logger = logging.getLogger(__name__)

PREFETCH = 50
REFILL_BELOW = 10


class ReadyQueue:
    """Origins with work, ordered by the time from which each may be requested."""

    def __init__(self, in_flight_per_origin: int = 1) -> None:
        self._heap: list[tuple[float, int, Origin]] = []
        self._order = count()
        self._in_flight = in_flight_per_origin

    def push(self, origin: Origin) -> None:
        """Queue the origin, unless it has nothing to send, or enough is in flight."""
        if not origin.has_work:
            return
        when = origin.turn_at
        if origin.queued_at is not None and origin.queued_at <= when:
            return
        if origin.slot.in_flight >= self._in_flight:
            origin.queued_at = 0.0
            origin.slot.waiting.append(origin)
            return
        origin.queued_at = when  # a later entry, if there is one, is skipped
        heapq.heappush(self._heap, (when, next(self._order), origin))

    def pop_ready(self, now: float) -> Origin | None:
        """Remove and return the first origin that was due by ``now``.

        It may have to wait again, because its pace has changed meanwhile: see ``may_acquire``.
        """
        while self._heap and self._heap[0][0] <= now:
            when, _, origin = heapq.heappop(self._heap)
            if when == origin.queued_at:
                origin.queued_at = None
                return origin
        return None

    def may_acquire(self, origin: Origin, now: float) -> bool:
        """Return True if the origin may be requested at ``now``."""
        is_free = origin.slot.in_flight < self._in_flight and not origin.awaits_lease
        return is_free and origin.turn_at <= now

    @property
    def next_ready_at(self) -> float | None:
        """Time of the first entry; None if the queue is empty."""
        return self._heap[0][0] if self._heap else None

    def __len__(self) -> int:
        return len(self._heap)


@dataclass(eq=False, repr=False)
class OriginQueues:
    """Prefetched URLs and other requests of the leased origins, refilled in batches.

    The scheduler never waits for the database: refills run as tasks, and ``ready`` changes when
    they are done.
    """

    _params: CrawlParams
    _discovery: Discovery
    _owner: FrontierOwner
    _recorder: Recorder
    _robots: RobotsFiles
    _leased: LeasedOrigins
    _seed_redirects: SeedRedirects
    _tasks: BackgroundTasks
    ready: ReadyQueue = field(init=False)

    def __post_init__(self) -> None:
        self.ready = ReadyQueue(self._params.requests_per_origin)
        self._knowledge = self._leased.knowledge
        self._leased.acquired.connect(self.advance)
        self._recorder.batch_committed.connect(self.committed)
        self._recorder.visit_recorded.connect(self.recorded)
        self._robots.request_ended.connect(self.refreshed)
        self._knowledge.released.connect(self.released)

    def next_due(self, origin: Origin) -> DueUrl | Request | None:
        """Return the origin's next URL that robots.txt allows, or the next request to retry.

        URLs that robots.txt disallows get their outcome.
        """
        if not self._leased.may_request(origin):
            return None
        now = asyncio.get_running_loop().time()
        while (found := origin.pop_due(now)) is not None:
            if isinstance(found, Request):
                return found
            due = self._discovery.nearer(found)
            verdict = self._knowledge.verdict(origin.key, due)
            outcome = Outcome.BLOCKED_URL_BY_LOCAL_POLICY
            if verdict is not DueVerdict.FETCH:
                refusal = self._knowledge.carry_out(origin.key, due, verdict)
                if refusal is not None:
                    self._block(origin, due, refusal, outcome)
                continue
            decision = self._discovery.admit_fetch(due)
            if decision.allowed:
                decision = self._robots.decide(origin, due.url)
                outcome = Outcome.BLOCKED_BY_ROBOTS_TXT
            if decision.allowed:
                origin.open_visits += 1
                return due
            self._block(origin, due, decision, outcome)
        return None

    def released(self, key: str) -> None:
        """Look again at the queue of an origin, to which URLs were returned."""
        origin = self._leased.origins.get(key)
        if origin is None:
            self._leased.acquire()
            return
        origin.work_found()
        self.advance(origin)

    def enqueue(self, request: Request) -> bool:
        """Queue a request at its origin, before pages; return False if the URL has no origin."""
        key = origin_key(request.url)
        if not key:
            return False
        origin = self._assign(request, key)
        origin.enqueue(request)
        self.ready.push(origin)
        return True

    def enqueue_retry(self, request: Request, wait: float) -> None:
        """Queue a request that failed for a retry after ``wait`` seconds; it comes last."""
        origin = self._assign(request, origin_key(request.url))
        origin.retry_at(request, asyncio.get_running_loop().time() + wait)
        self.ready.push(origin)

    def enqueue_urgent(self, request: Request, key: str) -> None:
        """Queue a request for another origin's robots.txt at the origin ``key``."""
        host = self._assign(request, key)
        host.urgent_requests.append(request)
        self.ready.push(host)

    def _assign(self, request: Request, key: str) -> Origin:
        origin = self._leased.ensure(key)
        request.meta.update(occupying(origin))
        return origin

    def next_ready(self, now: float) -> Origin | None:
        """Remove and return the first origin of the ready queue that may be asked at ``now``."""
        while (origin := self.ready.pop_ready(now)) is not None:
            if self.ready.may_acquire(origin, now):
                return origin
            self.advance(origin)
        return None

    def request_ended(self, origin: Origin) -> None:
        """End a request of the origin, and advance the origins that waited for that."""
        for each in origin.request_ended():
            if each is not origin:
                self.advance(each)
        self.advance(origin)

    def advance(self, origin: Origin) -> None:
        """Take the next step for the origin: send, refill, release or flush."""
        self._give_up_if_postponed(origin)
        if origin.given_up:
            origin.drop_due()
        self.ready.push(origin)
        if origin.wants_refill(REFILL_BELOW):
            origin.begin_refill()
            self._tasks.begin(self._refill(origin))
        elif origin.is_done and origin.key in self._leased.origins:
            self._leased.release(origin)
        elif not origin.todo and not origin.in_flight:
            self._recorder.flush_soon(origin.key)

    def refreshed(self, origin: Origin) -> None:
        """Advance an origin whose robots.txt was read, or could not be."""
        self._leased.save(origin)
        self.advance(origin)

    def recorded(self, visit: VisitResult) -> None:
        """Commit the visit at once if its origin waits for the links of the page."""
        origin = self._leased.origins.get(visit.due.origin)
        if origin is not None and not origin.todo and not origin.in_flight:
            self._recorder.flush_soon(origin.key)

    def committed(self, key: str, visits: Sequence[VisitResult]) -> None:
        """Advance the origins for which a committed batch has candidates."""
        origins = self._leased.origins
        for visit in visits:
            if visit.outcome is Outcome.LEASE_LOST:
                self._discovery.lost(visit)
        written = origins.get(key)
        if written is not None:
            written.open_visits -= len(visits)
            for visit in visits:
                self._ended(written, visit)
        keys = {candidate.origin for visit in visits for candidate in visit.candidates}
        keys |= {visit.target.origin for visit in visits if visit.target is not None}
        if not keys <= origins.keys():
            self._leased.acquire()
        for each in (keys | {key}) & origins.keys():
            origins[each].work_found()
            self.advance(origins[each])
        self._tasks.wake()

    def _ended(self, origin: Origin, visit: VisitResult) -> None:
        if not visit.again:
            origin.retry_count.pop(visit.due.fingerprint, None)
            origin.alternate_url.pop(visit.due.fingerprint, None)
        elif visit.outcome is not Outcome.LEASE_LOST:
            wait = max(0.0, (visit.not_before or 0.0) - time.time())
            origin.retry_at(visit.due, asyncio.get_running_loop().time() + wait)

    def _give_up_if_postponed(self, origin: Origin) -> None:
        wait = origin.ready_at - asyncio.get_running_loop().time()
        # The crawl's own delay is not a pause that the origin asked for.
        if wait > max(self._params.max_wait, origin.pace.delay) and not origin.given_up:
            words = f"{origin.key} asks for a pause of {wait:.0f} s, until a later run"
            origin.give_up(words, "rate_limited")
            logger.warning("%s", origin.given_up)

    async def _refill(self, origin: Origin) -> None:
        if not origin.todo:
            await self._recorder.flush(origin.key)
        idle = origin.is_idle  # before: what ends meanwhile has links that are not among the dues
        begun = len(origin.todo) + origin.open_visits + len(origin.retries)
        dues = await self._owner.frontier.pop(origin.key, PREFETCH, begun)
        await self._knowledge.prepare(origin.key)
        decisions = [self._discovery.recheck(due) for due in dues]
        if any(decision.reason == "scope" for decision in decisions):
            await self._seed_redirects.look(origin.key)
            decisions = [self._discovery.recheck(due) for due in dues]
        allowed = []
        for due, decision in zip(dues, decisions, strict=True):
            if decision.allowed:
                allowed.append(due)
            else:
                self._block(origin, due, decision, Outcome.BLOCKED_URL_BY_LOCAL_POLICY)
        yields = self._knowledge.yields
        now, put_off = yields.sort(origin.key, allowed, idle=idle)
        if put_off:
            await self._owner.frontier.put_off(origin.key, put_off)
        # What is under way ends with a commit, after which the database is asked again.
        waits = bool(put_off) and not now and not origin.is_idle
        origin.refilled(now, exhausted=not dues or waits)
        self.advance(origin)

    def _block(self, origin: Origin, due: DueUrl, decision: Decision, outcome: Outcome) -> None:
        origin.open_visits += 1
        self._discovery.refused(decision, due.url, due.referrer)
        successor = self._discovery.successor(due) if decision.reason == REWRITTEN else None
        result = Visit(due, time.time()).end(
            outcome, decision.reason, decision.rule, successor=successor
        )
        self._recorder.record(result)
