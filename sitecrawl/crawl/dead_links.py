"""Gathers the links that lead nowhere, for the report of a check."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sitecrawl.policy.revisit import FAILED

if TYPE_CHECKING:
    from sitecrawl.frontier.base import Visit

logger = logging.getLogger(__name__)


class DeadLinks:
    """What could not be had, each with the page that was the first to link to it."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def note(self, visit: Visit) -> None:
        """Take in a visit that ended; only its last end in the run counts."""
        self._found.pop(visit.due.url, None)
        if visit.outcome in FAILED:
            status = f", status {visit.status}" if visit.status else ""
            page = visit.due.referrer or "a start"
            self._found[visit.due.url] = f"{visit.reason}{status}, linked from {page}"

    def report(self) -> None:
        """List them, in the order in which they were found."""
        logger.info("%d dead links", len(self._found))
        for url, words in self._found.items():
            logger.warning("dead link %s: %s", url, words)
