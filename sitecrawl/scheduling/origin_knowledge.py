"""Knowledge about leased origins: dates of sitemaps, yield of pages, meaning of parameters."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.events import Event
from sitecrawl.frontier.base import Candidate, DueUrl, VisitResult
from sitecrawl.frontier.evidence_table import MEANING, StoredEvidence
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.lifecycle.listed_dates import ListedDates, is_after
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.urls.parameter_trials import Found
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.yields import FRUITLESS, LATER, SHELF, DueVerdict, Yields

TAKEN_BACK = "%s: URLs keep %s, as pages differ by it (session_parameters, entry_parameters)"

logger = logging.getLogger(__name__)


class ParameterMeanings:
    """The trials of names, fed with the results of visits, and what earlier runs have learned."""

    def __init__(
        self,
        discovery: Discovery,
        owner: FrontierOwner,
        recorder: Recorder,
        tasks: BackgroundTasks,
    ) -> None:
        self._discovery = discovery
        self._owner = owner
        self._tasks = tasks
        self._known: set[str] = set()
        self._judge = recorder.judge
        recorder.judge = self.judged

    async def prepare(self, key: str) -> None:
        """Load what is known of the names on an origin: those that carry a meaning, and the others."""
        if key in self._known:
            return
        self._known.add(key)
        for each in await self._owner.frontier.evidence(key, MEANING):
            if each.values["is_meant"]:
                self._discovery.rules.take_back(key, each.values["names"])
            else:
                self._discovery.trials.close(key, tuple(each.values["names"]))

    def judged(self, visit: VisitResult) -> VisitResult:
        """Learn from a visit; add the links that its result brings back."""
        visit = self._judge(visit)
        trials, due = self._discovery.trials, visit.due
        if visit.again:
            return visit
        links: list[Found] = []
        if (ended := trials.judge(due.url, visit.document)) is not None:
            words = " and ".join(ended.names)
            if ended.is_meant:
                logger.info(TAKEN_BACK, due.origin, words)
            known = StoredEvidence(
                MEANING, "&".join(ended.names), {"names": ended.names, "is_meant": ended.is_meant}
            )
            self._tasks.begin(self._owner.frontier.save_evidence(due.origin, [known]))
            links += ended.links
        if visit.outcome in FRUITLESS:
            links += trials.missing(due.url)
        found = (self._discovery.found(each) for each in links)
        more = [each for each in found if each is not None]
        return replace(visit, candidates=[*visit.candidates, *more]) if more else visit


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
        own = ListedDates.from_stored(stored[0].values) if stored else ListedDates()
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
        return due.outcome in READ and self._is_read_alike(due)

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
        return [StoredEvidence(DATES, "", own.as_stored())]

    def _is_read_alike(self, due: DueUrl) -> bool:
        following = self._following.at(due.depth) or None
        return due.reading == self._reading and due.following == following


def unchanged_lines(skipped: int) -> Iterator[tuple[int, str]]:
    """Yield a line with the number of pages that were not visited, if there are any."""
    if skipped:
        yield logging.INFO, UNCHANGED % skipped


PRIORITIES = {DueVerdict.LATER: LATER, DueVerdict.SHELVED: SHELF}


class OriginKnowledge:
    """Knowledge about leased origins, loaded with the lease and stored before its end.

    ``released`` is sent with the key of an origin whose queue has changed.
    """

    def __init__(
        self,
        dates: ListedPages,
        yields: Yields,
        meanings: ParameterMeanings,
        owner: FrontierOwner,
        tasks: BackgroundTasks,
    ) -> None:
        self.released: Event[str] = Event()
        self.dates = dates
        self.yields = yields
        self._meanings = meanings
        self._owner = owner
        self._tasks = tasks
        self._returned: dict[str, dict[int, int | None]] = {}

    async def prepare(self, key: str) -> None:
        """Load what earlier runs have learned of an origin, unless it is loaded."""
        await self.dates.prepare(key)
        await self.yields.prepare(key)
        await self._meanings.prepare(key)

    async def release(self, key: str) -> None:
        """Store what was learned of an origin, before its lease ends."""
        learned = [*self.dates.release(key), *self.yields.release(key)]
        if learned:
            await self._owner.frontier.save_evidence(key, learned)

    def verdict(self, key: str, due: DueUrl) -> DueVerdict:
        """Judge a URL that is due on an origin."""
        if self.dates.rules_out(key, due):
            return DueVerdict.UNCHANGED
        return self.yields.verdict(key, due)

    def carry_out(self, key: str, due: DueUrl, verdict: DueVerdict) -> Decision | None:
        """Return the refusal of a URL that is left out; for others but FETCH, change the queue."""
        if verdict in (DueVerdict.LOW_YIELD, DueVerdict.ENDLESS):
            return self.yields.leave_out(key, due, verdict)
        if key not in self._returned:
            self._returned[key] = {}
            self._tasks.begin(self._return(key))
        self._returned[key][due.fingerprint] = PRIORITIES.get(verdict)
        self.dates.skipped += verdict is DueVerdict.UNCHANGED
        return None

    async def _return(self, key: str) -> None:
        """Return a batch of URLs to the queue, each with its priority, or remove them from it."""
        await asyncio.sleep(0)
        batch = self._returned.pop(key)
        priorities = {each: priority for each, priority in batch.items() if priority is not None}
        if priorities:
            await self._owner.frontier.put_off(key, priorities)
        if len(priorities) < len(batch):
            await self._owner.frontier.skip(key, batch.keys() - priorities.keys())
        self.released.send(key)
