"""The end of a run in words: what failed, what it has met, what is left, and what to type next."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sitecrawl import typed_program
from sitecrawl.frontier.runs import PageCounts, most_common, total
from sitecrawl.policy.advice import all_advice
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import PLACEHOLDERS, RULE_STATS
from sitecrawl.policy.urls.known_views import KnownViews
from sitecrawl.statuses import MAX_PAGES, SUCCESSES

if TYPE_CHECKING:
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import DeadLink, VisitResult

LEFT_VIEWS = (
    "%s: %s links to views that software offers of its pages were left out, e.g. %s (%s); "
    "-a skip_known_views=no fetches them"
)
LogLine = tuple[int, str]
"""A line of the log after its level."""
MAX_STARTS, MAX_ORIGINS = 50, 5
NO_CONTENT = (
    "Pages without content of their own, which make no documents (-a placeholder_pages= keeps them)"
)


class Failures:
    """Counts of failed pages that this run does not try again, and of documents without text.

    Those without content of their own are counted by their outcome, the others by their reason.
    """

    def __init__(self, recorder: Recorder) -> None:
        names = ("failed_pages", "placeholder_pages", "textless_documents")
        self._counts = {name: PageCounts() for name in names}
        recorder.visit_committed.connect(self.note)

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit."""
        outcome, url, referrer = visit.outcome, visit.due.url, visit.due.referrer
        if outcome in PLACEHOLDERS:
            self._counts["placeholder_pages"].add(outcome.name, url)
        elif outcome in FAILED and not visit.again:
            name = outcome.name.lower()
            if visit.reason not in name:
                name = f"{name} ({visit.reason.replace('_', ' ')})"
            self._counts["failed_pages"].add(name, f"{url} on {referrer}" if referrer else url)
        elif visit.document and visit.content_hash is None:
            self._counts["textless_documents"].add("no_text", url)

    def as_stored(self) -> dict[str, Any]:
        """Return numbers and examples as plain values."""
        return {name: counts.as_stored() for name, counts in self._counts.items()}


def finding_lines(
    counters: Mapping[str, Any], dead_links: Sequence[DeadLink] | None
) -> Iterator[LogLine]:
    """Yield what a run has met, by its counters; ``dead_links`` is None unless it looked for them."""
    if dead_links is not None:
        yield logging.INFO, f"{len(dead_links)} dead links"
    for each in dead_links or ():
        status = f", status {each.status}" if each.status else ""
        page = each.referrer or "a start"
        yield logging.WARNING, f"dead link {each.url}: {each.reason}{status}, linked from {page}"
    kinds = [
        f"{count} {name.lower()}, one is {example} ({all_advice()[name.lower()].remedy})"
        for name, count, example in most_common(counters["placeholder_pages"])
    ]
    if kinds:
        yield logging.WARNING, f"{NO_CONTENT}: {'; '.join(kinds)}"
    for _, count, example in most_common(counters["textless_documents"]):
        documents = f"{counted(count, 'document')} without text, one is {example}"
        remedy = f"{typed_program()} doctor {example} says what the server sends"
        yield logging.WARNING, f"{documents}: {remedy}"


def held_lines(changes: int) -> Iterator[LogLine]:
    """Yield a line on changes that wait for their confirmation, if there are any."""
    if changes:
        program = typed_program()
        remedy = f"{program} frontier lists them, {program} frontier confirm ORIGIN writes them"
        yield logging.WARNING, f"{counted(changes, 'change')} held back: {remedy}"


def known_view_lines(counters: Mapping[str, Any]) -> Iterator[LogLine]:
    """Yield a line on the links to views of known software that were left out, if there are any."""
    reason = KnownViews.reason.name
    number = counters.get(RULE_STATS + reason)
    example = next(iter(counters["refusals"].get(reason, ())), None)
    if number and example:
        view = example["rule"].partition(",")[0]
        yield logging.INFO, LEFT_VIEWS % (reason, number, example["url"], view)


