"""Requests of visits, exactly one outcome for every end of a fetch, and its charge to the origin."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.visit import Visit
from sitecrawl.events import Event
from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.http.fetch_errors import LeaseExpiredError, exception_names
from sitecrawl.policy.advice import in_words
from sitecrawl.policy.http.answers import NOBODY_THERE, FetchResult, answer_of_failure, retry_wait
from sitecrawl.policy.lifecycle.revisit import LASTING
from sitecrawl.policy.outcomes import READ, Outcome
from sitecrawl.reqmeta import ORIGIN, VISIT, occupying, origin_of, sitemap_of, visit_of
from sitecrawl.responses import answer_of
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.scheduling.yields import Yields

CHARGED_TO_LISTINGS = frozenset({Outcome.FILE_INGESTED, Outcome.RATE_LIMITED})
"""A failed sitemap implies nothing about the pages; a site that refuses further requests does."""
BROKEN = frozenset({500, 501})
"""Status codes by which a program fails on a page; others say that a server is busy or away."""
MAX_WALLS = 5
ASKS = f"{MAX_WALLS} pages in a row ask for a login"


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
    if not origin.failure_budget.record_result(
        answer,
        due.fingerprint if due is not None else None,
        failed_before=due is not None and due.outcome in LASTING,
        is_excused=is_excused,
    ):
        return
    origin.give_up(f"it failed too often, the last time: {in_words(answer.reason)}", answer.reason)
    stats.set_value(f"sitecrawl/patience/{origin.key}", 0)
    logger.warning(
        "%s is given up for this run: too many failures, the last one %s at %s",
        *(origin.key, answer.reason, request.url),
    )


SAME_PAGE_NOTE = (
    "to the same page by session_parameters, entry_parameters, query and url_rewrite: "
    "change the one that drops the difference"
)
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


class RequestDropped(IgnoreRequest):
    """A request that a rule drops before download."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


class ResponseWithoutContent(IgnoreRequest):
    """A response without content to read."""

    def __init__(self, answer: FetchResult) -> None:
        super().__init__(answer.reason)
        self.answer = answer


class SamePageRedirect(IgnoreRequest):
    """A redirect between two spellings of one URL, as from ``/docs`` to ``/docs/``."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class VisitPostponed(IgnoreRequest):
    """A page to be visited again, as it can be judged only after another request to its origin."""


@dataclass(eq=False, repr=False)
class VisitRequests:
    """Requests for due URLs, and the outcomes of visits without content.

    ``postponed`` is sent when a page is to be visited once more.
    """

    _parse: Callable[..., Any]
    _queues: OriginQueues
    _recorder: Recorder
    _stats: StatsCollector
    _params: CrawlParams
    postponed: Event[()] = field(default_factory=Event[()])

    def request(self, due: DueUrl, origin: Origin) -> Request:
        """Make the request that visits a due URL, sent exactly as the URL is written."""
        return Request(
            due.url,
            callback=self._parse,
            errback=self.failed,
            dont_filter=True,
            meta={VISIT: Visit(due, time.time()), "verbatim_url": True, **occupying(origin)},
        )

    def repeat(self, request: Request, origin: Origin) -> Request:
        """Start another visit for a request that a callback repeats; return others unchanged."""
        visit = visit_of(request)
        if visit is not None and visit.has_ended:
            request.meta[VISIT] = Visit(visit.due, time.time())
            origin.open_visits += 1
        return request

    def failed(self, failure: Failure) -> None:
        """Record a visit that returned no content, whatever the cause."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit = request.meta[VISIT]
        origin: Origin = request.meta[ORIGIN]
        error: BaseException = failure.value  # type: ignore[assignment]
        result = self._result(visit, origin, error)
        if result is not None:
            self._recorder.record(result)
        self._queues.advance(origin)

    def _result(self, visit: Visit, origin: Origin, error: BaseException) -> VisitResult | None:
        if isinstance(error, RequestDropped):
            return visit.end(error.outcome, error.reason)
        if isinstance(error, SamePageRedirect):
            return self._respelled(visit, origin, error.url)
        if isinstance(error, VisitPostponed | LeaseExpiredError):
            self.postponed.send()
            self._visit_again(visit, origin, visit.due)
            return None
        if isinstance(error, ResponseWithoutContent):
            return self._answered(visit, origin, error.answer)
        answer = answer_of_failure(exception_names(error))
        logger.info("%s: %s (%s)", visit.due.url, answer.reason, error)
        return self._answered(visit, origin, answer, str(error))

    def _respelled(self, visit: Visit, origin: Origin, url: str) -> VisitResult | None:
        """Visit the page under its other spelling, unless that redirected back to this one."""
        due = visit.due
        if origin.alternate_url.get(due.fingerprint) == due.url:
            note = SAME_PAGE_NOTE if visit.redirect_to != url == due.url else None
            return visit.end(Outcome.DID_NOT_UNDERSTAND_ANSWER, "redirect_loop", note)
        origin.alternate_url[due.fingerprint] = url
        self._visit_again(visit, origin, replace(due, url=url))
        return None

    def _visit_again(self, visit: Visit, origin: Origin, due: DueUrl) -> None:
        visit.withdraw()
        origin.todo.appendleft(due)
        origin.open_visits -= 1

    def _answered(
        self, visit: Visit, origin: Origin, answer: FetchResult, detail: str | None = None
    ) -> VisitResult:
        now, due = time.time(), visit.due
        retries, fingerprint = self._params.retries, due.fingerprint
        if answer.reason in NOBODY_THERE and due.via == "seed" and due.indexed_at is None:
            retries = min(retries, 1)
        wait = retry_wait(
            answer,
            origin.retry_count[fingerprint],
            retries=retries,
            max_wait=self._params.max_wait,
            retry_after=max(0.0, (visit.not_before or now) - now),
        )
        if wait is None:  # a permanent entry would cost memory for each page that did not change
            return visit.end(answer.outcome, answer.reason, detail)
        origin.retry_count[fingerprint] += 1
        self._stats.inc_value(f"sitecrawl/retries/{answer.reason}")
        return visit.end(answer.outcome, answer.reason, detail, retry_at=now + wait)
