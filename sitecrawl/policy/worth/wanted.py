"""URLs that the user's own words ask for, above everything that a crawl learns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from sitecrawl.policy.decision import OptionValues, RefusalReason
from sitecrawl.policy.worth.kinds import parameters_of

LOW_YIELD = RefusalReason(
    "low_yield",
    "a kind of page of which too few brought anything new (`effort`, `always_fetch`)",
    options=("effort", "always_fetch"),
)
ENDLESS = RefusalReason(
    "endless",
    "a part without an end, whose pages are linked only from within (`effort`, `always_fetch`)",
    options=("effort", "always_fetch"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Tests of the URLs that options name: all of them are requested."""

    tests: tuple[Callable[[str], object], ...]

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the tests that the options require."""
        tests: list[Callable[[str], object]] = [
            re.compile(each).search for each in options.value("always_fetch")
        ]
        if options.value("allow"):  # the rules admit nothing else
            tests.append(_any)
        if options.value("query") in ("keep", "filter", "policy"):
            tests.append(_has_query)
        elif kept := frozenset(options.value("query_keep")):
            tests.append(lambda url: _has_only(url, kept))
        return cls(tuple(tests))

    def names(self, url: str) -> bool:
        """Return True if the user's words ask for a URL."""
        return any(test(url) for test in self.tests)


def _any(_url: str) -> bool:
    return True


def _has_query(url: str) -> bool:
    return "?" in url


def _has_only(url: str, kept: frozenset[str]) -> bool:
    parameters = parameters_of(url)
    return bool(parameters) and kept.issuperset(name for name, _ in parameters)


def tried_words(left: Mapping[str, Any]) -> str:
    """Return how many pages of a kind that was left out were tried, and how many were new."""
    if left["reason"] == ENDLESS.name:
        return f"no end after {left['tried']} pages"
    if not left["tried"]:
        return "none tried: pages like them brought nothing"
    return f"{left['new']} of {left['tried']} tried were new"
