"""Politeness receipt: the requests to one origin, measured against the promised pace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import exp2, log2
from typing import NamedTuple

MAX_PAUSES = 10
"""Overloads of which a receipt keeps the pause that followed."""
STEPS = 8
"""Steps of the histogram of gaps for each doubling: the median is exact to 5 %."""
SHORTEST = 0.001  # seconds


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
