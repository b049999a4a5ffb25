"""One origin that this worker crawls, and all changes of its state.

Only this file changes an origin: other modules call its methods and assign nothing.

Phases of an origin (``OriginPhase``)::

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

``TRANSITIONS`` lists them all; any other raises ``IllegalTransitionError``.

Phases of its robots.txt (``RobotsPhase``)::

    UNREAD ---ask---> ASKED ---read---------> READ --------ask (expired)--> ASKED
       <----cancel------+
                        +-----unreachable---> UNREACHABLE --ask (later)---> ASKED
                        +-----redirect------> REDIRECTED ---ask-----------> ASKED

Visits and requests in flight are counted apart from the phase: they may begin in one phase and end
in another.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from itertools import count
from typing import NamedTuple

from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.failure_budget import FailureBudget
from sitecrawl.policy.http.politeness import Pace, Receipt
from sitecrawl.transitions import following
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


class Hold(Flag):
    """Reasons for which an origin sends nothing yet; kept apart from the phase, as each begins in one
    phase and ends in another, and several may hold at once."""

    FREE = 0
    TERMS = auto()
    """A file about the use of its pages is requested."""
    LOGIN = auto()
    """A login is under way: only its steps are sent."""


class RobotsPhase(Enum):
    """Phase of an origin's robots.txt."""

    UNREAD = auto()
    ASKED = auto()
    REDIRECTED = auto()
    READ = auto()
    UNREACHABLE = auto()


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

ROBOTS_TRANSITIONS: Mapping[str, Mapping[RobotsPhase, RobotsPhase]] = {
    "cancel": {RobotsPhase.ASKED: RobotsPhase.UNREAD},
    "ask": {phase: RobotsPhase.ASKED for phase in RobotsPhase if phase is not RobotsPhase.ASKED},
    "redirect": {RobotsPhase.ASKED: RobotsPhase.REDIRECTED},
    "read": {RobotsPhase.ASKED: RobotsPhase.READ},
    "unreachable": {RobotsPhase.ASKED: RobotsPhase.UNREACHABLE},
}
"""For each transition of a robots.txt: the same."""


_STEADY = frozenset({RobotsPhase.UNREAD, RobotsPhase.READ})


@dataclass(slots=True)
class RobotsFile:
    """An origin's robots.txt as last read. Times are seconds of the event loop's clock.

    ``body`` is None until the file was read; ``url`` is to be requested next. ``rules`` are parsed
    from the body when needed, and take ten times its memory: an idle origin has none.
    """

    origin: str
    url: str = field(init=False)
    rules: RobotsTxt | None = None
    body: bytes | None = None
    status: int | None = None
    expires_at: float = 0.0
    redirects: int = 0
    failures: int = 0
    phase: RobotsPhase = RobotsPhase.UNREAD

    def __post_init__(self) -> None:
        self.url = self.own_url

    @property
    def own_url(self) -> str:
        """URL of the file on its origin, even if that redirects elsewhere."""
        return f"{self.origin}/robots.txt"

    @property
    def is_asked(self) -> bool:
        """True while a request for the file is queued or in flight."""
        return self.phase is RobotsPhase.ASKED

    def take_over(self, body: bytes, status: int | None, expires_at: float) -> None:
        """Store the file that another worker of this run has read."""
        self._move("ask")
        self.read(body, status or 200)
        self.expires_at = expires_at

    def ask(self) -> None:
        """Start a request for the file."""
        self._move("ask")

    def redirect(self, url: str, status: int) -> None:
        """Request ``url`` next, the target of a redirect."""
        self._move("redirect")
        self.url, self.status = url, status
        self.redirects += 1

    def read(self, body: bytes, status: int) -> None:
        """Store the file that was read; empty if the origin has none."""
        self._move("read")
        self.body, self.status, self.rules = body, status, None
        self.url = self.own_url
        self.redirects = self.failures = 0

    def unreachable(self, status: int | None) -> None:
        """Count a failure; the file that was read earlier stays in force."""
        self._move("unreachable")
        self.status = status
        self.failures += 1

    def cancel(self) -> None:
        """End a request that was not sent."""
        self._move("cancel")
        self.url, self.redirects = self.own_url, 0

    def blocked(self) -> None:
        """End a request that a rule of the crawl did not allow."""
        self._move("unreachable")
        self.status = None

    def keep_rules(self, rules: RobotsTxt) -> None:
        """Keep the rules that were parsed from the body."""
        self.rules = rules

    def expire_at(self, when: float) -> None:
        """Let the file expire at ``when``."""
        self.expires_at = when

    def _move(self, transition: str) -> None:
        self.phase = following(ROBOTS_TRANSITIONS, transition, self.phase, self.own_url)