def describe_failures(stored: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the number of stored failures, and the reasons; empty if there are none."""
    reasons = (f"{count} {name}, one is {example}" for name, count, example in most_common(stored))
    return f"{counted(total(stored), 'page')} failed: {'; '.join(reasons)}" if stored else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 page``, ``2 pages``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class RunEnding:
    """The end of a run: its exit status, and everything that its user should know.

    ``failed_starts`` has a line for each start that produced nothing, ``no_document`` the reason
    if the crawl has no document at all. ``limit`` names the option ``max_pages`` if it is set.
    ``out_of_budget`` has the waiting pages of each origin whose ``daily_pages`` are spent,
    ``findings`` the lines about what the run has met.
    """

    status: int
    finish_reason: str
    waiting: int
    failed_starts: Sequence[str] = ()
    starts: int = 0
    no_document: str = ""
    failures: str = ""
    given_up: Mapping[str, str] = field(default_factory=dict)
    limit: str = ""
    out_of_budget: Mapping[str, int] = field(default_factory=dict)
    daily_pages: int = 0
    findings: Sequence[LogLine] = ()

    @property
    def is_normal(self) -> bool:
        """True if the crawl ran to its end or limit, and wrote what it found."""
        return self.status in SUCCESSES

    def lines(self, written: Sequence[str]) -> Iterator[LogLine]:
        """Yield lines with their log levels; ``written`` describes the output."""
        yield from ((logging.INFO, line) for line in written)
        if self.no_document:
            yield logging.ERROR, self.no_document
        if self.failures:
            yield logging.INFO, f"{self.failures}."
        yield from self.findings
        for origin, why in list(self.given_up.items())[:MAX_ORIGINS]:
            if not any(f" {origin}/" in line for line in self.failed_starts):
                yield logging.INFO, f"{origin} was given up: {why}."
        if len(self.given_up) > MAX_ORIGINS:
            yield (
                logging.INFO,
                f"{len(self.given_up)} sites were given up: {typed_program()} frontier",
            )
        if self.failed_starts and self.starts > 1:
            number = f"{len(self.failed_starts)} of {counted(self.starts, 'start')}"
            yield logging.ERROR, f"{number} produced nothing:"
        yield from ((logging.ERROR, line) for line in self.failed_starts[:MAX_STARTS])
        left = [self._waits()] if self.waiting else []
        left += [self._await_budget()] if self.out_of_budget else []
        yield from ((logging.INFO, line) for line in left)
        yield logging.INFO, f"Next: {'; '.join(self._commands())}."

    def _waits(self) -> str:
        reason = self.finish_reason
        why = {"shutdown": "it was interrupted", "finished": "they are not ready yet"}.get(reason)
        if self.limit and reason in ("finished", MAX_PAGES):
            why = f"it stopped at {self.limit}"
        why = why or f"it stopped at a limit ({reason})"
        return f"{counted(self.waiting, 'URL')} left for the next run: {why}."

    def _await_budget(self) -> str:
        [first, *others], pages = self.out_of_budget, sum(self.out_of_budget.values())
        where = f"{len(others) + 1} sites" if others else first
        return (
            f"{counted(pages, 'page')} of {where} {'waits' if pages == 1 else 'wait'} for tomorrow's "
            f"budget (max_pages_per_day {self.daily_pages}; the day ends at 0:00 UTC)."
        )

    def _commands(self) -> Iterator[str]:
        program = typed_program()
        if self.waiting:
            yield "the same command continues this crawl"
        elif self.out_of_budget:
            yield "the same command continues this crawl tomorrow"
        if self.failures:
            yield f"{program} frontier errors lists what failed"
        if not self.is_normal:
            yield f"{program} explain URL says why a page is not crawled"
        elif not (self.waiting or self.out_of_budget):
            yield "the same command again fetches only what is due"
            yield f"{program} report -O report.html shows the crawl"
            yield f"{program} search WORDS its documents"
