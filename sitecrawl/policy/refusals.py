"""What was refused and why: a count for each reason, and the first examples of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.policy.decision import Decision


class Example(NamedTuple):
    """One refused URL, the rule that refused it, and the page that named it (None: none)."""

    url: str
    rule: str
    referrer: str | None


@dataclass(slots=True)
class Refusals:
    """Refusals of a run, by reason; of each reason the first ``kept`` different URLs."""

    kept: int = 5
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)

    def note(self, decision: Decision, url: str, referrer: str | None = None) -> None:
        """Count a refusal, and keep it if few examples of its reason are known."""
        self.counts[decision.reason] += 1
        known = self.examples.setdefault(decision.reason, [])
        if len(known) < self.kept and all(example.url != url for example in known):
            known.append(Example(url, decision.rule, referrer))

    def as_stored(self) -> dict[str, list[dict[str, str | None]]]:
        """The examples by reason, as plain values."""
        return {
            reason: [example._asdict() for example in examples]
            for reason, examples in self.examples.items()
        }
