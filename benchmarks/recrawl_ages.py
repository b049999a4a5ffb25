"""Freshness of a copy by the age at which pages are visited again: python -m benchmarks.recrawl_ages

A made site of pages that change as Poisson processes is crawled once a day for a year: with the same
age for all pages, and with an age for each page by its estimated rate of change (``recrawl=auto``).
Freshness is the share of pages, averaged over time, whose copy is that of the site; the age of a copy is
the time since the page changed (Cho and Garcia-Molina, SIGMOD 2000). Two mixes of pages: that of the
web of Cho and Garcia-Molina (VLDB 2000, 23 % change every day, 30 % live longer than four months),
and a documentation site.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sitecrawl.policy.lifecycle.change_rate import DAY, ChangeHistory
from sitecrawl.policy.lifecycle.revisit import Age, Revisit

DAYS, PAGES = 365, 1000
MIXES = {
    "web": ((0.23, 0.3, 1), (0.15, 1, 7), (0.16, 7, 30), (0.16, 30, 120), (0.30, 120, 1500)),
    "documentation": (
        (0.03, 0.3, 1),
        (0.07, 1, 7),
        (0.15, 7, 30),
        (0.25, 30, 120),
        (0.50, 120, 1500),
    ),
}
"""Shares of pages, each with the least and most days between two changes."""
FIXED = (1, 2, 3, 4, 5, 7, 14, 30)

AgeOf = Callable[[ChangeHistory], float]


class Result(NamedTuple):
    """Visits of a page in the time, and the mean freshness and age of its copy (days)."""

    visits: float
    freshness: float
    age: float


def rates(mix: Sequence[tuple[float, float, float]]) -> Iterator[float]:
    """Yield the changes per day of each page, log-uniform within its share."""
    dice = random.Random(1)
    for _ in range(PAGES):
        low, high = dice.choices([each[1:] for each in mix], [each[0] for each in mix])[0]
        yield math.exp(-dice.uniform(math.log(low), math.log(high)))


def simulate(pages: Sequence[float], age_of: AgeOf) -> Result:
    """Crawl the pages once a day."""
    dice = random.Random(2)
    visits, fresh, age = 0, 0.0, 0.0
    for rate in pages:
        history, last, changes_at = ChangeHistory(), 0, dice.expovariate(rate)
        while last < DAYS:
            visit = min(last + max(1, math.ceil(age_of(history) - 1e-9)), DAYS)
            changed = changes_at < visit
            fresh += min(changes_at, visit) - last
            age += max(visit - changes_at, 0.0) ** 2 / 2
            if changed:
                changes_at = visit + dice.expovariate(rate)
            history = history.compared((visit - last) * DAY, changed=changed)
            visits += visit < DAYS
            last = visit
    days = len(pages) * DAYS
    return Result(visits / len(pages), fresh / days, age / days)


def _fixed(days: float, _: ChangeHistory) -> float:
    return days


def main() -> None:
    """Print a table for each mix."""
    rule = Revisit(by_rate=True)

    def by_rate(history: ChangeHistory) -> float:
        return rule.age_of(Age.PAGE, history.rate if history.visits else None) / DAY

    policies: dict[str, AgeOf] = {f"{days}d": partial(_fixed, float(days)) for days in FIXED}
    for name, mix in MIXES.items():
        pages = list(rates(mix))
        print(f"{name}: recrawl, visits of a page in a year, freshness, age of the copy in days")
        for policy, age_of in {"auto": by_rate, **policies}.items():
            found = simulate(pages, age_of)
            print(f"{policy:>6} {found.visits:8.0f} {found.freshness:8.3f} {found.age:8.2f}")


if __name__ == "__main__":
    main()
