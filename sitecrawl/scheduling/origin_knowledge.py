"""Knowledge about leased origins: dates of sitemaps, yield of pages, meaning of parameters."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.events import Event
from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.frontier.evidence_table import MEANING, StoredEvidence
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.urls.parameter_trials import Found
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.listed_pages import ListedPages
from sitecrawl.scheduling.yields import FRUITLESS, LATER, SHELF, DueVerdict, Yields

logger = logging.getLogger(__name__)
PRIORITIES = {DueVerdict.LATER: LATER, DueVerdict.SHELVED: SHELF}


class ParameterMeanings:
    """The trials of names, fed with the results of visits, and what earlier runs have learned."""

    def __init__(
        self, discovery: Discovery, owner: FrontierOwner, recorder: Recorder, tasks: BackgroundTasks
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
                logger.info(
                    "%s: URLs keep %s, as pages differ by it (session_parameters, entry_parameters)",
                    *(due.origin, words),
                )
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


@dataclass(eq=False, repr=False)
class OriginKnowledge:
    """Knowledge about leased origins, loaded with the lease and stored before its end.

    ``released`` is sent with the key of an origin whose queue has changed.
    """

    dates: ListedPages
    yields: Yields
    _meanings: ParameterMeanings
    _owner: FrontierOwner
    _tasks: BackgroundTasks
    released: Event[str] = field(default_factory=Event)
    _returned: dict[str, dict[int, int | None]] = field(default_factory=dict)

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
