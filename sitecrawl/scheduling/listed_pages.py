"""Dates of sitemaps: known pages that reliable dates call unchanged are not visited."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import Candidate, DueUrl, VisitResult
from sitecrawl.frontier.evidence_table import StoredEvidence
from sitecrawl.policy.lifecycle.listed_dates import ListedDates, is_after
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome

UNCHANGED = (
    "%d known pages were not visited, as reliable dates of a sitemap say that they are unchanged"
)
DATES = "dates"
MAX_DATES = 200_000
READ = frozenset(int(each) for each in (Outcome.FILE_INGESTED, Outcome.FILE_DID_NOT_CHANGE))


class ListedPages:
    """The dates in the sitemaps of this run, and their reliability by origin.

    ``skipped`` counts the pages that were not visited because of them.
    """

    def __init__(self, params: CrawlParams, owner: FrontierOwner, recorder: Recorder) -> None:
        self._owner = owner
        self._trusts = params.trust_lastmod and not params.force and params.mode != "check"
        self._max_age = params.max_revisit
        self._reading = params.reading or None
        self._following = params.following
        self._dates: dict[int, float] = {}
        self._origins: dict[str, ListedDates] = {}
        self.skipped = 0
        recorder.batch_committed.connect(self.committed)

    async def prepare(self, key: str) -> None:
        """Load the reliability of the dates of an origin when its lease begins."""
        if not self._trusts or key in self._origins:
            return
        stored = await self._owner.frontier.evidence(key, DATES)
        own = ListedDates(**stored[0].values) if stored else ListedDates()
        self._origins.setdefault(key, own)

    def note(self, entries: Iterable[tuple[Candidate, float]]) -> None:
        """Keep the dates of a sitemap, in UTC epoch seconds; those in the future say nothing."""
        now = time.time() if self._trusts else 0.0
        for each, date in entries:
            if date <= now and len(self._dates) < MAX_DATES:
                self._dates[each.fingerprint] = date

    async def queue_changed(self, entries: Sequence[tuple[Candidate, float]]) -> None:
        """Queue the pages of a sitemap that changed since their visit, if its dates are reliable."""
        frontier = self._owner.frontier
        by_origin: dict[str, list[tuple[Candidate, float]]] = defaultdict(list)
        for each, date in entries:
            if each.fingerprint in self._dates:
                by_origin[each.origin].append((each, date))
        for key, own in by_origin.items():
            if frontier.holds(key):
                await self.prepare(key)
            dates = self._origins.get(key)
            if dates is not None and dates.announce_changes:
                await frontier.mark_modified(own)

    def rules_out(self, key: str, due: DueUrl) -> bool:
        """Return True for a known page that a reliable sitemap calls unchanged, up to ``max_revisit``."""
        date = self._dates.get(due.fingerprint)
        dates = self._origins.get(key)
        if date is None or dates is None or not dates.rule_out_changes:
            return False
        read_at = due.indexed_at
        if due.document_id is None or read_at is None or due.via == "seed":
            return False
        if read_at < time.time() - self._max_age or is_after(date, read_at):
            return False
        following = self._following.at(due.depth) or None
        is_read_alike = (due.reading, due.following) == (self._reading, following)
        return due.outcome in READ and is_read_alike

    def committed(self, key: str, visits: Sequence[VisitResult]) -> None:
        """Learn from committed visits."""
        dates = self._origins.get(key)
        if dates is None:
            return
        for visit in visits:
            due = visit.due
            date = self._dates.get(due.fingerprint)
            if date is not None and due.indexed_at and visit.outcome in WITH_CONTENT:
                changed = visit.outcome is Outcome.FILE_INGESTED and not visit.unchanged
                changed = changed and visit.content_hash != due.content_hash
                dates.observe(announced=is_after(date, due.indexed_at), changed=changed)

    def release(self, key: str) -> list[StoredEvidence]:
        """Drop the reliability of the dates of an origin, and return it to be stored."""
        own = self._origins.pop(key, None)
        if own is None or own == ListedDates():
            return []
        return [StoredEvidence(DATES, "", asdict(own))]


def unchanged_lines(skipped: int) -> Iterator[tuple[int, str]]:
    """Yield a line with the number of pages that were not visited, if there are any."""
    if skipped:
        yield logging.INFO, UNCHANGED % skipped
