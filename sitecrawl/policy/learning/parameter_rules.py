"""Rules on parameters that do not affect the content, learned for each URL template.

Pages of a template that differ in one parameter alone are compared. If the text differs, the
parameter is kept, after one page. If it is the same, or only in another order, on enough
different pages, the parameter is folded: for the values that were seen, and for all values
after several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import unquote_plus

from sitecrawl.policy.learning.evidence import Evidence, RuleState

MAX_PARAMETERS = 8
"""Maximum number of parameters of a URL; nothing is learned from URLs with more."""
MANY_VALUES = 6
"""Number of different values seen, after which any value may be folded."""
MIN_TESTS = 6
"""Number of correct predictions before a parameter is folded: a default (``page=1``) gives the same
text on many pages before it is seen to matter."""


def parameters_of(url: str) -> list[tuple[str, str]]:
    """Return name and value of each parameter, as written; empty if there are too many."""
    query = url.partition("?")[2]
    if not query or ";" in query:
        return []
    pairs = [each.partition("=") for each in query.split("&") if each]
    if len(pairs) > MAX_PARAMETERS:
        return []
    return [(name, value) for name, _, value in pairs]


def without_parameter(url: str, name: str) -> str:
    """Return ``url``, as written, without the parameters of a name."""
    path, _, query = url.partition("?")
    kept = [each for each in query.split("&") if each and each.partition("=")[0] != name]
    return f"{path}?{'&'.join(kept)}" if kept else path


_WORD = re.compile(r"\w+")


def same_words(one: str, other: str, values: Iterable[str] = ()) -> bool:
    """Return True if two texts have the same words, each as often, in any order.

    Words of ``values``, which the parameter itself contains, may be in one of the texts alone.
    """
    if abs(len(one) - len(other)) > 200:
        return False
    here, there = Counter(_WORD.findall(one.lower())), Counter(_WORD.findall(other.lower()))
    if here == there:
        return True
    differing = set((here - there) + (there - here))
    said = {word for value in values for word in _WORD.findall(unquote_plus(value).lower())}
    return differing <= said


@dataclass(slots=True)
class ParameterRule:
    """The decision on one parameter of a URL template.

    ``values`` are those that did not change the content.
    """

    template: str
    name: str
    values: list[str] = field(default_factory=list)
    evidence: Evidence = field(default_factory=lambda: Evidence(needed=MIN_TESTS))

    @property
    def key(self) -> str:
        """The name of the rule."""
        return f"{self.template} {self.name}"

    @property
    def state(self) -> RuleState:
        """The state that follows from the evidence."""
        return self.evidence.state

    def add(self, text: int, value: str, *, foretold: bool) -> bool:
        """Count a page that did not depend on the parameter; return True if the state changes."""
        if value not in self.values and len(self.values) < MANY_VALUES:
            self.values.append(value)
        return self.evidence.add(text, foretold=foretold)

    @property
    def covers_all(self) -> bool:
        """True if enough values were seen to fold any."""
        return len(self.values) >= MANY_VALUES

    def covers(self, value: str) -> bool:
        """Return True if a URL with this value may be folded."""
        return self.covers_all or value in self.values

    def __str__(self) -> str:
        """Return the decision in readable form."""
        values = "any value" if self.covers_all else ", ".join(self.values)
        if self.state is RuleState.WITHDRAWN:
            return f"{self.template}: {self.name} changes the content"
        return f"{self.template}: {self.name} says nothing ({values})"

    def as_stored(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        return {
            "template": self.template,
            "name": self.name,
            "values": self.values,
            "evidence": self.evidence.as_stored(),
        }

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Self:
        """Restore the rule from plain values."""
        return cls(
            stored["template"],
            stored["name"],
            list(stored["values"]),
            Evidence.from_stored(stored["evidence"]),
        )
