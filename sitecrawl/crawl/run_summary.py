"""Summary of a run: counters, examples of refused links, origins given up, dead links."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sitecrawl import typed_program
from sitecrawl.frontier.runs import PageCounts, most_common, total
from sitecrawl.policy.advice import ADVICE
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import PLACEHOLDERS, Outcome
from sitecrawl.policy.urls.known_views import KnownViews
from sitecrawl.statuses import DONE, MAX_PAGES, STARTS_FAILED

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.crawl.seeds import SeedReport
    from sitecrawl.frontier.base import DeadLink, VisitResult
    from sitecrawl.scheduling.leased_origins import LeasedOrigins

    StoredCounts = Mapping[str, Mapping[str, Any]]

OUTPUT_LINES = frozenset({"item_scraped_count"})
OUTCOMES, RULES = "sitecrawl/outcomes/", "sitecrawl/rules/"
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
STATUSES = "downloader/response_status_count/"
ERRORS = frozenset(outcome.name.lower() for outcome in FAILED)
NOT_REQUESTED = frozenset(
    outcome.name.lower() for outcome in Outcome if outcome < Outcome.FILE_INGESTED
)


class RunSummary:
    """Summary of what a worker did; those of all workers of a run are combined."""

    def __init__(
        self,
        stats: StatsCollector,
        discovery: Discovery,
        leased: LeasedOrigins,
        seed_report: SeedReport,
        failures: Failures,
        *,
        writes_output: bool = True,
    ) -> None:
        self._stats = stats
        self._discovery = discovery
        self._leased = leased
        self._seed_report = seed_report
        self._failures = failures
        self._not_counted = frozenset() if writes_output else OUTPUT_LINES

    def counters(self) -> dict[str, Any]:
        """Return the numeric stats, and the facts that the end and ``scrapy explain`` show."""
        stats = self._stats.get_stats()
        numbers = {
            name: value
            for name, value in stats.items()
            if isinstance(value, int | float) and name not in self._not_counted
        }
        return {
            **numbers,
            "refusals": self._discovery.refusals.as_stored(),
            "given_up": self._leased.given_up(),
            **self._seed_report.as_stored(),
            **self._failures.as_stored(),
            "unchanged_by_dates": self._leased.knowledge.dates.skipped,
            "left_out": self._leased.knowledge.yields.as_stored(),
        }


def dead_link_lines(dead_links: Sequence[DeadLink]) -> Iterator[LogLine]:
    """Yield the dead links of a run."""
    yield logging.INFO, f"{len(dead_links)} dead links"
    for each in dead_links:
        status = f", status {each.status}" if each.status else ""
        page = each.referrer or "a start"
        yield logging.WARNING, f"dead link {each.url}: {each.reason}{status}, linked from {page}"


def known_view_lines(counters: Mapping[str, Any]) -> Iterator[LogLine]:
    """Yield a line on the links to views of known software that were left out, if there are any."""
    reason = KnownViews.reason.name
    number = counters.get(f"{RULES}{reason}")
    example = next(iter(counters["refusals"].get(reason, ())), None)
    if number and example:
        view = example["rule"].partition(",")[0]
        yield logging.INFO, LEFT_VIEWS % (reason, number, example["url"], view)


class Failures:
    """Counts of failed pages that this run does not try again, and of documents without text.

    Those without content of their own are counted by their outcome, the others by their reason.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._failed_pages = PageCounts()
        self._placeholder_pages = PageCounts()
        self._textless_documents = PageCounts()
        recorder.visit_committed.connect(self.note)

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit."""
        if visit.outcome in PLACEHOLDERS:
            self._placeholder_pages.add(visit.outcome.name, visit.due.url)
        elif visit.outcome in FAILED and not visit.again:
            page = f" on {visit.due.referrer}" if visit.due.referrer else ""
            self._failed_pages.add(_failure(visit), f"{visit.due.url}{page}")
        elif visit.document and visit.content_hash is None:
            self._textless_documents.add("no_text", visit.due.url)

    def as_stored(self) -> dict[str, Any]:
        """Return numbers and examples as plain values."""
        return {
            "failed_pages": self._failed_pages.as_stored(),
            "placeholder_pages": self._placeholder_pages.as_stored(),
            "textless_documents": self._textless_documents.as_stored(),
        }


def _failure(visit: VisitResult) -> str:
    """Return the outcome, with its reason in parentheses if that adds something."""
    outcome, reason = visit.outcome.name.lower(), visit.reason
    return outcome if reason in outcome else f"{outcome} ({reason.replace('_', ' ')})"


def placeholder_lines(stored: StoredCounts) -> Iterator[LogLine]:
    """Yield one line with the stored counts of pages without content, and advice, if there are any."""
    if stored:
        kinds = (
            f"{count} {name.lower()}, one is {example} ({ADVICE[name.lower()].remedy})"
            for name, count, example in most_common(stored)
        )
        yield logging.WARNING, f"{NO_CONTENT}: {'; '.join(kinds)}"


def textless_document_lines(stored: StoredCounts) -> Iterator[LogLine]:
    """Yield one line with the stored number of documents without text, if there are any."""
    for _, count, example in most_common(stored):
        documents = f"{counted(count, 'document')} without text, one is {example}"
        yield (
            logging.WARNING,
            f"{documents}: {typed_program()} doctor {example} says what the server sends",
        )


def describe_failures(stored: StoredCounts) -> str:
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
        return self.status in {DONE, STARTS_FAILED}

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
        yield from ((logging.INFO, line) for line in self._left())
        yield logging.INFO, f"Next: {'; '.join(self._commands())}."

    def _left(self) -> Iterator[str]:
        if self.waiting:
            yield self._waits()
        if self.out_of_budget:
            yield self._await_budget()

    def _waits(self) -> str:
        reason = self.finish_reason
        why = {"shutdown": "it was interrupted", "finished": "they are not ready yet"}.get(reason)
        if self.limit and reason in ("finished", MAX_PAGES):
            why = f"it stopped at {self.limit}"
        why = why or f"it stopped at a limit ({reason})"
        return f"{counted(self.waiting, 'URL')} left for the next run: {why}."

    def _await_budget(self) -> str:
        sites = list(self.out_of_budget)
        number, where = counted(sum(self.out_of_budget.values()), "page"), sites[0]
        if len(sites) > 1:
            where = f"{len(sites)} sites"
        verb = "waits" if number.startswith("1 ") else "wait"
        return (
            f"{number} of {where} {verb} for tomorrow's budget (max_pages_per_day "
            f"{self.daily_pages}; the day ends at 0:00 UTC)."
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


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """Progress so far; ``statuses`` counts the responses 2xx to 5xx, robots.txt included.

    ``pages`` counts the URLs that were requested and have an outcome, ``errors`` those that failed,
    ``lines`` the output lines, ``refused`` the links refused by rules.
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
            pages=sum(count for name, count in outcomes.items() if name not in NOT_REQUESTED),
            errors=sum(count for name, count in outcomes.items() if name in ERRORS),
            lines=stats.get("item_scraped_count", 0),
            refused=sum(count for name, count in stats.items() if name.startswith(RULES)),
            statuses=_statuses(stats),
        )

    def rate(self, seconds: float) -> float:
        """Return the number of pages per second."""
        return self.pages / seconds if seconds else 0.0

    def line(self, seconds: float, outlook: Outlook | None = None) -> str:
        """Format the snapshot after ``seconds`` of crawling, for the log."""
        waits = "" if outlook is None else f", {outlook.waiting} waiting"
        answers = ", ".join(f"{n}xx {count}" for n, count in enumerate(self.statuses, start=2))
        line = (
            f"{self.pages} pages ({self.rate(seconds):.1f}/s){waits}, {self.errors} errors, "
            f"{self.lines} lines; answers: {answers}; links refused: {self.refused}"
        )
        if outlook is None:
            return line
        return "; ".join([line, f"after {duration(seconds)}", *outlook.parts()])

    def short(self, seconds: float, outlook: Outlook) -> str:
        """Format the snapshot for one line of a terminal."""
        left = f", {duration(outlook.seconds)}+ left" if outlook.seconds else ""
        slow = outlook.bottleneck
        words = f"; {slow.key.partition('://')[2]} every {slow.words}" if slow else ""
        return (
            f"{duration(seconds)} {self.pages} pages, {outlook.waiting} waiting, "
            f"{self.rate(seconds):.1f}/s, {self.errors} errors, {counted(outlook.origins, 'site')}"
            f"{left}{words}"
        )


