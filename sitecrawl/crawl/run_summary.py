"""Summary of a run: counters, examples of refused links, origins given up, dead links."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sitecrawl.policy.documents.placeholders import ADVICE
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import PLACEHOLDERS, Outcome

if TYPE_CHECKING:
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import VisitResult
    from sitecrawl.scheduling.leased_origins import LeasedOrigins


def summarize_run(
    stats: Mapping[str, Any], discovery: Discovery, leased: LeasedOrigins
) -> dict[str, Any]:
    """Return the crawl's own stats, and the facts that ``scrapy explain`` shows about the run."""
    numbers = {
        name: value
        for name, value in stats.items()
        if name.startswith("sitecrawl/") and isinstance(value, int | float)
    }
    refusals = discovery.refusals.as_stored()
    return {**numbers, "refusals": refusals, "given_up": leased.given_up()}


logger = logging.getLogger(__name__)


class DeadLinks:
    """Dead links, each with the first page that linked to it."""

    def __init__(self, recorder: Recorder) -> None:
        self._found: dict[str, str] = {}
        recorder.visit_committed.connect(self.note)

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit; only the last visit of a URL in the run counts."""
        self._found.pop(visit.due.url, None)
        if visit.outcome in FAILED:
            status = f", status {visit.status}" if visit.status else ""
            page = visit.due.referrer or "a start"
            self._found[visit.due.url] = f"{visit.reason}{status}, linked from {page}"

    def report(self) -> None:
        """Log the dead links, in the order in which they were found."""
        logger.info("%d dead links", len(self._found))
        for url, words in self._found.items():
            logger.warning("dead link %s: %s", url, words)


class PlaceholderPages:
    """Counts of pages without content of their own, by kind, with an example of each."""

    def __init__(self, recorder: Recorder) -> None:
        self._counts: Counter[Outcome] = Counter()
        self._examples: dict[Outcome, str] = {}
        recorder.visit_committed.connect(self.note)

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit."""
        if visit.outcome in PLACEHOLDERS:
            self._counts[visit.outcome] += 1
            self._examples.setdefault(visit.outcome, visit.due.url)

    def report(self) -> None:
        """Log one line with their counts and advice, if there are any."""
        if self._counts:
            kinds = (
                f"{count} {outcome.name.lower()}, one is {self._examples[outcome]} "
                f"({ADVICE[outcome]})"
                for outcome, count in self._counts.most_common()
            )
            logger.warning("%s: %s", NO_CONTENT, "; ".join(kinds))


NO_CONTENT = "Pages without content of their own, which make no documents"
OUTCOMES, RULES = "sitecrawl/outcomes/", "sitecrawl/rules/"
STATUSES = "downloader/response_status_count/"
ERRORS = frozenset(outcome.name.lower() for outcome in FAILED)


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """Progress so far; ``statuses`` counts the responses 2xx to 5xx, robots.txt included.

    ``pages`` counts crawl actions with an outcome, ``errors`` those that failed, ``lines`` the
    output lines, ``refused`` the links refused by rules.
    """

    pages: int
    errors: int
    lines: int
    refused: int
    statuses: tuple[int, int, int, int]

    @classmethod
    def read(cls, stats: Mapping[str, Any]) -> ProgressSnapshot:
        """Read the snapshot from Scrapy's stats."""
        outcomes = {
            name.removeprefix(OUTCOMES): count
            for name, count in stats.items()
            if name.startswith(OUTCOMES)
        }
        return cls(
            pages=sum(outcomes.values()),
            errors=sum(count for name, count in outcomes.items() if name in ERRORS),
            lines=stats.get("item_scraped_count", 0),
            refused=sum(count for name, count in stats.items() if name.startswith(RULES)),
            statuses=_statuses(stats),
        )

    def line(self, seconds: float, waiting: int | None = None) -> str:
        """Format the snapshot after ``seconds`` of crawling, with the number of waiting URLs."""
        rate = self.pages / seconds if seconds else 0.0
        waits = "" if waiting is None else f", {waiting} waiting"
        answers = ", ".join(f"{n}xx {count}" for n, count in enumerate(self.statuses, start=2))
        return (
            f"{self.pages} pages ({rate:.1f}/s){waits}, {self.errors} errors, {self.lines} lines "
            f"written; answers: {answers}; links refused: {self.refused}"
        )

    def short(self, seconds: float, waiting: int) -> str:
        """Format the snapshot for one line of a terminal."""
        rate = self.pages / seconds if seconds else 0.0
        return f"{self.pages} pages, {waiting} waiting, {rate:.1f}/s, {self.errors} errors"


def _statuses(stats: Mapping[str, Any]) -> tuple[int, int, int, int]:
    counted = {
        name.removeprefix(STATUSES): count
        for name, count in stats.items()
        if name.startswith(STATUSES)
    }
    two, three, four, five = (
        sum(count for status, count in counted.items() if status.startswith(first))
        for first in "2345"
    )
    return two, three, four, five
