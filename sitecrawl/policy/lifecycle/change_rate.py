"""Rate at which a page changes, estimated from the visits that compared it with its last text.

Changes are taken for a Poisson process. A visit shows whether a page has changed since the one before,
not how often, so the ratio of changes to time underestimates pages that change faster than they are
visited. Cho and Garcia-Molina ("Estimating frequency of change", ACM TOIT 3(3), 2003) estimate from
n visits in regular intervals I, of which X found a change: ``-log((n - X + 0.5) / (n + 0.5)) / I``.
Here I is the mean interval, and one more visit with half a change (``PRIOR_SECONDS``) stands for what
is unknown of a new page: without it a page without changes would never be due again.

The interval that follows is the square root of ``WORTH / rate``: a visit to a page that rarely
changes yields about rate * interval² / 2 seconds of a fresh copy, and visits are best spent where each
yields the same (Cho and Garcia-Molina, "Effective page refresh policies for web crawlers", ACM TODS
28(4), 2003). An interval in proportion to 1 / rate would be worse than the same one for all pages.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple, Self

DAY = 86_400.0
WORTH = DAY / 4
"""Seconds: twice the time for which a visit must keep the copy fresh. With six hours, a page that
changes once in 16 days is visited every second day."""
FIRST_INTERVAL = 2 * DAY
"""Interval of a page that was not compared yet."""
PRIOR_RATE = WORTH / FIRST_INTERVAL**2
PRIOR_SECONDS = log(2) / PRIOR_RATE
REMEMBERED = 20.0
"""Number of visits after which the evidence is halved, so that a page may change its habits."""


class ChangeHistory(NamedTuple):
    """Visits that compared a page with its text before, with the changes and seconds between them."""

    visits: float = 0.0
    changes: float = 0.0
    seconds: float = 0.0

    def compared(self, seconds: float, *, changed: bool) -> Self:
        """Add a visit, ``seconds`` after the one before."""
        share = 0.5 if self.visits >= REMEMBERED else 1.0
        return self._replace(
            visits=self.visits * share + 1,
            changes=self.changes * share + changed,
            seconds=self.seconds * share + max(seconds, 0.0),
        )

    @property
    def rate(self) -> float:
        """Changes per second."""
        visits = self.visits + 1
        unchanged = 1 - (self.changes + 0.5) / visits
        return -log(unchanged) * visits / (self.seconds + PRIOR_SECONDS)


def interval_at(rate: float) -> float:
    """Return the seconds after which a page is worth a visit."""
    return sqrt(WORTH / rate)


def expected_change(rate: float, seconds: float) -> float:
    """Return the probability that a page has changed, ``seconds`` after its last visit."""
    return 1 - exp(-rate * max(seconds, 0.0))
