"""Charge responses, failures and login walls to their origin, which is given up after too many."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.policy.advice import in_words
from sitecrawl.policy.http.answers import FetchResult, answer_of_failure
from sitecrawl.policy.lifecycle.revisit import LASTING
from sitecrawl.policy.outcomes import READ, Outcome
from sitecrawl.reqmeta import origin_of, sitemap_of, visit_of
from sitecrawl.responses import answer_of
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.yields import Yields

CHARGED_TO_LISTINGS = frozenset({Outcome.FILE_INGESTED, Outcome.RATE_LIMITED})
"""A failed sitemap implies nothing about the pages; a site that refuses further requests does."""
BROKEN = frozenset({500, 501})
"""Status codes by which a program fails on a page; others say that a server is busy or away."""
MAX_WALLS = 5
ASKS = f"{MAX_WALLS} pages in a row ask for a login"
logger = logging.getLogger(__name__)


def exception_names(error: BaseException | None) -> Iterator[str]:
    """Yield the class names of an exception and of its causes."""
    while error is not None:
        yield from (each.__name__ for each in type(error).__mro__)
        error = error.__cause__ or error.__context__


def charge_response(
    request: Request, response: Response, stats: StatsCollector, yields: Yields
) -> None:
    """Charge a response of any status to its origin, unless all pages of its kind fail."""
    answer = answer_of(response)
    if sitemap_of(request) is None or answer.outcome in CHARGED_TO_LISTINGS:
        visit = visit_of(request)
        is_excused = visit is not None and _is_excused(visit.due, response.status, yields)
        _take(request, answer, stats, is_excused=is_excused)


def _is_excused(due: DueUrl, status: int, yields: Yields) -> bool:
    """Count a page for or against its kind; return True if it fails as all pages of that do."""
    if status >= 500 and status not in BROKEN:
        return False
    return due.via == "link" and yields.answered(due, failed=status in BROKEN)


def charge_failure(request: Request, error: Exception, stats: StatsCollector) -> None:
    """Charge a request without a response to its origin."""
    if sitemap_of(request) is None:
        _take(request, answer_of_failure(exception_names(error)), stats)


def _take(
    request: Request, answer: FetchResult, stats: StatsCollector, *, is_excused: bool = False
) -> None:
    origin, visit = origin_of(request), visit_of(request)
    ours = visit is not None or sitemap_of(request) is not None
    if origin is None or not ours or origin.given_up:
        return
    due = visit.due if visit is not None else None
    if origin.failure_budget.record_result(
        answer,
        due.fingerprint if due is not None else None,
        failed_before=due is not None and due.outcome in LASTING,
        is_excused=is_excused,
    ):
        _give_up(origin, answer, request.url, stats)


def _give_up(origin: Origin, answer: FetchResult, url: str, stats: StatsCollector) -> None:
    origin.give_up(f"it failed too often, the last time: {in_words(answer.reason)}", answer.reason)
    stats.set_value(f"sitecrawl/patience/{origin.key}", 0)
    logger.warning(
        "%s is given up for this run: too many failures, the last one %s at %s",
        origin.key,
        answer.reason,
        url,
    )


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
