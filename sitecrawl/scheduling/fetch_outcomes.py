"""Make the requests of visits, and give every end of a fetch exactly one outcome."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import DueUrl, Outcome, Visit
from sitecrawl.policy.http.answers import FetchResult, answer_of_failure
from sitecrawl.policy.http.retries import retry_wait
from sitecrawl.policy.urls.url_rules import extension, read_target
from sitecrawl.reqmeta import ORIGIN, VISIT, origin_of, visit_of
from sitecrawl.scheduling.failure_accounting import exception_names
from sitecrawl.scheduling.origin_queues import OriginQueues

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.scheduling.origin import Origin


SAME_PAGE_NOTE = (
    "which is the same page as session_parameters, entry_parameters, query and url_rewrite have it"
)

logger = logging.getLogger(__name__)


class RequestDropped(IgnoreRequest):
    """A request that a rule drops before download."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


class ResponseWithoutContent(IgnoreRequest):
    """A response that holds no content to read."""

    def __init__(self, answer: FetchResult) -> None:
        super().__init__(answer.reason)
        self.answer = answer


class SamePageRedirect(IgnoreRequest):
    """A redirect between two spellings of one URL, as from ``/docs`` to ``/docs/``."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class HeadPassed(IgnoreRequest):
    """An answer to HEAD that does not rule out that the page is wanted."""


class VisitRequests:
    """Requests for due URLs, and the outcomes of those without content."""

    def __init__(
        self,
        parse: Callable[..., Any],
        queues: OriginQueues,
        recorder: Recorder,
        stats: StatsCollector,
        params: CrawlParams,
    ) -> None:
        self._parse = parse
        self._queues = queues
        self._recorder = recorder
        self._stats = stats
        self._params = params

    def request(self, due: DueUrl, origin: Origin) -> Request:
        """Make the request that visits a due URL, sent exactly as it is written there."""
        return Request(
            due.url,
            method="HEAD" if self._asks_head(due, origin) else "GET",
            callback=self._parse,
            errback=self.failed,
            dont_filter=True,
            meta={
                VISIT: Visit(due, time.time()),
                ORIGIN: origin,
                "download_slot": origin.key,
                "verbatim_url": True,
            },
        )

    def failed(self, failure: Failure) -> None:
        """Record a visit that brought no content, whatever stopped it."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit, origin = visit_of(request), origin_of(request)
        assert visit is not None
        assert origin is not None
        error: BaseException = failure.value  # type: ignore[assignment]
        if isinstance(error, RequestDropped):
            visit.outcome, visit.reason = error.outcome, error.reason
        elif isinstance(error, SamePageRedirect):
            if self._respelled(visit, origin, error.url):
                return
        elif isinstance(error, HeadPassed):
            origin.head_passed(visit.due.fingerprint)
            self._visit_again(origin, visit.due)
            return
        elif isinstance(error, ResponseWithoutContent):
            self._answered(visit, origin, error.answer)
        else:
            self._answered(visit, origin, answer_of_failure(exception_names(error)))
            visit.detail = str(error)
            logger.info("%s: %s (%s)", visit.due.url, visit.reason, error)
        self._recorder.record(visit)
        self._queues.advance(origin)

    def _respelled(self, visit: Visit, origin: Origin, url: str) -> bool:
        """Visit the page under its other spelling, unless that led back here."""
        if origin.alternate_url.get(visit.due.fingerprint) == visit.due.url:
            visit.outcome, visit.reason = Outcome.DID_NOT_UNDERSTAND_ANSWER, "redirect_loop"
            if visit.redirect_to != url == visit.due.url:
                visit.detail = SAME_PAGE_NOTE
            return False
        origin.use_alternate(visit.due.fingerprint, url)
        self._visit_again(origin, replace(visit.due, url=url))
        return True

    def _visit_again(self, origin: Origin, due: DueUrl) -> None:
        origin.visit_again(due)
        self._queues.advance(origin)

    def _asks_head(self, due: DueUrl, origin: Origin) -> bool:
        if (
            not self._params.head_first
            or due.indexed_at is not None
            or due.fingerprint in origin.head_checked
        ):
            return False
        return not extension(read_target(due.url).parts.path)

    def _answered(self, visit: Visit, origin: Origin, answer: FetchResult) -> None:
        visit.outcome, visit.reason = answer.outcome, answer.reason
        now, fingerprint = time.time(), visit.due.fingerprint
        wait = retry_wait(
            answer,
            origin.retry_count[fingerprint],
            retries=self._params.retries,
            max_wait=self._params.max_wait,
            retry_after=max(0.0, (visit.not_before or now) - now),
        )
        if wait is not None:  # else each page that did not change would leave an entry
            visit.again, visit.not_before = True, now + wait
            origin.count_retry(fingerprint)
            self._stats.inc_value(f"sitecrawl/retries/{answer.reason}")
