"""Overview of a report: the figures of a crawl, and its outcomes over time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sitecrawl import typed_program
from sitecrawl.console.terminal import span
from sitecrawl.policy.outcomes import REDIRECTS, Outcome
from sitecrawl.report.facts import BROKEN, Facts

SPANS = 40
"""Columns of the chart of a single run."""
KINDS = ("read", "unchanged", "redirected", "left out", "not found", "failed")
"""Kinds of outcomes in the chart, from the bottom of a column to its top."""


class Column(NamedTuple):
    """One column of the chart: a run, or a span of time."""

    label: str
    counts: Counter[str]

    @property
    def total(self) -> int:
        """Height of the column."""
        return self.counts.total()


@dataclass(frozen=True, slots=True)
class Overview:
    """Figures of a crawl; ``figures`` are pairs of a name and a number, the most important first.

    ``unfinished`` limits what the report can say while URLs wait, ``unchecked`` names links that it
    knows nothing of; each is empty if there are none.
    """

    sites: tuple[str, ...]
    figures: tuple[tuple[str, int], ...]
    run: str
    unfinished: str
    unchecked: str
    columns: tuple[Column, ...]
    axis: str

    @classmethod
    def read(cls, facts: Facts) -> Overview:
        """Read the figures."""
        changes = facts.survey.change_counts()[facts.run.id]
        urls = facts.urls.values()
        sites = [each.url for each in urls if each.via == "seed"]
        waiting = facts.waiting
        broken = sum(each.outcome in BROKEN for each in urls) + len(facts.broken_outside)
        axis, columns = _columns(facts)
        return cls(
            sites=tuple(sites),
            figures=(
                ("documents", len(facts.current)),
                ("new", changes["new"]),
                ("changed", changes["changed"]),
                ("deleted", changes["deleted"]),
                ("broken links", broken),
                ("waiting", waiting),
            ),
            run=_run_words(facts),
            unfinished=_unfinished(waiting),
            unchecked=_unchecked(facts),
            columns=tuple(columns),
            axis=axis,
        )

    @property
    def totals(self) -> Counter[str]:
        """Visits of all columns by kind."""
        return sum((each.counts for each in self.columns), Counter())

    def named(self, most: int) -> str:
        """Return the first sites, and the number of the others."""
        shown, more = ", ".join(self.sites[:most]) or "No start", len(self.sites) - most
        return f"{shown} and {more} more" if more > 0 else shown

    def lines(self) -> list[str]:
        """Return the overview for a terminal."""
        numbers = ", ".join(f"{number:,} {name}" for name, number in self.figures)
        unfinished = [self.unfinished] if self.unfinished else []
        unchecked = [f"Not looked at: {self.unchecked}"] if self.unchecked else []
        return [*unfinished, self.named(3), self.run, numbers, *unchecked]


def kind_of(outcome: Outcome) -> str:
    """Return the kind of an outcome in the chart."""
    if outcome is Outcome.FILE_INGESTED:
        return "read"
    if outcome is Outcome.FILE_DID_NOT_CHANGE:
        return "unchanged"
    if outcome in REDIRECTS:
        return "redirected"
    if outcome in (Outcome.FILE_NOT_FOUND, Outcome.FILE_GONE, Outcome.SOFT_404):
        return "not found"
    return "left out" if Outcome.LEASE_LOST < outcome < Outcome.SERVER_BLAMED_CLIENT else "failed"


def _columns(facts: Facts) -> tuple[str, list[Column]]:
    if len(facts.runs) > 1:
        by_run = facts.survey.outcomes_by_run()
        runs = [(_time(run.started_at, "%d %b %H:%M"), by_run[run.id]) for run in facts.runs]
        return "visits of each run", [Column(label, _kinds(found)) for label, found in runs]
    first, width, by_time = facts.survey.outcomes_by_time(facts.run.id, SPANS)
    spans = range(max(by_time, default=-1) + 1)
    columns = [
        Column(_time(first + number * width, "%H:%M:%S"), _kinds(by_time[number]))
        for number in spans
    ]
    return "visits in the course of the run", columns


def _kinds(outcomes: Counter[Outcome]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for outcome, number in outcomes.items():
        counts[kind_of(outcome)] += number
    return counts


def _run_words(facts: Facts) -> str:
    run = facts.run
    begun = f"Run {run.id} began {_time(run.started_at, '%d %B %Y %H:%M')} UTC"
    if run.finished_at is None:
        stopped = run.stopped_at and f"stopped without end at {_time(run.stopped_at, '%H:%M')}"
        return f"{begun} and {stopped or 'has not ended'}"
    return f"{begun}, took {span(run.finished_at - run.started_at)} and ended: {run.finish_reason}"


def _unfinished(waiting: int) -> str:
    if not waiting:
        return ""
    urls = "1 URL was" if waiting == 1 else f"{waiting:,} URLs were"
    return f"Unfinished: {urls} not visited yet, and this report knows nothing of their pages."


def _unchecked(facts: Facts) -> str:
    number = sum(each.outcome is None for each in facts.outside)
    if number:
        links = "1 link" if number == 1 else f"{number:,} links"
        return f"{links} to other sites. {typed_program()} report --check-outside asks for them."
    if facts.outside:
        return ""
    return "links to other sites. -a store_links=outside makes the next crawl store them."


def _time(at: float, pattern: str) -> str:
    return datetime.fromtimestamp(at, UTC).strftime(pattern)
