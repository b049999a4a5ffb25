"""Pause an origin that begins to ask for a login in mid-crawl."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.policy.outcomes import READ, Outcome

if TYPE_CHECKING:
    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import VisitResult
    from sitecrawl.scheduling.leased_origins import LeasedOrigins

MAX_WALLS = 5
ASKS = f"{MAX_WALLS} pages in a row ask for a login"

logger = logging.getLogger(__name__)


class LoginWalls:
    """Count of the pages of an origin in a row that ask for a login.

    Without a session only pages count that were read before: many sites have parts for members.
    """

    def __init__(self, params: CrawlParams, leased: LeasedOrigins, recorder: Recorder) -> None:
        self._has_session = params.has_session
        self._leased = leased
        self._in_row: Counter[str] = Counter()
        recorder.visit_recorded.connect(self.recorded)

    def recorded(self, visit: VisitResult) -> None:
        """Count a visit; give up the origin for this run after too many walls."""
        key = visit.due.origin
        if visit.outcome in READ:
            self._in_row.pop(key, None)
        elif visit.outcome is Outcome.LOGIN_WALL or visit.reason == "unauthorized":
            self._in_row[key] += self._has_session or visit.due.indexed_at is not None
            origin = self._leased.origins.get(key)
            if self._in_row[key] >= MAX_WALLS and origin is not None and not origin.given_up:
                origin.give_up(ASKS, "login_wall")
                logger.warning(
                    "%s is paused until a later run: %s, last %s. Nothing is deleted.",
                    *(key, ASKS, visit.due.url),
                )
