"""Progress of a crawl in words: what was done so far, and the work that is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.run_summary import counted
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import OUTCOME_STATS, RULE_STATS, Outcome

STATUSES = "downloader/response_status_count/"
ERRORS = tuple(f"{OUTCOME_STATS}{outcome.name.lower()}" for outcome in FAILED)
NOT_REQUESTED = tuple(
    f"{OUTCOME_STATS}{outcome.name.lower()}"
    for outcome in Outcome
    if outcome < Outcome.FILE_INGESTED
)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Work left: URLs and origins with waiting URLs.

    ``seconds`` is the expected time for the URLs that are known now; None before the first page.
    ``slow`` is the origin whose pauses take half of that or more, with the pause and its cause.
    """

    waiting: int
    origins: int
    seconds: float | None = None
    slow: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """Progress so far; ``answers`` counts the responses 2xx to 5xx, robots.txt included.

    ``pages`` counts the URLs that were requested and have an outcome, ``errors`` those that failed,
    ``lines`` the output lines, ``refused`` the links refused by rules.
    """

    pages: int
    errors: int
    lines: int
    refused: int
    answers: str

    @classmethod
    def read(cls, stats: Mapping[str, Any]) -> ProgressSnapshot:
        """Read the snapshot from Scrapy's stats."""

        def total(prefix: str, *but: str) -> int:
            names = (each for each in stats if each.startswith(prefix) and each not in but)
            return sum(stats[each] for each in names)

        return cls(
            pages=total(OUTCOME_STATS, *NOT_REQUESTED),
            errors=sum(stats.get(each, 0) for each in ERRORS),
            lines=stats.get("item_scraped_count", 0),
            refused=total(RULE_STATS),
            answers=", ".join(f"{first}xx {total(f'{STATUSES}{first}')}" for first in "2345"),
        )

    def rate(self, seconds: float) -> float:
        """Return the number of pages per second."""
        return self.pages / seconds if seconds else 0.0

    def line(self, seconds: float, outlook: Outlook | None = None) -> str:
        """Format the snapshot after ``seconds`` of crawling, for the log."""
        waits = "" if outlook is None else f", {outlook.waiting} waiting"
        line = (
            f"{self.pages} pages ({self.rate(seconds):.1f}/s){waits}, {self.errors} errors, "
            f"{self.lines} lines; answers: {self.answers}; links refused: {self.refused}"
        )
        if outlook is None:
            return line
        parts = [line, f"after {duration(seconds)}", f"{counted(outlook.origins, 'site')} left"]
        if outlook.seconds:
            parts.append(f"{duration(outlook.seconds)} to go or more")
        if outlook.slow:
            parts.append("slow because {} is requested every {}".format(*outlook.slow))
        return "; ".join(parts)

    def short(self, seconds: float, outlook: Outlook) -> str:
        """Format the snapshot for one line of a terminal."""
        left = f", {duration(outlook.seconds)}+ left" if outlook.seconds else ""
        slow, pause = outlook.slow or ("", "")
        words = f"; {slow.partition('://')[2]} every {pause}" if slow else ""
        return (
            f"{duration(seconds)} {self.pages} pages, {outlook.waiting} waiting, "
            f"{self.rate(seconds):.1f}/s, {self.errors} errors, {counted(outlook.origins, 'site')}"
            f"{left}{words}"
        )


def duration(seconds: float) -> str:
    """Format a duration as ``minutes:seconds`` or ``hours:minutes:seconds``."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02}"
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
