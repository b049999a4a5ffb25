"""Limit on the requests of a run, shared by its workers."""

from __future__ import annotations

from contextlib import suppress

from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.frontier.base import FrontierError
from sitecrawl.scheduling.background import BackgroundTasks


class RequestBudget:
    """Requests that this worker may still make, granted by the crawl database in blocks.

    All workers together make no more than ``limit``; 0 is no limit.
    """

    def __init__(self, limit: int, owner: FrontierOwner, tasks: BackgroundTasks) -> None:
        self._limit = limit
        self._owner = owner
        self._tasks = tasks
        self._granted = 0
        self._asking = False
        self.is_exhausted = False

    @property
    def allows(self) -> bool:
        """True if a request may be made now."""
        return not self._limit or self._granted > 0

    def spend(self) -> None:
        """Count a request."""
        self._granted -= 1

    def refund(self) -> None:
        """Take back the count of a request that is made once more."""
        self._granted += 1
        self.is_exhausted = False

    def ask(self) -> None:
        """Ask for another block; the engine is woken when the answer is there."""
        if not self._asking:
            self._asking = True
            self._tasks.begin(self._ask())

    async def _ask(self) -> None:
        self._granted += (granted := await self._owner.frontier.grant(self._limit))
        self.is_exhausted = not granted
        self._asking = False

    async def end(self) -> None:
        """Return what was not spent, for other workers."""
        unspent, self._granted = self._granted, 0
        if self._limit and unspent > 0 and self._owner.failure is None:
            with suppress(FrontierError):  # a more important call will report the same error
                await self._owner.frontier.return_grant(unspent)
