"""When a URL is visited again: a pure function of its last outcome and the time."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome

HOUR = 3600.0
DAY = 24 * HOUR

STILL_WAITING = frozenset(
    {
        Outcome.DATABASE_ERROR,
        Outcome.CANCELLED,
        Outcome.LEASE_LOST,
        Outcome.BLOCKED_BY_ROBOTS_TXT,
        Outcome.BLOCKED_URL_BY_LOCAL_POLICY,
        Outcome.RATE_LIMITED,
        Outcome.CONNECTION_FAILED,
        Outcome.REQUEST_TIMEOUT,
    }
)
REFUSED = frozenset({Outcome.SERVER_BLAMED_CLIENT, Outcome.NOT_ACCEPTABLE})
BROKEN = frozenset({Outcome.SERVER_INTERNAL_ERROR, Outcome.DID_NOT_UNDERSTAND_ANSWER})
WITH_CONTENT = frozenset({Outcome.FILE_INGESTED, Outcome.FILE_DID_NOT_CHANGE, Outcome.DUPLICATE})
FAILED = (
    REFUSED
    | BROKEN
    | {
        Outcome.FILE_GONE,
        Outcome.FILE_NOT_FOUND,
        Outcome.TOO_LARGE,
        Outcome.RATE_LIMITED,
        Outcome.CONNECTION_FAILED,
        Outcome.REQUEST_TIMEOUT,
    }
)
LASTING = BROKEN | {Outcome.TOO_LARGE, Outcome.CONNECTION_FAILED, Outcome.REQUEST_TIMEOUT}
"""Failures that may cost an origin's patience."""


class Age(IntEnum):
    """The option by which a URL is due again, applied when a run asks. Numbers are stored."""

    NONE = 0
    PAGE = 1
    REFUSED = 2
    BROKEN = 3
    MOVED = 4


class Revisit(NamedTuple):
    """The ages, in seconds, after which URLs are due again.

    ``interval`` is the age of an ordinary page; ``minimum`` and ``maximum`` bound what an
    Expires header or the adaptive interval may make of it. Answers that blame the client
    wait ``refused``, those that blame the server ``broken``; with ``blacklist`` whatever
    failed waits for a person's word.
    """

    interval: float = 48 * HOUR
    minimum: float = HOUR
    maximum: float = 30 * DAY
    adaptive: bool = False
    refused: float = 30 * DAY
    broken: float = DAY
    blacklist: bool = False

    @property
    def ages(self) -> dict[Age, float]:
        """The seconds from a visit to the next, for each kind of age."""
        return {
            Age.NONE: 0.0,
            Age.PAGE: self.interval,
            Age.REFUSED: self.refused,
            Age.BROKEN: self.broken,
            Age.MOVED: max(self.interval, self.maximum),
        }


class Visited(NamedTuple):
    """What the schedule needs to know of a visit; times are UTC epoch seconds.

    ``awaits`` is true while a disappearance waits for its confirmation, ``wanted`` for a
    start URL, which has to be tried in every run until it works. ``not_before`` is when the
    answer itself allows the next visit, where it says so (Retry-After).
    """

    outcome: Outcome
    at: float
    expires_at: float | None = None
    interval: float | None = None
    awaits: bool = False
    wanted: bool = False
    not_before: float | None = None


class NextVisit(NamedTuple):
    """From when a URL is due, in UTC epoch seconds; None for never of its own accord.

    With an ``age`` other than NONE ``at`` is the visit itself, and the URL is due when it is
    older than the option of the run that asks: a changed option has its effect at once.
    """

    at: float | None
    age: Age = Age.NONE


def next_visit(rule: Revisit, visited: Visited) -> NextVisit:
    """When the URL is due after this visit."""
    found = _by_outcome(rule, visited)
    if found.at is None or found.age is not Age.NONE or visited.not_before is None:
        return found
    return NextVisit(max(found.at, visited.not_before))


def _by_outcome(rule: Revisit, visited: Visited) -> NextVisit:
    outcome, at = visited.outcome, visited.at
    if outcome is Outcome.FILE_GONE or (rule.blacklist and outcome in FAILED):
        return NextVisit(None)
    if visited.awaits or outcome in STILL_WAITING or (visited.wanted and outcome in FAILED):
        return NextVisit(at)
    if outcome in REFUSED:
        return NextVisit(at, Age.REFUSED)
    if outcome in BROKEN:
        return NextVisit(at, Age.BROKEN)
    if outcome is Outcome.PERMANENT_REDIRECT:
        return NextVisit(at, Age.MOVED)
    return _after_content(rule, visited)


def _after_content(rule: Revisit, visited: Visited) -> NextVisit:
    if visited.outcome in WITH_CONTENT and visited.expires_at is not None:
        ahead = visited.expires_at - visited.at
        if ahead > 0:  # a date that has passed says nothing
            return NextVisit(visited.at + _clamped(rule, ahead))
    if rule.adaptive and visited.interval is not None:
        return NextVisit(visited.at + visited.interval)
    return NextVisit(visited.at, Age.PAGE)


def adapted(rule: Revisit, interval: float | None, *, changed: bool) -> float:
    """The adaptive interval after a visit: a half after a change, half as much again without."""
    before = rule.interval if interval is None else interval
    return _clamped(rule, before * (0.5 if changed else 1.5))


def _clamped(rule: Revisit, seconds: float) -> float:
    return min(max(seconds, rule.minimum), rule.maximum)
