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
FIRST_SAMPLES, FIRST_LINKED = frozenset({2, 4}), frozenset({1, 2, 4})
SAMPLES = ((64, 16), (1024, 64))
"""Sampling of refused URLs, as (up to this many URLs, fetch one in this many)."""
SAMPLE_EVERY = 256
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
    URLs is one. ``support`` counts them, ``tested`` are those that were predicted correctly since the
    rule was last ``generalised`` (then known texts count again), ``against`` counts the wrong
    predictions, ``folded`` the URLs that the rule refused in all runs, ``linked`` those of them
    that the page replacing them links to; ``needed`` tests activate it. ``counterexample`` is the
    first URL with a wrong prediction, ``retested`` is True once this run has fetched a URL that
    the rule refused in an earlier one.
    """

    support: int = 0
    tested: list[int] = field(default_factory=list)
    against: int = 0
    folded: int = 0
    linked: int = 0
    texts: list[int] = field(default_factory=list)
    counterexample: str = ""
    state: RuleState = RuleState.PROPOSED
    needed: int = MIN_TESTS
    generalised: bool = False
    retested: bool = False

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
        elif before is RuleState.TESTED and foretold and self._is_test(text, known=known):
            self.tested.append(text)
            if self.tests >= self.needed:
                self.state = RuleState.ACTIVE
        return self.state is not before

    @property
    def tests(self) -> int:
        """Number of different texts predicted correctly since the rule was last generalised."""
        return len(self.tested)

    def _is_test(self, text: int, *, known: bool) -> bool:
        return text not in self.tested and (self.generalised or not known)

    def retest(self) -> None:
        """Begin the tests anew: the texts known so far count again, as they supported less."""
        self.tested.clear()
        self.generalised = True

    def contradict(self, example: str) -> bool:
        """Count a wrong prediction; return True if the rule was active until now."""
        self.against += 1
        self.counterexample = self.counterexample or example
        acted = self.state is RuleState.ACTIVE
        if self.state is not RuleState.FORBIDDEN:
            self.state = RuleState.WITHDRAWN
        return acted

    def fold(self, *, linked: bool = False, before: bool = False) -> bool:
        """Count a URL that the rule refuses; return False if it is a sample, to be fetched.

        URLs to which the page that replaces them links are sampled apart from the others: such a
        link often leads to the exception, as a translation among pages without one. Of URLs
        refused ``before``, in an earlier run, each run fetches one.
        """
        if before:
            sample, self.retested = not self.retested, True
            return not sample
        self.folded += 1
        self.linked += linked
        count = self.linked if linked else self.folded - self.linked
        if count in (FIRST_LINKED if linked else FIRST_SAMPLES):
            return False
        every = next((each for most, each in SAMPLES if count <= most), SAMPLE_EVERY)
        return count % every != 0

    @property
    def in_words(self) -> str:
        """The evidence in readable form."""
        return f"seen {self.support} times, {self.against} against"

    def as_stored(self) -> dict[str, Any]:
        """Return the evidence as plain values."""
        return {name: value for name, value in asdict(self).items() if name != "retested"}

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Self:
        """Restore the evidence from plain values."""
        return cls(**{**stored, "state": RuleState(stored["state"])})
