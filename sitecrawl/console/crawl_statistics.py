"""Statistics of a crawl database: the last run, and the state of each origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sitecrawl import typed_program
from sitecrawl.console.terminal import ago, stamp
from sitecrawl.frontier.base import HeldGroup
from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.opening import open_change_log, open_records
from sitecrawl.frontier.records import OriginCounts, RunRecord
from sitecrawl.policy.outcomes import RULE_STATS
from sitecrawl.statuses import MAX_PAGES

LISTED = 20
FAILED = frozenset({"patience", "given_up"})
COMPLETE = 2
WORDS = {
    "finished": "finished",
    "limit": "stopped at its limit",
    "patience": "given up after too many failures",
    "given_up": "given up",
    "interrupted": "interrupted",
    "waiting": "has URLs left for the next crawl",
    "budget": "waits for tomorrow's budget",
    "running": "being crawled",
}


@dataclass(frozen=True, slots=True)
class CrawlStatistics:
    """Statistics of one crawl database; ``outcomes`` counts URLs by their last outcome."""

    run: RunRecord
    outcomes: dict[str, int]
    origins: Sequence[OriginCounts]
    held: Sequence[tuple[str, str, HeldGroup]] = ()
    targets: Sequence[TargetLag] = ()

    @classmethod
    def read(cls, database: str, run: RunRecord) -> CrawlStatistics:
        """Read the current statistics, and those from the end of ``run``."""
        with open_records(database) as records, open_change_log(database) as log:
            origins, held = records.origins(run.realm), records.held(run.realm)
            return cls(run, records.counts(run.realm), origins, held, log.targets())

    def ended(self, origin: OriginCounts) -> str:
        """Return the state in which the last run left an origin: one of the keys of WORDS."""
        if self.run.finished_at is None and self.run.stopped_at is None:
            return "running"
        if f"sitecrawl/patience/{origin.key}" in self.run.counters:
            return "patience"
        if origin.key in self.given_up:
            return "given_up"
        if not origin.waiting:
            return "finished"
        if self.run.finish_reason not in ("finished", MAX_PAGES):
            return "interrupted"
        if 0 < self.daily_pages <= origin.visits_today:
            return "budget"
        return "limit" if self.run.configuration["params"].get("max_pages") else "waiting"

    @property
    def daily_pages(self) -> int:
        """Return the budget of each origin in a day, 0 if there is none."""
        return int(self.run.configuration["params"].get("max_pages_per_day") or 0)

    @property
    def given_up(self) -> dict[str, str]:
        """Return the origins that the last run gave up, with reasons."""
        return self.run.counters.get("given_up") or {}

    @property
    def refused(self) -> dict[str, int]:
        """Return the number of links that the last run refused, by reason."""
        return refused_links(self.run)

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        run = self.run
        return {
            "run": {
                "id": run.id,
                "realm": run.realm,
                "started_at": stamp(run.started_at),
                "finished_at": stamp(run.finished_at),
                "finish_reason": run.finish_reason,
                "stopped_at": stamp(run.stopped_at),
                "counters": run.counters,
            },
            "outcomes": self.outcomes,
            "refused": self.refused,
            "origins": [self._record(each) for each in self.origins],
            "targets": [
                {**asdict(each), "synced_at": stamp(each.synced_at)} for each in self.targets
            ],
        }

    def _record(self, origin: OriginCounts) -> dict[str, Any]:
        groups = [asdict(each) for each in self._held(origin)]
        return {**asdict(origin), "ended": self.ended(origin), "held_for": groups}

    def _held(self, origin: OriginCounts) -> list[HeldGroup]:
        place = (origin.key, origin.realm)
        return [each for key, realm, each in self.held if (key, realm) == place]

    def lines(self, now: float) -> Iterator[str]:
        """Return the printed form."""
        run = self.run
        yield f"Run {run.id} of realm {run.realm!r} {run_state(run, now)}"
        yield from ("", "URLs by their last outcome")
        yield from (f"  {count:9} {name}" for name, count in self.outcomes.items())
        if self.refused:
            yield from ("", "Links that the last run refused, by reason")
            yield from (f"  {count:9} {reason}" for reason, count in self.refused.items())
        yield from ("", "Origins")
        yield from self._origins()
        if self.targets:
            yield from ("", "Targets of scrapy sync")
            yield from (_target(each, now) for each in self.targets)

    def _origins(self) -> Iterator[str]:
        """Return lines about the origins that need attention first; many origins as counts."""
        origins = sorted(self.origins, key=self.rank)
        if len(origins) > LISTED:
            counts = Counter(map(self.ended, origins))
            yield from (f"  {counts[word]:9} {WORDS[word]}" for word in WORDS if counts[word])
            origins = [each for each in origins if self.rank(each) < COMPLETE]
        for origin in origins[:LISTED]:
            yield from self._origin(origin)
        if len(self.origins) > LISTED:
            yield f"  To list all {len(self.origins)}: {typed_program()} frontier --json"

    def rank(self, origin: OriginCounts) -> int:
        """Return the sort key: 0 needs a person, then unfinished origins, then complete ones."""
        ended = self.ended(origin)
        if origin.held or ended in FAILED:
            return 0
        return COMPLETE if ended == "finished" else 1

    def _origin(self, origin: OriginCounts) -> Iterator[str]:
        why = self.given_up.get(origin.key)
        words = f"{WORDS[self.ended(origin)]}{f': {why}' if why else ''}"
        yield f"  {origin.key} ({origin.realm}): {words}"
        held = f", {origin.held} changes held back" if origin.held else ""
        if self.daily_pages:
            held += f", {origin.visits_today} of {self.daily_pages} pages of today visited"
        yield f"    {origin.urls} URLs, {origin.waiting} waiting, {origin.documents} documents{held}"
        for each in self._held(origin):
            yield f"    held back: {each.in_words}"
        if origin.held:
            yield f"    if this is intended: {typed_program()} frontier confirm {origin.key}"


def refused_links(run: RunRecord) -> dict[str, int]:
    """Return the number of links that a run refused, by reason."""
    counters = sorted(run.counters.items())
    found = {name: count for name, count in counters if name.startswith(RULE_STATS)}
    return {name.removeprefix(RULE_STATS): int(count) for name, count in found.items()}


def run_state(run: RunRecord, now: float) -> str:
    """Return the state of a run in words, after the name of the run."""
    if run.finished_at is not None:
        return f"ended {ago(run.finished_at, now)} ({run.finish_reason})"
    if run.stopped_at is not None:
        return f"stopped without end, last seen {ago(run.stopped_at, now)}"
    return f"is running, begun {ago(run.started_at, now)}"


def _target(state: TargetLag, now: float) -> str:
    lag = f"{state.behind} changes behind" if state.behind else "up to date"
    refused = (
        f", refused {state.refused} ({typed_program()} frontier refused)" if state.refused else ""
    )
    return f"  {state.target}: {lag}, last written {ago(state.synced_at, now)}{refused}"
