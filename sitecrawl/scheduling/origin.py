"""The origins that this worker has in hand, and whose turn it is."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.failure_budget import FailureBudget
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.web.robots.robots_txt import RobotsTxt


@dataclass(slots=True)
class RobotsFile:
    """An origin's robots.txt as last read. Times are seconds of the event loop's clock.

    ``body`` is None until the file was read; ``url`` is where to ask next. ``rules`` are made of
    the body where they are needed, and take ten times its memory: an origin at rest has none.
    """

    url: str
    rules: RobotsTxt | None = None
    body: bytes | None = None
    status: int | None = None
    expires_at: float = 0.0
    redirects: int = 0
    failures: int = 0
    asking: bool = False


@dataclass(slots=True, eq=False)
class Gate:
    """What requests pass one after the other: an origin's own, or an address's.

    ``ready_at`` is in seconds of the event loop's clock; ``waiting`` holds the origins
    that want to pass while as many are in flight as may be.
    """

    ready_at: float
    in_flight: int = 0
    waiting: list[Origin] = field(default_factory=list)


class RetryQueue:
    """URLs and other requests that are tried again in this run, by the time when each may be.

    Times are of the event loop's clock. URLs wait in the crawl database as well, as due.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, DueUrl | Request]] = []
        self._order = count()

    def push(self, entry: DueUrl | Request, ready_at: float) -> None:
        """Let one wait until ``ready_at``."""
        heapq.heappush(self._heap, (ready_at, next(self._order), entry))

    def pop(self, now: float) -> DueUrl | Request | None:
        """The first that may be tried again at ``now``."""
        if not self._heap or self._heap[0][0] > now:
            return None
        return heapq.heappop(self._heap)[2]

    def drain(self) -> list[DueUrl | Request]:
        """Remove all, in no order."""
        entries = [entry for _, _, entry in self._heap]
        self._heap.clear()
        return entries

    @property
    def ready_at(self) -> float:
        """When the first may be tried; raises IndexError where there is none."""
        return self._heap[0][0]

    def __len__(self) -> int:
        return len(self._heap)


