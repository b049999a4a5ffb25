"""Where starts were sent in an earlier run, or by another worker: that is in scope too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.frontier.base import FrontierError

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

    async def begin(self, seeds: Sequence[Candidate]) -> None:
        """Bring into scope what an earlier run had there; the first run of all had none."""
        self._starts = [seed.url for seed in seeds]
        try:
            if self._owner.run_id > 1:
                await self.look()
        except FrontierError as error:
            self._owner.fail(error)

    async def look(self) -> None:
        """Bring into scope what the database has of the starts."""
        for url, target in await self._owner.frontier.sent(self._starts):
            self._discovery.sent(url, target)
