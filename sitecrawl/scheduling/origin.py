"""One origin that this worker crawls: its phase, its pace, and what waits to be sent.

Phases of an origin (``OriginPhase``), which only its methods change::

    UNLEASED --lease_asked--> LEASE_ASKED --lease_denied--> LEASED_ELSEWHERE
       |                           |                               |
       +---------------------------+--------lease_acquired---------+
       v
    ACTIVE --begin_refill--> REFILLING --exhausted--> EXHAUSTED --rest--> UNLEASED
       ^                         |                        |
       +--------refilled---------+-------work_found-------+

    work_found: REFILLING -> REFILLING_AGAIN, after which it is ACTIVE in any case
    give_up: REFILLING -> GIVING_UP until the refill has ended, others -> GIVEN_UP
    forgive: GIVEN_UP -> UNLEASED
    hand_over: ACTIVE, EXHAUSTED -> LEAVING, which ends with ``rest``, or with ``stay`` (-> ACTIVE)

``TRANSITIONS`` lists them all; any other raises ``IllegalTransitionError``. Visits and requests in
flight are counted apart from the phase: they may begin in one phase and end in another.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.answers import FailureBudget
from sitecrawl.policy.http.politeness import Pace, Receipt
from sitecrawl.web.robots.robots_txt import RobotsTxt


class OriginPhase(Enum):
    """Phase of an origin: its lease, and the work that is due under it."""

    UNLEASED = auto()
    """No lease is known to be ours, and nothing is known to be due."""
    LEASE_ASKED = auto()
    """The crawl database was asked for the lease, and for the address if that has the pace."""
    LEASED_ELSEWHERE = auto()
    """Another worker has the lease; nothing is sent."""
    ACTIVE = auto()
    """The crawl database may have more URLs due."""
    REFILLING = auto()
    """The crawl database was asked for URLs that are due."""
    REFILLING_AGAIN = auto()
    """It was asked, and has got more URLs since."""
    EXHAUSTED = auto()
    """The crawl database had nothing due when last asked; only retries are left."""
    GIVING_UP = auto()
    """Nothing more is sent in this run; the crawl database is still to answer."""
    GIVEN_UP = auto()
    """Nothing more is sent in this run."""
    LEAVING = auto()
    """Another worker gets the origin once the requests that have begun have ended."""


_UNLEASED, _ASKED, _ELSEWHERE, _ACTIVE, _REFILLING, _AGAIN = list(OriginPhase)[:6]
_EXHAUSTED, _GIVING_UP, _GIVEN_UP, _LEAVING = list(OriginPhase)[6:]
_RESTING = (_UNLEASED, _ELSEWHERE, _EXHAUSTED, _LEAVING)

TRANSITIONS: Mapping[str, Mapping[OriginPhase, OriginPhase]] = {
    "lease_asked": dict.fromkeys((*_RESTING, _ASKED, _ACTIVE), _ASKED),
    "lease_acquired": {
        **dict.fromkeys((*_RESTING, _ASKED, _ACTIVE), _ACTIVE),
        _REFILLING: _REFILLING,
        _AGAIN: _AGAIN,
    },
    "lease_denied": {_ASKED: _ELSEWHERE},
    "work_found": {_EXHAUSTED: _ACTIVE, _REFILLING: _AGAIN, _AGAIN: _AGAIN},
    "begin_refill": {_ACTIVE: _REFILLING},
    "refilled": {_REFILLING: _ACTIVE, _AGAIN: _ACTIVE, _GIVING_UP: _GIVEN_UP},
    "exhausted": {_REFILLING: _EXHAUSTED, _AGAIN: _ACTIVE, _GIVING_UP: _GIVEN_UP},
    "hand_over": dict.fromkeys((_ACTIVE, _EXHAUSTED), _LEAVING),
    "stay": {_LEAVING: _ACTIVE},
    "give_up": {
        **dict.fromkeys((*_RESTING, _ASKED, _ACTIVE), _GIVEN_UP),
        _REFILLING: _GIVING_UP,
        _AGAIN: _GIVING_UP,
    },
    "forgive": {_GIVEN_UP: _UNLEASED},
    "rest": {**dict.fromkeys(_RESTING, _UNLEASED), _GIVEN_UP: _GIVEN_UP},
}
"""For each transition: the phases in which it is allowed, and the phase that follows each."""


class IllegalTransitionError(RuntimeError):
    """A transition that the current phase does not allow, which is a bug."""


@dataclass(slots=True)
class RobotsFile:
    """An origin's robots.txt as last read. Times are seconds of the event loop's clock.

    ``body`` is None until the file was read; ``url`` is to be requested next. ``rules`` are parsed
    from the body when needed, and take ten times its memory: an idle origin has none. ``is_asked``
    is set while a request for the file is queued or in flight.
    """

    origin: str
    url: str = field(init=False)
    rules: RobotsTxt | None = None
    body: bytes | None = None
    status: int | None = None
    expires_at: float = 0.0
    redirects: int = 0
    failures: int = 0
    is_asked: bool = False

    def __post_init__(self) -> None:
        self.url = self.own_url

    @property
    def own_url(self) -> str:
        """URL of the file on its origin, even if that redirects elsewhere."""
        return f"{self.origin}/robots.txt"

    @property
    def is_steady(self) -> bool:
        """True unless a request, a redirect or a failure is under way."""
        return not (self.is_asked or self.redirects or self.failures)

    def redirected(self, url: str, status: int) -> None:
        """Request ``url`` next, the target of a redirect."""
        self.is_asked = False
        self.url, self.status = url, status
        self.redirects += 1

    def read(self, body: bytes, status: int) -> None:
        """Store the file that was read; empty if the origin has none."""
        self._ended(status)
        self.body, self.rules, self.failures = body, None, 0

    def unreachable(self, status: int | None) -> None:
        """Count a failure; the file that was read earlier stays in force."""
        self.is_asked, self.status = False, status
        self.failures += 1

    def cancel(self) -> None:
        """End a request that was not sent."""
        self._ended(self.status)

    def _ended(self, status: int | None) -> None:
        self.is_asked, self.status = False, status
        self.url, self.redirects = self.own_url, 0


@dataclass(slots=True, eq=False)
class PacingSlot:
    """Slot of requests that share one pace: those of an origin, or of an address.

    ``ready_at`` is in seconds of the event loop's clock; ``waiting`` holds the origins that wait
    for a request of the slot to end.
    """

    ready_at: float
    in_flight: int = 0
    waiting: list[Origin] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Origin:
    """One origin. Times are seconds of the event loop's clock.

    ``slot`` is shared by origins on one address if the pace is kept by address; ``holds_lease``
    tells whether a request may be sent now. ``given_up`` is the readable reason why nothing more is
    sent in this run, with the word of the reason beside it. Nothing is sent while a file about the
    use of pages is requested (``awaits_terms``), and only its steps during a login.

    ``adhoc_requests`` are requests that are not visits, ``urgent_requests`` come before all others, and
    the heap ``retries`` after all else that is due. ``open_visits`` counts the visits that have begun
    and are not committed yet, ``queued_at`` is the time for which the origin is in the ready queue,
    None while it is not. By fingerprint, for URLs whose visit has not ended: ``retry_count`` counts
    the retries, ``alternate_url`` has the other spelling to which they redirected.
    """

    loaded: OriginState
    pace: Pace
    failure_budget: FailureBudget
    robots: RobotsFile
    slot: PacingSlot
    holds_lease: Callable[[], bool]
    receipt: Receipt = field(default_factory=Receipt)
    phase: OriginPhase = OriginPhase.UNLEASED
    given_up: str = ""
    given_up_reason: str = ""
    awaits_terms: bool = False
    awaits_login: bool = False
    todo: deque[DueUrl] = field(default_factory=deque)
    retries: list[tuple[float, int, DueUrl | Request]] = field(default_factory=list)
    retries_made: int = 0
    adhoc_requests: deque[Request] = field(default_factory=deque)
    urgent_requests: deque[Request] = field(default_factory=deque)
    in_flight: int = 0
    retry_count: Counter[int] = field(default_factory=Counter)
    alternate_url: dict[int, str] = field(default_factory=dict)
    open_visits: int = 0
    queued_at: float | None = None
    handed_over_at: float = float("-inf")

    @property
    def key(self) -> str:
        """Scheme, host and port, as in ``https://example.org``."""
        return self.loaded.key

    @property
    def ready_at(self) -> float:
        """Time from which the origin may be requested."""
        return self.slot.ready_at

    @property
    def turn_at(self) -> float:
        """Time of its turn: at once if it is given up, as nothing will be sent then."""
        if self.given_up:
            return 0.0
        if self.retries and not (self.todo or self.adhoc_requests or self.urgent_requests):
            return max(self.slot.ready_at, self.retries[0][0])
        return self.slot.ready_at

    @property
    def awaits_lease(self) -> bool:
        """True if the lease was asked for, or another worker has it."""
        return self.phase in (OriginPhase.LEASE_ASKED, OriginPhase.LEASED_ELSEWHERE)

    @property
    def has_work(self) -> bool:
        """True if the origin has something to send when its turn comes."""
        if self.awaits_lease or self.awaits_terms:
            return False
        if self.urgent_requests:
            return True
        if self.robots.is_asked or self.awaits_login:
            return False
        return bool(self.adhoc_requests or (self._has_due and not self.given_up))

    @property
    def is_done(self) -> bool:
        """True if nothing is queued, in flight or uncommitted."""
        waiting = self.adhoc_requests or self.urgent_requests or self.in_flight or self.open_visits
        if waiting or self.phase not in TRANSITIONS["rest"]:
            return False
        return bool(self.given_up or not self._has_due)

    @property
    def is_idle(self) -> bool:
        """True if no URL is queued, in flight or uncommitted."""
        return not (self.todo or self.in_flight or self.open_visits)

    @property
    def _has_due(self) -> bool:
        return bool(self.todo or (self.retries and not self._may_have_more))

    @property
    def _may_have_more(self) -> bool:
        return self.is_refilling or self.phase is OriginPhase.ACTIVE

    @property
    def is_refilling(self) -> bool:
        """True while the crawl database is asked for URLs that are due."""
        return self.phase in (OriginPhase.REFILLING, OriginPhase.REFILLING_AGAIN)

    @property
    def is_new_start(self) -> bool:
        """True if it has never answered, and a start or listing of the user waits for it."""
        loaded, known = self.loaded, self.robots.body is not None
        if known or loaded.robots_status is not None or loaded.robots_text is not None:
            return False
        return bool(self.adhoc_requests) or any(each.via == "seed" for each in self.todo)

    def wants_refill(self, below: int) -> bool:
        """Return True for an active origin with fewer URLs than ``below``."""
        return len(self.todo) < below and self.phase is OriginPhase.ACTIVE

    # Lease

    def lease_asked(self) -> None:
        """Wait for the lease. The due URLs stay, as a lease that expired unnoticed may go on."""
        self._move("lease_asked")

    def lease_acquired(self, now: float, *, handed_over: bool = False) -> None:
        """Start to work under a lease, at ``now``."""
        if not self.given_up:
            self._move("lease_acquired")
        self.handed_over_at = now if handed_over else float("-inf")

    def lease_denied(self) -> None:
        """Leave the origin to another worker for now, with its due URLs."""
        if self.phase is OriginPhase.LEASE_ASKED:
            self._move("lease_denied")
        self.drop_due()

    def may_be_handed_over(self, received_before: float) -> bool:
        """Return True if nothing would be lost: no failures, retries or requests but pages.

        An origin that was handed over itself stays until it has been here since ``received_before``.
        """
        requests = self.adhoc_requests or self.urgent_requests or self.awaits_login
        failures = self.retries or self.retry_count or self.failure_budget.is_charged
        if requests or failures or self.pace.backoff or not self.robots.is_steady:
            return False
        if self.handed_over_at > received_before:
            return False
        return self.phase in (OriginPhase.ACTIVE, OriginPhase.EXHAUSTED)

    @property
    def is_leaving(self) -> bool:
        """True if another worker gets the origin next."""
        return self.phase is OriginPhase.LEAVING

    def hand_over(self) -> None:
        """Leave the due URLs to another worker once the requests that have begun have ended."""
        self._move("hand_over")
        self.drop_due()

    # Work

    def work_found(self) -> None:
        """Ask the crawl database again, as URLs of the origin may be due by now."""
        if self.phase in TRANSITIONS["work_found"]:
            self._move("work_found")

    def begin_refill(self) -> None:
        """Start to fetch URLs from the crawl database; the next refill follows ``refilled``."""
        self._move("begin_refill")

    def refilled(self, dues: Iterable[DueUrl], *, exhausted: bool) -> None:
        """End a refill; ``exhausted``: the crawl database had nothing."""
        self._move("exhausted" if exhausted else "refilled")
        self.todo.extend(dues)

    def give_up(self, words: str, reason: str = "") -> None:
        """Send nothing more in this run, for a reason of one word and in readable form."""
        if not self.given_up:
            self._move("give_up")
            self.given_up, self.given_up_reason = words, reason

    def forgive(self, pace: Pace, budget: FailureBudget) -> None:
        """Forget all failures, as another run does."""
        if self.given_up:
            self._move("forgive")
        self.given_up = self.given_up_reason = ""
        self.pace = replace(pace, crawl_delay=self.pace.crawl_delay, ended_at=self.pace.ended_at)
        self.failure_budget = budget
        self.robots.failures = 0
        self.retry_count.clear()

    def rest(self) -> None:
        """Free what can be built again, as very many origins may be idle."""
        self._move("rest")
        self.robots.rules = None

    def _move(self, transition: str) -> None:
        following = TRANSITIONS[transition].get(self.phase)
        if following is None:
            raise IllegalTransitionError(f"{self.key}: {transition} while {self.phase.name}")
        self.phase = following

    # Requests that wait

    def enqueue(self, request: Request) -> None:
        """Queue a request that is not a visit, by its priority."""
        insort(self.adhoc_requests, request, key=lambda each: -each.priority)

    def retry_at(self, entry: DueUrl | Request, ready_at: float) -> None:
        """Queue a URL or request for a retry from ``ready_at`` on, after all that is due.

        The URLs are also stored as due in the crawl database.
        """
        if self.is_leaving:
            self._move("stay")
        self.retries_made += 1  # entries of one time stay in their order
        heapq.heappush(self.retries, (ready_at, self.retries_made, entry))

    def pop_due(self, now: float) -> DueUrl | Request | None:
        """Remove and return the URL to visit next: one that is due, else a retry."""
        if self.todo:
            return self.todo.popleft()
        if self._may_have_more or not self.retries or self.retries[0][0] > now:
            return None
        return heapq.heappop(self.retries)[2]

    def drop_due(self) -> None:
        """Leave the due URLs to the next worker; other requests stay until they fail."""
        self.todo.clear()
        self.adhoc_requests.extend(each for *_, each in self.retries if isinstance(each, Request))
        self.retries.clear()

    # Pace

    def postpone(self, ready_at: float) -> None:
        """Send nothing before ``ready_at``; never shorten an earlier delay."""
        self.slot.ready_at = max(self.slot.ready_at, ready_at)

    def request_sent(self, now: float) -> None:
        """Count a request in flight; with several at a time, delay the next one too."""
        self.in_flight += 1
        self.slot.in_flight += 1
        self.postpone(now + self.pace.interval)

    def request_withdrawn(self, ready_at: float, now: float) -> None:
        """Undo the delay after a request that began at ``now`` and was never sent.

        ``ready_at`` is the time that applied before. What was learned about the origin meanwhile is
        kept.
        """
        if self.ready_at == now + self.pace.interval:
            self.slot.ready_at = ready_at

    def request_ended(self) -> list[Origin]:
        """Subtract an ended request; return the origins that waited for it in the slot."""
        self.in_flight -= 1
        self.slot.in_flight -= 1
        waiting, self.slot.waiting = self.slot.waiting, []
        for each in waiting:
            each.queued_at = None
        return waiting

    @property
    def last_pause(self) -> float:
        """Seconds between the end of the last response and the next request."""
        if not self.pace.ended_at:
            return self.pace.promised
        return max(self.pace.promised, self.ready_at - self.pace.ended_at)

    def stored(self, loop_now: float, now: float) -> OriginState:
        """Return the state to store; ``now`` is the moment ``loop_now`` in UTC epoch seconds.

        A robots.txt that could not be read has no text and an expiry that is not zero.
        """
        ready_at = now + self.ready_at - loop_now
        body = self.robots.body
        loaded = replace(self.loaded, robots_read=body is not None)
        if body is None and not self.robots.failures:
            return replace(loaded, ready_at=ready_at, receipt=self.receipt.summary())
        return replace(
            loaded,
            robots_text=None if body is None else body.decode("utf-8", "replace"),
            robots_status=self.robots.status,
            robots_expires_at=now + max(0.0, self.robots.expires_at - loop_now),
            delay=self.pace.crawl_delay,
            ready_at=ready_at,
            receipt=self.receipt.summary(),
        )
