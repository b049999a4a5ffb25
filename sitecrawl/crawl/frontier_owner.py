"""Owner of the crawl database, which opens it, and ends the crawl when it fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sitecrawl.config.configuration import Configuration
from sitecrawl.events import Event
from sitecrawl.frontier.base import AlreadyRunningError, FrontierError
from sitecrawl.frontier.threaded import Frontier
from sitecrawl.statuses import ALREADY_RUNNING, DATABASE_ERROR

logger = logging.getLogger(__name__)


class FrontierOwner:
    """Only owner of the crawl database.

    ``failed`` is sent once, when the database can no longer be used; ``failure`` is the reason,
    ``status`` the exit status that follows from it.
    """

    def __init__(self, frontier: Frontier, configuration: Configuration) -> None:
        self.frontier = frontier
        self.run_id = 0
        self.failure: str | None = None
        self.status = DATABASE_ERROR
        self.failed: Event[()] = Event()
        self._configuration = configuration

    async def open(self) -> None:
        """Open the database and begin a run; raises FrontierError."""
        name = self._configuration.params.database_name
        self.run_id = await self.frontier.open(name, self._configuration.stored())

    def fail(self, error: FrontierError) -> None:
        """End the crawl at once: without its database it could only do harm."""
        if self.failure is not None:
            return
        self.failure = str(error)
        if isinstance(error, AlreadyRunningError):
            self.status = ALREADY_RUNNING
            logger.error("%s", error)
        else:
            logger.error("The crawl database failed and the crawl ends: %s", error)
        self.failed.send()

    @contextmanager
    def failures_end_crawl(self) -> Iterator[None]:
        """End the crawl if its database fails in the block."""
        try:
            yield
        except FrontierError as error:
            self.fail(error)

    @contextmanager
    def errors_end_crawl(self, words: str) -> Iterator[None]:
        """End the crawl if the block raises anything; log what nobody foresaw, after ``words``."""
        try:
            with self.failures_end_crawl():
                yield
        except Exception as error:
            logger.exception("%s", words)
            self.fail(FrontierError(f"{type(error).__name__}: {error}"))

    async def close(self, reason: str, counters: dict[str, Any]) -> None:
        """End the run with its finish reason and counters."""
        if self.failure is None and self.run_id:
            with self.failures_end_crawl():
                await self.frontier.close(reason, counters)
