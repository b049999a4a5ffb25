"""Charge responses and failures to the failure budget of their origin."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sitecrawl.policy.advice import in_words
from sitecrawl.policy.http.answers import FetchResult, answer_of_failure
from sitecrawl.policy.lifecycle.revisit import LASTING
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import origin_of, sitemap_of, visit_of
from sitecrawl.responses import answer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

    from sitecrawl.frontier.base import DueUrl
    from sitecrawl.scheduling.origin import Origin
    from sitecrawl.scheduling.yields import Yields


def exception_names(error: BaseException | None) -> Iterator[str]:
    """Yield the class names of an exception and of its causes."""
    while error is not None:
        yield from (each.__name__ for each in type(error).__mro__)
        error = error.__cause__ or error.__context__


CHARGED_TO_LISTINGS = frozenset({Outcome.FILE_INGESTED, Outcome.RATE_LIMITED})
"""A failed sitemap implies nothing about the pages; a site that refuses further requests does."""

BROKEN = frozenset({500, 501})
"""Status codes by which a program fails on a page; others say that a server is busy or away."""

logger = logging.getLogger(__name__)


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
