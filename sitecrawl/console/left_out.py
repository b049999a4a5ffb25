"""Links that the last run left out by what it had seen, or by where they stood.

Unlike what a URL alone decides, that cannot be judged again afterwards. The run keeps a
count for each reason, and the first URLs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many links were left out by reason, the kept examples by URL, and the origins that
    were given up, with why."""

    counts: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, Example]] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: RunRecord | None) -> LeftOut:
        """What a run left out."""
        counters: dict[str, Any] = dict(run.counters) if run else {}
        kept = counters.get("refusals") or {}
        found = {name: int(counters.get(COUNTED + name, 0)) for name in CIRCUMSTANCES}
        return cls(
            {name: count for name, count in found.items() if count},
            {
                each["url"]: (name, Example(**each))
                for name in CIRCUMSTANCES
                for each in kept.get(name, ())
            },
            counters.get("given_up") or {},
        )

    def blame(self, steps: list[Step], url: str) -> list[Step]:
        """The steps, with the one refused that left ``url`` out, if its option is unchanged."""
        reason, example = self.examples.get(url, ("", None))
        if example is None:
            return steps
        words = f"{example.rule} (in the last run, on {example.referrer})"
        return [blamed(step, reason, example.rule, words) for step in steps]


def blamed(step: Step, reason: str, rule: str, words: str) -> Step:
    """The step refused with ``words`` if it is the one that ``rule`` speaks of."""
    if step.rule != reason or step.verdict != "passed" or step.detail not in rule:
        return step
    return Step(step.rule, "refused", words)
