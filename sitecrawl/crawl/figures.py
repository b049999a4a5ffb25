"""The figures of a crawl under way, as a line for the person who watches it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.policy.revisit import FAILED

OUTCOMES, RULES = "sitecrawl/outcomes/", "sitecrawl/rules/"
STATUSES = "downloader/response_status_count/"
ERRORS = frozenset(outcome.name.lower() for outcome in FAILED)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was done so far; ``statuses`` counts the answers 2xx to 5xx, robots.txt included.

    ``pages`` are crawl actions with an outcome, ``errors`` those that failed, ``lines`` what
    went to the output, ``refused`` the links that rules left out.
    """

    pages: int
    errors: int
    lines: int
    refused: int
    statuses: tuple[int, int, int, int]

    @classmethod
    def read(cls, stats: Mapping[str, Any]) -> Figures:
        """The figures out of Scrapy's stats."""
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
        """The figures after ``seconds`` of crawling, with what waits."""
        rate = self.pages / seconds if seconds else 0.0
        waits = "" if waiting is None else f", {waiting} waiting"
        answers = ", ".join(f"{n}xx {count}" for n, count in enumerate(self.statuses, start=2))
        return (
            f"{self.pages} pages ({rate:.1f}/s){waits}, {self.errors} errors, {self.lines} lines "
            f"written; answers: {answers}; links refused: {self.refused}"
        )

    def short(self, seconds: float, waiting: int) -> str:
        """The same for one line of a terminal."""
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
