"""Evidence for and against a learned rule, and the state that follows from it.

A rule is *proposed* by pages that were found to be equal, *tested* on pages that it predicts, and
becomes active after enough correct predictions. A single wrong one withdraws it for good.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

MIN_SUPPORT = 3
"""Number of different texts found under both URLs before a rule is tested."""
MIN_TESTS = 4
"""Number of correct predictions since the last generalisation before a rule becomes active."""
COUNTED_TEXTS = 64
"""Number of different texts remembered; after that, each further page counts."""
FIRST_SAMPLES = frozenset({2, 4})
SAMPLES = ((64, 8), (512, 16))
"""Sampling of refused URLs, as (up to this many URLs, fetch one in this many)."""
SAMPLE_EVERY = 64
"""One in this many of all later refused URLs is fetched."""


class RuleState(StrEnum):
    """The state of a learned rule."""

    PROPOSED = "proposed"
    TESTED = "tested"
    ACTIVE = "active"
    WITHDRAWN = "withdrawn"
    FORBIDDEN = "forbidden"


@dataclass(slots=True)
class Evidence:
    """The evidence on one rule.

    ``texts`` are hashes of the different texts that support it: an error page under a thousand
    URLs is one. ``support`` counts them, ``tests`` the consecutive correct predictions, ``against``
    the wrong ones, ``folded`` the URLs that the rule refused in all runs; ``needed`` tests
    activate it. ``counterexample`` is the first URL with a wrong prediction.
    """

    support: int = 0
    tests: int = 0
    against: int = 0
    folded: int = 0
    texts: list[int] = field(default_factory=list)
    counterexample: str = ""
    state: RuleState = RuleState.PROPOSED
    needed: int = MIN_TESTS

    def add(self, text: int, *, foretold: bool) -> bool:
        """Count a pair of URLs with the same text; return True if the state changes."""
        known = text in self.texts
        if known and not foretold:
            return False
        if not known:
            if len(self.texts) >= COUNTED_TEXTS:
                del self.texts[0]
            self.texts.append(text)
            self.support += 1
        before = self.state
        if before is RuleState.PROPOSED and self.support >= MIN_SUPPORT:
            self.state = RuleState.TESTED
        elif before is RuleState.TESTED and foretold and not known:
            self.tests += 1
            if self.tests >= self.needed:
                self.state = RuleState.ACTIVE
        return self.state is not before

    def contradict(self, example: str) -> bool:
        """Count a wrong prediction; return True if the rule was active until now."""
        self.against += 1
        self.counterexample = self.counterexample or example
        acted = self.state is RuleState.ACTIVE
        if self.state is not RuleState.FORBIDDEN:
            self.state = RuleState.WITHDRAWN
        return acted

    def fold(self) -> bool:
        """Count a URL that the rule refuses; return False if it is a sample, to be fetched."""
        self.folded += 1
        if self.folded in FIRST_SAMPLES:
            return False
        every = next((each for most, each in SAMPLES if self.folded <= most), SAMPLE_EVERY)
        return self.folded % every != 0

    @property
    def in_words(self) -> str:
        """The evidence in readable form."""
        return f"seen {self.support} times, {self.against} against"

    def as_stored(self) -> dict[str, Any]:
        """Return the evidence as plain values."""
        return asdict(self)

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Self:
        """Restore the evidence from plain values."""
        return cls(**{**stored, "state": RuleState(stored["state"])})
