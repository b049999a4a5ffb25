"""Links that the last runs left out by what they had seen, or by where the links stood.

Unlike what a URL alone decides, that cannot be judged again afterwards. Each run keeps a
count for each reason, and the first URLs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.config import changed_options
from sitecrawl.frontier.states import RunRecord
from sitecrawl.policy.admission import Step
from sitecrawl.policy.limits import copies, tokens
from sitecrawl.policy.refusals import Example

LIMITS = {
    "links_per_page": "max_links_per_page",
    "growing_path": "max_growing_path",
    "copies": copies.SETTING,
    "endless_series": "max_barren_pages",
    "session_like": tokens.SETTING,
    "variants": "max_variants",
    "recombination": "max_barren_pages",
    "directory_full": "max_pages_per_directory",
    "redirect_chain": "max_redirects",
}
"""The limits that count while a crawl runs, in their order, with the option of each if it has one."""
CIRCUMSTANCES = (*LIMITS, "depth", "rel")
COUNTED = "sitecrawl/rules/"
LOOKED_AT = 100
"""Runs that are asked: with one a day, those since each page was read, which is max_revisit."""


class Left(NamedTuple):
    """A link that was left out: the reason, the rule and the page, and the run that says so."""

    reason: str
    example: Example
    run: str


@dataclass(slots=True)
class LeftOut:
    """How many links were left out by reason, the kept examples by URL, and the origins that
    the last run gave up, with why.

    A run counts the links of the pages that it read. Those that had not changed are told of by
    the runs before, as far back as the options are the same: of each reason the most counts.
    """

    counts: dict[str, tuple[int, str]] = field(default_factory=dict)
    examples: dict[str, Left] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[RunRecord]) -> LeftOut:
        """What the last of the runs, which comes first, left out, and what those before it did."""
        found = cls()
        for run in runs:
            if changed_options(run.configuration, runs[0].configuration):
                break
            found.add(run, "the last run" if run is runs[0] else f"run {run.id}")
        if runs:
            found.given_up = dict[str, Any](runs[0].counters).get("given_up") or {}
        return found

    def add(self, run: RunRecord, name: str) -> None:
        """Note what a run left out, which ``name`` calls in words."""
        counters: dict[str, Any] = dict(run.counters)
        kept = counters.get("refusals") or {}
        for reason in CIRCUMSTANCES:
            count = int(counters.get(COUNTED + reason, 0))
            if count > self.counts.get(reason, (0, ""))[0]:
                self.counts[reason] = count, name
            for each in kept.get(reason, ()):
                self.examples.setdefault(each["url"], Left(reason, Example(**each), name))

    def blame(self, steps: list[Step], url: str) -> list[Step]:
        """The steps, with the one refused that left ``url`` out, if its option is unchanged."""
        left = self.examples.get(url)
        if left is None:
            return steps
        words = f"{left.example.rule} (in {left.run}, on {left.example.referrer})"
        return [blamed(step, left.reason, left.example.rule, words) for step in steps]

    def __str__(self) -> str:
        """The links that were left out for what cannot be judged again; empty without any."""
        if not self.counts:
            return ""
        reasons = ", ".join(f"{count} {reason}" for reason, (count, _) in self.counts.items())
        runs = {run for _, run in self.counts.values()}
        which = runs.pop() if len(runs) == 1 else "the last runs"
        return f"among the links that {which} left out ({reasons})"


def blamed(step: Step, reason: str, rule: str, words: str) -> Step:
    """The step refused with ``words`` if it is the one that ``rule`` speaks of."""
    if step.rule != reason or step.verdict != "passed" or step.detail not in rule:
        return step
    return Step(step.rule, "refused", words)
