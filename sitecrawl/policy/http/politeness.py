"""Politeness: the pause of an origin after each response, and a receipt of what was kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import exp2, log2
from typing import NamedTuple

MAX_CRAWL_DELAY = 120.0  # seconds
MAX_ADAPTIVE_DELAY = 120.0  # seconds
MAX_RETRY_AFTER = 7 * 86400.0  # seconds; a longer wait is taken for a server's mistake
DEFAULT_MAX_WAIT = 600.0  # seconds
FIRST_POLITENESS = 2
ANSWERS_PER_STEP = 5
MIN_BACKOFF = 2.0  # seconds; minimum of the first pause after a 429
RECOVERY = 0.95  # factor of the back-off per good response; 14 of them halve it
RECOVERED = 0.01  # seconds


MAX_PAUSES = 10
"""Overloads of which a receipt keeps the pause that followed."""
STEPS = 8
"""Steps of the histogram of gaps for each doubling: the median is exact to 5 %."""
SHORTEST = 0.001  # seconds


@dataclass(slots=True)
class Pace:
    """Pace of the requests to one origin; times are seconds.

    ``delay`` is the configured pause; ``crawl_delay``, from robots.txt, replaces it. Politeness
    ``level`` makes the pause at least last response time x 2^level, and falls by one after every
    few good responses.

    ``backoff`` is the pause after the origin reported overload (429, 503 with Retry-After), as in
    congestion control (RFC 5681, 3.1): it doubles at once; good responses halve it down to
    ``threshold``, twice the pause at which the overload began, and below that lower it by a
    twentieth each. It is 0 without overload.

    ``unavailable_urls`` asked for a wait above ``max_wait`` since the last good response; ``good``
    counts the good responses since the last failure.
    """

    delay: float = 1.0
    crawl_delay: float | None = None
    level: int = FIRST_POLITENESS
    max_wait: float = DEFAULT_MAX_WAIT
    good: int = 0
    backoff: float = 0.0
    threshold: float = 0.0
    ended_at: float = 0.0
    unavailable_urls: set[str] = field(default_factory=set)

    @property
    def promised(self) -> float:
        """The minimum pause, however fast the origin responds."""
        if self.crawl_delay is None:
            return self.delay
        return min(self.crawl_delay, MAX_CRAWL_DELAY)

    @property
    def interval(self) -> float:
        """The minimum time between the starts of two requests, if several may be in flight."""
        return max(self.promised, self.backoff)

    def learn(self, crawl_delay: float | None) -> float:
        """Apply the Crawl-delay of robots.txt; return the time of the next request.

        The last response was robots.txt itself, which ended before the delay was known.
        """
        self.crawl_delay = crawl_delay
        return self.ended_at + self.promised

    def answered(self, at: float, response_time: float) -> float:
        """Record a good response that ended at ``at``; return the time of the next request."""
        self.ended_at = at
        self.good += 1
        self.unavailable_urls.clear()
        if self.level and self.good % ANSWERS_PER_STEP == 0:
            self.level -= 1
        self._recover()
        return at + self.pause(response_time)

    def failed(self, at: float, response_time: float) -> float:
        """Record a failure, which never shortens the pause; return the time of the next request."""
        self.ended_at = at
        return at + self.pause(response_time)

    def limited(self, at: float, response_time: float, retry_after: float | None = None) -> float:
        """Record a 429 or another sign of overload; return the time of the next request.

        ``retry_after`` is the requested wait in seconds, if any.
        """
        self.ended_at = at
        doubled = 2.0 * self.pause(response_time)
        if self.good or not self.backoff:  # else the overload began earlier
            self.threshold = doubled
        self.backoff = min(max(doubled, MIN_BACKOFF), max(self.promised, MAX_ADAPTIVE_DELAY))
        self.good = 0
        return at + max(self.pause(response_time), min(retry_after or 0.0, MAX_RETRY_AFTER))

    def unavailable(self, at: float, response_time: float, retry_after: float, url: str) -> float:
        """Record the 503 with Retry-After of one URL; return the time of the next request.

        A wait above ``max_wait`` may concern that page alone: the origin pauses for it once another
        URL asks for one too.
        """
        if retry_after > self.max_wait:
            self.unavailable_urls.add(url)
            if len(self.unavailable_urls) < 2:
                retry_after = 0.0
        return self.limited(at, response_time, retry_after)

    def pause(self, response_time: float) -> float:
        """Return the pause after a response that took ``response_time``."""
        adaptive = max(response_time * 2.0**self.level, self.backoff)
        return max(self.promised, min(adaptive, MAX_ADAPTIVE_DELAY))

    def cause(self, pause: float) -> str:
        """Return the cause of a pause: ``overload``, ``slow_answers``, ``crawl_delay``, ``delay``.

        A pause above the promised one comes from the origin's own responses.
        """
        if pause > self.promised + RECOVERED:
            return "overload" if self.backoff else "slow_answers"
        return "delay" if self.crawl_delay is None else "crawl_delay"

    def _recover(self) -> None:
        if self.backoff > self.threshold:
            self.backoff = max(self.backoff / 2.0, self.threshold)
        else:
            self.backoff *= RECOVERY
        if self.backoff <= max(self.promised, RECOVERED):
            self.backoff = self.threshold = 0.0


class Pause(NamedTuple):
    """Pause after an answer 429 or 503: when it came, what it asked for, what was waited.

    ``at`` is in UTC epoch seconds, ``asked`` the Retry-After in seconds, ``waited`` the seconds from
    that request to the next; None if nothing was asked for, or nothing followed.
    """

    at: float
    status: int
    asked: float | None
    waited: float | None


class ReceiptSummary(NamedTuple):
    """A receipt as it is stored.

    ``smallest`` and ``median`` are of the gaps between the beginnings of requests, in seconds,
    ``spare`` is the smallest difference between a gap and the pause promised for it; None before
    the second request.
    """

    requests: int
    promised: float
    smallest: float | None
    median: float | None
    spare: float | None
    limited: int
    unavailable: int
    pauses: tuple[Pause, ...]


@dataclass(slots=True)
class Receipt:
    """Requests to one origin by one worker in one run; times are seconds of a monotonic clock.

    ``promised`` is the pause promised last. Its size does not depend on the number of requests.
    """

    requests: int = 0
    limited: int = 0
    unavailable: int = 0
    promised: float = 0.0
    pauses: list[Pause] = field(default_factory=list)
    _last: float | None = None
    _awaits_pause: bool = False
    _smallest: float = float("inf")
    _spare: float = float("inf")
    _steps: Counter[int] = field(default_factory=Counter)

    def sent(self, now: float, promised: float) -> None:
        """Count a request that begins at ``now``, for which ``promised`` is the pause to keep."""
        if self._last is not None:
            gap = now - self._last
            self._smallest = min(self._smallest, gap)
            self._spare = min(self._spare, gap - promised)
            self._steps[round(STEPS * log2(max(gap, SHORTEST)))] += 1
            if self._awaits_pause:
                self.pauses[-1] = self.pauses[-1]._replace(waited=gap)
        self.requests += 1
        self.promised = promised
        self._last, self._awaits_pause = now, False

    def overloaded(self, status: int, asked: float | None, at: float) -> None:
        """Count a 429 or 503; the next request shows the pause that follows."""
        if status == 429:
            self.limited += 1
        else:
            self.unavailable += 1
        if len(self.pauses) < MAX_PAUSES:
            self.pauses.append(Pause(at, status, asked, None))
            self._awaits_pause = True

    def summary(self) -> ReceiptSummary:
        """Return the counts so far."""
        known = bool(self._steps)
        return ReceiptSummary(
            requests=self.requests,
            promised=self.promised,
            smallest=self._smallest if known else None,
            median=self._median() if known else None,
            spare=self._spare if known else None,
            limited=self.limited,
            unavailable=self.unavailable,
            pauses=tuple(self.pauses),
        )

    def _median(self) -> float:
        half, seen, step = (self._steps.total() + 1) // 2, 0, 0
        for step in sorted(self._steps):
            seen += self._steps[step]
            if seen >= half:
                break
        return max(exp2(step / STEPS), self._smallest)