@dataclass(slots=True, eq=False)
class PacingSlot:
    """Slot of requests that share one pace: those of an origin, or of an address.

    ``ready_at`` is in seconds of the event loop's clock; ``waiting`` holds the origins that wait
    for a request of the slot to end.
    """

    ready_at: float
    in_flight: int = 0
    waiting: list[Origin] = field(default_factory=list)

    def postpone(self, ready_at: float) -> None:
        """Send nothing before ``ready_at``; never shorten an earlier delay."""
        self.ready_at = max(self.ready_at, ready_at)


class RetryQueue:
    """URLs and other requests to be retried in this run, ordered by the time of the retry.

    Times are of the event loop's clock. The URLs are also stored as due in the crawl database.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, DueUrl | Request]] = []
        self._order = count()

    def push(self, entry: DueUrl | Request, ready_at: float) -> None:
        """Queue an entry for a retry at ``ready_at``."""
        heapq.heappush(self._heap, (ready_at, next(self._order), entry))

    def pop(self, now: float) -> DueUrl | Request | None:
        """Remove and return the first entry that may be retried at ``now``."""
        if not self._heap or self._heap[0][0] > now:
            return None
        return heapq.heappop(self._heap)[2]

    def drain(self) -> list[DueUrl | Request]:
        """Remove and return all entries, in no particular order."""
        entries = [entry for _, _, entry in self._heap]
        self._heap.clear()
        return entries

    @property
    def ready_at(self) -> float:
        """Time of the first retry; raises IndexError if there is none."""
        return self._heap[0][0]

    def __len__(self) -> int:
        return len(self._heap)


class GivenUp(NamedTuple):
    """Why an origin was given up: in readable form, and the reason in one word, if there is one."""

    words: str
    reason: str = ""


@dataclass(slots=True, eq=False)
class Origin:
    """One origin: its phase, its prefetched URLs, its pace, and what is in flight.

    ``slot`` is shared by origins on one address if the pace is kept by address.
    ``holds_lease`` tells whether a request may be sent now.
    ``adhoc_requests`` are requests that are not visits. ``urgent_requests`` are the steps of a login,
    and requests for the robots.txt of other origins, which redirect here: they do not wait for this
    origin's own, or two origins that redirect to each other would deadlock. ``retries`` come after
    all else that is due. ``open_visits`` counts the visits that have begun and are not committed yet,
    ``queued_at`` is the time for which the origin is in the ready queue, None while it is not.

    By fingerprint, for URLs whose visit has not ended: ``retry_count`` counts the retries,
    ``alternate_url`` has the other spelling to which they redirected.
    """

    loaded: OriginState
    pace: Pace
    failure_budget: FailureBudget
    robots: RobotsFile
    slot: PacingSlot
    holds_lease: Callable[[], bool]
    receipt: Receipt = field(default_factory=Receipt)
    phase: OriginPhase = OriginPhase.UNLEASED
    why: GivenUp | None = None
    holds: Hold = Hold.FREE
    todo: deque[DueUrl] = field(default_factory=deque)
    retries: RetryQueue = field(default_factory=RetryQueue)
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
    def given_up(self) -> str:
        """Readable reason why nothing more is sent in this run; empty unless it was given up."""
        return self.why.words if self.why is not None else ""

    @property
    def ready_at(self) -> float:
        """Time of the event loop's clock from which the origin may be requested."""
        return self.slot.ready_at

    @property
    def turn_at(self) -> float:
        """Time of its turn: at once if it is given up, as nothing will be sent then."""
        if self.given_up:
            return 0.0
        if self.retries and not (self.todo or self.adhoc_requests or self.urgent_requests):
            return max(self.slot.ready_at, self.retries.ready_at)
        return self.slot.ready_at

    @property
    def awaits_lease(self) -> bool:
        """True if the lease was asked for, or another worker has it."""
        return self.phase in (OriginPhase.LEASE_ASKED, OriginPhase.LEASED_ELSEWHERE)

    @property
    def has_work(self) -> bool:
        """True if the origin has something to send when its turn comes."""
        if self.awaits_lease or Hold.TERMS in self.holds:
            return False
        if self.urgent_requests:
            return True
        if self.robots.is_asked or self.holds:
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
    def begun_pages(self) -> int:
        """Number of pages that are prefetched, or visited and not committed yet."""
        return len(self.todo) + self.open_visits + len(self.retries)

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
        loaded = self.loaded
        if self.robots.body is not None or (loaded.robots_status, loaded.robots_text) != (
            None,
            None,
        ):
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
        """Start to work under a lease, at ``now`` by the event loop's clock."""
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
        special = self.adhoc_requests or self.urgent_requests or self.retries or self.retry_count
        if special or self.robots.phase not in _STEADY or self.pace.backoff:
            return False
        if self.failure_budget.is_charged or self.handed_over_at > received_before:
            return False
        if Hold.LOGIN in self.holds:
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
        if self.why is None:
            self._move("give_up")
            self.why = GivenUp(words, reason)

    def forgive(self, pace: Pace, budget: FailureBudget) -> None:
        """Forget all failures, as another run does."""
        if self.why is not None:
            self._move("forgive")
        self.why = None
        self.pace = replace(pace, crawl_delay=self.pace.crawl_delay, ended_at=self.pace.ended_at)
        self.failure_budget = budget
        self.robots.failures = 0
        self.retry_count.clear()

    def rest(self) -> None:
        """Free what can be built again, as very many origins may be idle."""
        self._move("rest")
        self.robots.rules = None

    def _move(self, transition: str) -> None:
        self.phase = following(TRANSITIONS, transition, self.phase, self.key)

    # Requests that wait

    def enqueue(self, request: Request) -> None:
        """Queue a request that is not a visit, by its priority."""
        insort(self.adhoc_requests, request, key=lambda each: -each.priority)

    def hold(self, what: Hold) -> None:
        """Send nothing before something that the origin waits for."""
        self.holds |= what

    def go_on(self, what: Hold) -> None:
        """Send requests again after what the origin has waited for, whatever came of it."""
        self.holds &= ~what

    def enqueue_urgent(self, request: Request) -> None:
        """Queue a step of a login, or a request for another origin's robots.txt, before all others."""
        self.urgent_requests.append(request)

    def retry_at(self, entry: DueUrl | Request, ready_at: float) -> None:
        """Queue a URL or request for a retry from ``ready_at`` on, after all that is due."""
        if self.is_leaving:
            self._move("stay")
        self.retries.push(entry, ready_at)

    def pop_due(self, now: float) -> DueUrl | Request | None:
        """Remove and return the URL to visit next: one that is due, else a retry."""
        if self.todo:
            return self.todo.popleft()
        return None if self._may_have_more else self.retries.pop(now)

    def drop_due(self) -> None:
        """Leave the due URLs to the next worker; other requests stay until they fail."""
        self.todo.clear()
        entries = self.retries.drain()
        self.adhoc_requests.extend(each for each in entries if isinstance(each, Request))

    # Visits

    def visit_began(self) -> None:
        """Count a visit that is not committed yet."""
        self.open_visits += 1

    def visits_committed(self, number: int) -> None:
        """Subtract visits that were committed."""
        self.open_visits -= number

    def visit_again(self, due: DueUrl) -> None:
        """Return the URL of a begun visit to the front of the queue, to restart the visit."""
        self.todo.appendleft(due)
        self.open_visits -= 1

    def use_alternate(self, fingerprint: int, url: str) -> None:
        """Visit a page under the other spelling of its URL."""
        self.alternate_url[fingerprint] = url

    def count_retry(self, fingerprint: int) -> None:
        """Count a retry of a URL."""
        self.retry_count[fingerprint] += 1

    def forget(self, fingerprint: int) -> None:
        """Discard what was kept about a URL during its visit, which has ended."""
        self.retry_count.pop(fingerprint, None)
        self.alternate_url.pop(fingerprint, None)

    # Pace

    def postpone(self, ready_at: float) -> None:
        """Send nothing before ``ready_at``; never shorten an earlier delay."""
        self.slot.postpone(ready_at)

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

    def share_slot(self, slot: PacingSlot) -> None:
        """Share the pace of the other origins of a slot from now on."""
        self.slot = slot

    def wait_in_slot(self) -> None:
        """Wait until a request of the slot has ended."""
        self.queued_at = 0.0
        self.slot.waiting.append(self)

    def queued_for(self, when: float) -> None:
        """Remember the time of its valid entry in the ready queue."""
        self.queued_at = when

    def dequeued(self) -> None:
        """Leave the ready queue."""
        self.queued_at = None

    @property
    def last_pause(self) -> float:
        """Seconds between the end of the last response and the next request."""
        if not self.pace.ended_at:
            return self.pace.promised
        return max(self.pace.promised, self.ready_at - self.pace.ended_at)

    # What is stored

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
