"""Edits of a site between runs: pages that change, come and go; and its queries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from urllib.parse import parse_qsl

from benchmarks.natural_sites.site import Visit
from benchmarks.natural_sites.vocabulary import dice

Truth = dict[str, Sequence[str]]
"""The true pages of a run with their lines."""


@cache
def version(run: int, *seed: object, one_in: int = 12) -> int:
    """The run in which a page last changed: one page in so many changes in each run."""
    number = dice("version", *seed).randrange(one_in)
    return number if 0 < number <= run else 0


@cache
def standing(run: int, count: int, *seed: object, new: int = 1) -> tuple[int, ...]:
    """Numbers of the pages of a run: from 1 to ``count``; some come, and one goes, before each run."""
    chance = dice("standing", *seed)
    gone = chance.sample(range(2, count), 4)[:run]
    return tuple(n for n in range(1, count + new * run + 1) if n not in gone)


def query(visit: Visit, separator: str = "&") -> dict[str, str]:
    """The parameters of a request."""
    return dict(parse_qsl(visit.query, separator=separator, keep_blank_values=True))


def number(text: str | None) -> int:
    """A number of a request, or -1."""
    return int(text) if text and text.isascii() and text.isdigit() else -1
