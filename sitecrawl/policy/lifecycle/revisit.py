"""Revisit schedule: the due time of a URL as a pure function of its last visit."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from sitecrawl.policy.lifecycle.change_rate import FIRST_INTERVAL, PRIOR_RATE, interval_at
from sitecrawl.policy.outcomes import PLACEHOLDERS, Outcome

HOUR = 3600.0
DAY = 24 * HOUR
SHORTEST_BY_RATE = DAY

STILL_WAITING = frozenset(
    {
        *(Outcome.DATABASE_ERROR, Outcome.CANCELLED, Outcome.LEASE_LOST),
        *(Outcome.BLOCKED_BY_ROBOTS_TXT, Outcome.BLOCKED_URL_BY_LOCAL_POLICY),
        *(Outcome.RATE_LIMITED, Outcome.CONNECTION_FAILED, Outcome.REQUEST_TIMEOUT),
    }
)
REFUSED = frozenset({Outcome.SERVER_BLAMED_CLIENT, Outcome.NOT_ACCEPTABLE})
BROKEN = frozenset({Outcome.SERVER_INTERNAL_ERROR, Outcome.DID_NOT_UNDERSTAND_ANSWER})
WITH_CONTENT = frozenset({Outcome.FILE_INGESTED, Outcome.FILE_DID_NOT_CHANGE, Outcome.DUPLICATE})
FAILED = (
    REFUSED
    | BROKEN
    | PLACEHOLDERS
    | {
        *(Outcome.FILE_GONE, Outcome.FILE_NOT_FOUND, Outcome.TOO_LARGE),
        *(Outcome.RATE_LIMITED, Outcome.CONNECTION_FAILED, Outcome.REQUEST_TIMEOUT),
    }
)
LASTING = BROKEN | {Outcome.TOO_LARGE, Outcome.CONNECTION_FAILED, Outcome.REQUEST_TIMEOUT}
"""Failures that may count against an origin's failure budget."""


class Age(IntEnum):
    """Option that determines when a URL is due, applied by each run. The numbers are stored."""

    NONE = 0
    PAGE = 1
    REFUSED = 2
    BROKEN = 3
    PERMANENT = 4


class Revisit(NamedTuple):
    """Revisit ages, in seconds.

    ``interval`` is the age of an ordinary page; with ``by_rate`` that of each page follows from its
    rate of change. ``minimum`` and ``maximum`` bound an Expires header and that age. Client errors
    wait ``refused``, server errors ``broken``; with ``blacklist`` every failed URL waits until a
    person retries it.
    """

    interval: float = FIRST_INTERVAL
    minimum: float = HOUR
    maximum: float = 30 * DAY
    by_rate: bool = False
    refused: float = 30 * DAY
    broken: float = DAY
    blacklist: bool = False

    @property
    def ages(self) -> dict[Age, float]:
        """The seconds between two visits, by kind of age."""
        return {
            Age.NONE: 0.0,
            Age.PAGE: self.interval,
            Age.REFUSED: self.refused,
            Age.BROKEN: self.broken,
            Age.PERMANENT: max(self.interval, self.maximum),
        }

    @property
    def shortest(self) -> float:
        """The least age by rate: the runs of most crawls are a day apart."""
        return min(max(self.minimum, SHORTEST_BY_RATE), self.maximum)

    def age_of(self, age: Age, rate: float | None) -> float:
        """Return the seconds between two visits of a page with a rate of change, None if unknown."""
        if age is not Age.PAGE or not self.by_rate:
            return self.ages[age]
        return min(max(interval_at(rate or PRIOR_RATE), self.shortest), self.maximum)


class Visited(NamedTuple):
    """Input of the schedule: one visit; times are UTC epoch seconds.

    ``awaits`` is True while a disappearance awaits confirmation, or a wall hides known content;
    ``wanted`` for a start URL, which is tried in every run until it works. ``not_before`` is the
    earliest next visit that the response allows (Retry-After).
    """

    outcome: Outcome
    at: float
    expires_at: float | None = None
    awaits: bool = False
    wanted: bool = False
    not_before: float | None = None


class NextVisit(NamedTuple):
    """Due time of a URL, in UTC epoch seconds; None if it is not scheduled.

    With an ``age`` other than NONE, ``at`` is the time of the visit, and the URL is due once that
    is older than the option of the current run: a changed option takes effect at once.
    """

    at: float | None
    age: Age = Age.NONE


def next_visit(rule: Revisit, visited: Visited) -> NextVisit:
    """Return the due time after this visit."""
    found = _by_outcome(rule, visited)
    if found.at is None or found.age is not Age.NONE or visited.not_before is None:
        return found
    return NextVisit(max(found.at, visited.not_before))


def _by_outcome(rule: Revisit, visited: Visited) -> NextVisit:
    outcome, at = visited.outcome, visited.at
    if rule.blacklist and outcome in FAILED:
        return NextVisit(None)
    if outcome in (Outcome.FILE_GONE, Outcome.PERMANENT_REDIRECT):
        return NextVisit(at, Age.PERMANENT)
    is_asked = outcome in STILL_WAITING or outcome is Outcome.NOTHING_NEW
    if visited.awaits or is_asked or (visited.wanted and outcome in FAILED):
        return NextVisit(at)
    if outcome in REFUSED:
        return NextVisit(at, Age.REFUSED)
    if outcome in BROKEN | PLACEHOLDERS:
        return NextVisit(at, Age.BROKEN)
    if outcome in WITH_CONTENT and visited.expires_at is not None:
        ahead = visited.expires_at - at
        if ahead > 0:  # a past date says nothing
            return NextVisit(at + min(max(ahead, rule.minimum), rule.maximum))
    return NextVisit(at, Age.PAGE)
