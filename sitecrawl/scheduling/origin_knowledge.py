"""Knowledge about leased origins: dates of sitemaps, yield of pages, meaning of parameters."""

from __future__ import annotations

import asyncio

from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.events import Event
from sitecrawl.frontier.base import DueUrl
from sitecrawl.policy.decision import Decision
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.listed_pages import ListedPages
from sitecrawl.scheduling.parameter_meanings import ParameterMeanings
from sitecrawl.scheduling.yields import LATER, SHELF, DueVerdict, Yields

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
