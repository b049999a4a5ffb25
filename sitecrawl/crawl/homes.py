"""Where starts were sent in an earlier run, or by another worker: that is in scope too."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sitecrawl.frontier.base import FrontierError
from sitecrawl.policy.scope import owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.crawl.database import FrontierOwner
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.frontier.base import Candidate


class Homes:
    """Looks up what became of the starts, most of which this run has not asked yet."""

    def __init__(self, discovery: Discovery, owner: FrontierOwner) -> None:
        self._discovery = discovery
        self._owner = owner
        self._starts: list[str] = []
        self._by_owner: dict[str, list[str]] = {}

    async def begin(self, seeds: Sequence[Candidate]) -> None:
        """Bring into scope what an earlier run had there; the first run of all had none."""
        self._starts = [seed.url for seed in seeds]
        try:
            if self._owner.run_id > 1:
                await self._look(self._starts)
        except FrontierError as error:
            self._owner.fail(error)

    async def look(self, origin: str) -> None:
        """Bring an origin into scope if the database has it that a start was sent there.

        Only the starts of its owner can have been, as far as the scope goes.
        """
        if not self._by_owner:
            by_owner: defaultdict[str, list[str]] = defaultdict(list)
            for start in self._starts:
                by_owner[owner_of(start)].append(start)
            self._by_owner = by_owner
        starts = self._by_owner.get(owner_of(origin))
        if starts:
            await self._look(starts)

    async def _look(self, starts: Sequence[str]) -> None:
        for url, target in await self._owner.frontier.sent(starts):
            self._discovery.sent(url, target)