@dataclass(frozen=True, slots=True)
class SlowOrigin:
    """An origin with the number of its waiting URLs, the pause in seconds, and its cause."""

    key: str
    waiting: int
    pause: float
    cause: str

    @property
    def seconds(self) -> float:
        """The time that its waiting URLs take at least."""
        return self.waiting * self.pause

    @property
    def words(self) -> str:
        """The pause with its cause."""
        return f"{self.pause:.3g} s by {self.cause}"


@dataclass(frozen=True, slots=True)
class Outlook:
    """Work left: URLs and origins with waiting URLs, and the origin that takes longest, if known.

    ``seconds`` is the expected time for the URLs that are known now; None before the first page.
    """

    waiting: int
    origins: int
    seconds: float | None = None
    slowest: SlowOrigin | None = None

    @classmethod
    def of(cls, waiting: int, origins: int, rate: float, slowest: SlowOrigin | None) -> Outlook:
        """Estimate the time left: by the rate so far, and not below that of the slowest origin."""
        if not rate:
            return cls(waiting, origins, None, slowest)
        least = slowest.seconds if slowest is not None else 0.0
        return cls(waiting, origins, max(waiting / rate, least), slowest)

    @property
    def bottleneck(self) -> SlowOrigin | None:
        """The slowest origin, if its pauses take half of the time that is left, or more."""
        slow = self.slowest
        if slow is None or not slow.pause or slow.seconds < (self.seconds or 0.0) / 2:
            return None
        return slow

    def parts(self) -> Iterator[str]:
        """Yield the parts of a log line."""
        yield f"{counted(self.origins, 'site')} left"
        if self.seconds:
            yield f"{duration(self.seconds)} to go or more"
        if self.bottleneck is not None:
            slow = self.bottleneck
            yield f"slow because {slow.key} is requested every {slow.words}"


def duration(seconds: float) -> str:
    """Format a duration as ``minutes:seconds`` or ``hours:minutes:seconds``."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02}"
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


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
