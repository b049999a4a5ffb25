"""Names of session ids and tracking parameters that carry a meaning on an origin."""

from __future__ import annotations

import logging
from dataclasses import replace

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import VisitResult
from sitecrawl.frontier.evidence_table import MEANING, StoredEvidence
from sitecrawl.policy.urls.parameter_trials import Found
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.yields import FRUITLESS

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