@dataclass(slots=True, eq=False)
class Origin:
    """One origin in hand: its to-do list, its pace, and what is in flight.

    ``gate`` is shared by origins on one address where the pace is kept by address.
    ``foreign`` are requests that are no visits, ``errands`` those for the robots.txt of other
    origins, which redirect here: they do not wait for this origin's own, or two that redirect to
    each other would wait for ever. ``retries`` come after all else that is due. ``open_visits``
    counts the visits that have begun and are not committed yet. ``dry`` means that the frontier
    had nothing due when last asked; ``ended`` says why the origin is given up. ``queued_at`` is the
    time for which the origin is lined up, None while it is not.

    ``claim`` says how far it is with the lease, without which only errands are sent: empty while
    nobody has looked, ``asked``, or ``elsewhere`` while another worker has it.

    By fingerprint, of URLs whose visit has not come to its end: ``tries`` counts how often they
    were to be tried again, ``probed`` are those that HEAD did not rule out, ``spelled`` has the other
    spelling to which they were sent.
    """

    state: OriginState
    pace: Pace
    patience: FailureBudget
    robots: RobotsFile
    gate: Gate
    todo: deque[DueUrl] = field(default_factory=deque)
    retries: RetryQueue = field(default_factory=RetryQueue)
    foreign: deque[Request] = field(default_factory=deque)
    errands: deque[Request] = field(default_factory=deque)
    in_flight: int = 0
    tries: Counter[int] = field(default_factory=Counter)
    probed: set[int] = field(default_factory=set)
    spelled: dict[int, str] = field(default_factory=dict)
    open_visits: int = 0
    queued_at: float | None = None
    refilling: bool = False
    dry: bool = False
    ended: str = ""
    claim: Literal["", "asked", "elsewhere"] = ""

    @property
    def ready_at(self) -> float:
        """The time of the event loop's clock from which it may be asked."""
        return self.gate.ready_at

    @ready_at.setter
    def ready_at(self, when: float) -> None:
        self.gate.ready_at = when

    @property
    def turn_at(self) -> float:
        """When its turn comes: at once if it is given up, as nothing will be sent then."""
        if self.ended:
            return 0.0
        if self.retries and not (self.todo or self.foreign or self.errands):
            return max(self.gate.ready_at, self.retries.ready_at)
        return self.gate.ready_at

    @property
    def key(self) -> str:
        """Scheme, host and port, as in ``https://example.org``."""
        return self.state.key

    def stored(self, loop_now: float, now: float) -> OriginState:
        """What is worth remembering of it; ``now`` is the same moment in UTC epoch seconds.

        A robots.txt that could not be read has no text and an expiry that is not zero.
        """
        ready_at = now + self.ready_at - loop_now
        body = self.robots.body
        if body is None and not self.robots.failures:
            return replace(self.state, ready_at=ready_at)
        return replace(
            self.state,
            robots_text=None if body is None else body.decode("utf-8", "replace"),
            robots_status=self.robots.status,
            robots_expires_at=now + max(0.0, self.robots.expires_at - loop_now),
            delay=self.pace.crawl_delay,
            ready_at=ready_at,
        )

    def pop_due(self, now: float) -> DueUrl | Request | None:
        """The URL to visit next: one that is due, or with none left what to try again."""
        if self.todo:
            return self.todo.popleft()
        return self.retries.pop(now) if self.dry else None

    def drop_due(self) -> None:
        """Leave what is due to who takes the origin next; other requests are told their end."""
        self.todo.clear()
        self.foreign.extend(each for each in self.retries.drain() if isinstance(each, Request))

    def forget(self, fingerprint: int) -> None:
        """Let go of what was kept of a URL for the time of its visit, which has ended."""
        self.tries.pop(fingerprint, None)
        self.probed.discard(fingerprint)
        self.spelled.pop(fingerprint, None)

    def rest(self) -> None:
        """Let go of what can be made again: there may be very many origins with nothing to do."""
        self.robots.rules = None

    @property
    def has_work(self) -> bool:
        """Whether there is something to send when its turn comes."""
        if self.claim == "asked":
            return False
        if self.errands:
            return True
        if self.robots.asking or self.claim:
            return False
        return bool(self.foreign or (self._has_due and not self.ended))

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is waiting, on its way or unwritten."""
        waiting = self.foreign or self.errands or self.in_flight
        waiting = waiting or self.open_visits or self.refilling
        return not waiting and bool(self.ended or (self.dry and not self._has_due))

    @property
    def _has_due(self) -> bool:
        return bool(self.todo or (self.dry and self.retries))


class Turns:
    """Ready queue of origins, ordered by the time from which each may be asked."""

    def __init__(self, in_flight_per_origin: int = 1) -> None:
        self._heap: list[tuple[float, int, Origin]] = []
        self._order = count()
        self._in_flight = in_flight_per_origin

    def stand(self, origin: Origin) -> None:
        """Line the origin up, unless it has nothing to send, or enough is in flight."""
        if not origin.has_work:
            return
        when = origin.turn_at
        if origin.queued_at is not None and origin.queued_at <= when:
            return
        if origin.gate.in_flight >= self._in_flight:
            origin.queued_at = 0.0
            origin.gate.waiting.append(origin)
            return
        origin.queued_at = when  # an entry for a later time, if there is one, is passed over
        heapq.heappush(self._heap, (when, next(self._order), origin))

    def take(self, now: float) -> Origin | None:
        """Remove and return the first origin whose time came by ``now``.

        Its time may have changed while it waited: see ``may_begin``.
        """
        while self._heap and self._heap[0][0] <= now:
            when, _, origin = heapq.heappop(self._heap)
            if when != origin.queued_at:
                continue
            origin.queued_at = None
            return origin
        return None

    def may_begin(self, origin: Origin, now: float) -> bool:
        """Tell an origin that may be asked at ``now`` from one that has to wait again."""
        return origin.turn_at <= now and origin.gate.in_flight < self._in_flight

    def begin(self, origin: Origin, now: float) -> None:
        """A request of the origin is on its way; where several may be, the next waits too."""
        origin.in_flight += 1
        origin.gate.in_flight += 1
        origin.ready_at = max(origin.ready_at, now + origin.pace.interval)

    def withdraw(self, origin: Origin, ready_at: float, now: float) -> None:
        """A request that began at ``now`` was never sent: its pause is none.

        ``ready_at`` is when the origin might have been asked before. What was learned of it
        meanwhile stays.
        """
        if origin.ready_at == now + origin.pace.interval:
            origin.ready_at = ready_at

    def end(self, origin: Origin) -> list[Origin]:
        """End a request of the origin; returns the others that waited for that."""
        origin.in_flight -= 1
        origin.gate.in_flight -= 1
        waiting, origin.gate.waiting = origin.gate.waiting, []
        for each in waiting:
            each.queued_at = None
        return [each for each in waiting if each is not origin]

    @property
    def next_ready_at(self) -> float | None:
        """When the first origin in the line may be asked; None when nobody waits."""
        return self._heap[0][0] if self._heap else None

    def __len__(self) -> int:
        return len(self._heap)
