"""Refusals recorded by the last runs that cannot be judged again.

They depend on what a run had seen, or on the place of a link. Each run stores a count for each
reason, and the first URLs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.config.configuration import changed_options
from sitecrawl.frontier.records import RunRecord
from sitecrawl.policy.decision import Example, RefusalReason, Step
from sitecrawl.policy.refusal_reasons import LIMIT_REASONS, LINK_REASONS

RECORDED_REASONS = {reason.name: reason for reason in (*LIMIT_REASONS, *LINK_REASONS)}
"""Reasons that cannot be judged again after the run, by name."""
COUNTED = "sitecrawl/rules/"
MAX_RUNS = 100
"""Number of runs that are read: with one a day, those within max_revisit."""


class PastRefusal(NamedTuple):
    """A refusal under ``reason`` by a run with the options ``params``, without defaults.

    ``detail`` is the readable form: the rule with its value, and the run.
    """

    reason: RefusalReason
    params: Mapping[str, Any]
    detail: str

    def holds(self, params: Mapping[str, Any]) -> bool:
        """Return True if the deciding options have the same values in ``params``."""
        return all(self.params.get(name) == params.get(name) for name in self.reason.options)

    def mark(self, steps: Sequence[Step], params: Mapping[str, Any]) -> list[Step]:
        """Return the steps, with the one of this reason refused if the refusal holds."""
        if not self.holds(params):
            return list(steps)
        return [
            Step(step.rule, "refused", self.detail)
            if step.rule == self.reason.name and step.verdict == "passed"
            else step
            for step in steps
        ]


def stored_refusal(reason: str, rule: str, run: RunRecord) -> PastRefusal | None:
    """Return the refusal stored with a URL; None for a reason that is judged again."""
    known = RECORDED_REASONS.get(reason)
    if known is None:
        return None
    return PastRefusal(known, run.configuration["params"], f"{rule} (in the last run)")


@dataclass(slots=True)
class PastRefusals:
    """Recorded refusals: counts by reason with the run that counted them, examples by URL, and the
    origins that the last run gave up, with reasons.

    A run counts the links of the pages that it read. Links of unchanged pages were counted by
    earlier runs, which are read as long as the options are the same: the highest count of each
    reason is used. ``is_cut`` tells that runs with other options came before.
    """

    counts: dict[str, tuple[int, str]] = field(default_factory=dict)
    examples: dict[str, PastRefusal] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False

    @classmethod
    def of(cls, runs: Sequence[RunRecord]) -> PastRefusals:
        """Collect the refusals of the runs, of which the last one comes first."""
        found = cls()
        for run in runs:
            if changed_options(run.configuration, runs[0].configuration):
                found.is_cut = True
                break
            found.add(run, "the last run" if run is runs[0] else f"run {run.id}")
        if runs:
            found.given_up = dict[str, Any](runs[0].counters).get("given_up") or {}
        return found

    def add(self, run: RunRecord, name: str) -> None:
        """Add the refusals of a run, shown as ``name``."""
        counters: dict[str, Any] = dict(run.counters)
        kept = counters.get("refusals") or {}
        for word, reason in RECORDED_REASONS.items():
            count = int(counters.get(COUNTED + word, 0))
            if count > self.counts.get(word, (0, ""))[0]:
                self.counts[word] = count, name
            for each in kept.get(word, ()):
                example = Example(**each)
                detail = f"{example.rule} (in {name}, on {example.referrer})"
                refusal = PastRefusal(reason, run.configuration["params"], detail)
                self.examples.setdefault(example.url, refusal)

    def mark(self, steps: list[Step], url: str, params: Mapping[str, Any]) -> list[Step]:
        """Return the steps, with the recorded refusal of ``url`` if it still holds."""
        found = self.examples.get(url)
        return found.mark(steps, params) if found else steps

    def __str__(self) -> str:
        """Return the refused links by reason, in readable form; empty if there are none."""
        if not self.counts:
            return ""
        reasons = ", ".join(f"{count} {reason}" for reason, (count, _) in self.counts.items())
        runs = {run for _, run in self.counts.values()}
        which = runs.pop() if len(runs) == 1 else "the last runs"
        return f"among the links that {which} dropped ({reasons})"
