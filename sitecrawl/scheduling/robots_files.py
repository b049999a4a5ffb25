"""Request robots.txt, and files about the use of its pages, before the pages of each origin."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.events import Event
from sitecrawl.http.fetch_errors import LeaseExpiredError, exception_names
from sitecrawl.policy.advice import in_words
from sitecrawl.policy.decision import ALLOWED, Decision
from sitecrawl.policy.http.answers import (
    CHALLENGE,
    FOLLOWED,
    NOBODY_THERE,
    answer_of_failure,
    backoff,
)
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.refusal_reasons import ROBOTS_TXT, ROBOTS_TXT_UNREACHABLE
from sitecrawl.reqmeta import ORIGIN, ROBOTS_OF, USAGE_FILE, own_request
from sitecrawl.responses import answer_of, location
from sitecrawl.scheduling.origin import Origin, RobotsFile
from sitecrawl.web.robots.robots_txt import RobotsNotice, RobotsTxt, product_token
from sitecrawl.web.robots.usage_statements import MAX_LICENSES, Statement
from sitecrawl.web.robots.usage_terms import TDMREP, Terms, read_terms, terms_of
from sitecrawl.web.urls.url import origin as origin_key
from sitecrawl.web.urls.url import resolve

logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5  # RFC 9309, 2.3.1.2


class RobotsFiles:
    """Robots.txt of the origins: requests, responses, and decisions (RFC 9309).

    ``request_ended`` is sent after each response or failure. ``rules_known`` is sent before it if
    the origin has rules, which may name sitemaps.
    """

    def __init__(self, params: CrawlParams, agent: str, stats: StatsCollector) -> None:
        self.rules_known: Event[Origin] = Event()
        self.request_ended: Event[Origin] = Event()
        self._params = params
        self._agent = product_token(agent)
        self._stats = stats

    def due(self, origin: Origin, now: float) -> bool:
        """Return True if robots.txt must be requested before anything else of the origin."""
        return (
            self._params.obey_robots
            and origin.robots.expires_at <= now
            and not (origin.robots.is_asked or origin.given_up)
        )

    def request(self, origin: Origin) -> Request:
        """Make the request for the origin's robots.txt, or for the URL that it redirected to."""
        origin.robots.is_asked = True
        return own_request(self, origin.robots.url, ROBOTS_OF, origin, origin)

    def decide(self, origin: Origin, url: str) -> Decision:
        """Judge ``url`` by the origin's robots.txt; the decision quotes the line."""
        if not self._params.obey_robots:
            return ALLOWED
        rules = self._rules(origin)
        if rules is None:
            return ROBOTS_TXT_UNREACHABLE.refuse(f"{origin.robots.url} could not be read")
        match = rules.match(url, self._agent)
        if match.allowed:
            return ALLOWED
        return ROBOTS_TXT.refuse(f"line {match.line_number} of robots.txt: {match.line}")

    def usage(self, origin: Origin, url: str) -> Iterator[Statement]:
        """Return what the origin's robots.txt says about the use of ``url``."""
        rules = self._rules(origin) if self._params.obey_robots else None
        return rules.usage(url, self._agent) if rules else iter(())

    def licenses(self, origin: Origin) -> Iterator[str]:
        """Return the URLs of the licences that the origin's robots.txt names."""
        rules = self._rules(origin)
        return (each.license for each in rules.licenses) if rules else iter(())

    def _rules(self, origin: Origin) -> RobotsTxt | None:
        """Return the rules, parsed again after an idle time; None without a file."""
        robots = origin.robots
        if robots.rules is None and robots.body is not None:
            return self._parse(robots, robots.body)
        return robots.rules

    def _parse(self, robots: RobotsFile, body: bytes) -> RobotsTxt:
        robots.rules = RobotsTxt.parse(
            body,
            origin=robots.origin,
            case_insensitive_disallow=self._params.robots_case_insensitive,
        )
        return robots.rules

    def answered(self, response: Response) -> None:
        """Handle the response; 4xx allows everything, 5xx nothing (RFC 9309, 2.3.1)."""
        origin: Origin = response.meta[ROBOTS_OF]
        if response.status in FOLLOWED and self._redirect(origin, response):
            pass
        elif response.status >= 500 or response.status == 429:
            why = f"answered {response.status}"
            if answer_of(response) is CHALLENGE:
                reason = CHALLENGE.reason
                self._unreachable(origin, why, response.status, reason=reason, lasting=True)
            else:
                self._unreachable(origin, why, response.status)
        elif response.status >= 300:
            self._adopt(origin, b"", response.status)
        else:
            self._adopt(origin, response.body, response.status)
        self._resume(origin)

    def failed(self, failure: Failure) -> None:
        """Count a failed request as unreachable (RFC 9309, 2.3.1.4)."""
        origin: Origin = failure.request.meta[ROBOTS_OF]  # type: ignore[attr-defined]
        if isinstance(failure.value, LeaseExpiredError):  # nothing was sent
            origin.robots.cancel()
            self._resume(origin)
            return
        answer = answer_of_failure(exception_names(failure.value))
        if answer.outcome is Outcome.BLOCKED_URL_BY_LOCAL_POLICY:
            origin.robots.cancel()
            origin.give_up(f"{failure.getErrorMessage()} ({answer.reason})", answer.reason)
            logger.warning("%s is given up for this run: %s", origin.key, origin.given_up)
        else:
            nobody = answer.reason in NOBODY_THERE and origin.is_new_start
            lasting = not answer.retryable or (nobody and origin.robots.failures > 0)
            self._unreachable(
                origin, failure.getErrorMessage(), reason=answer.reason, lasting=lasting
            )
        self._resume(origin)

    def _resume(self, origin: Origin) -> None:
        if origin.robots.rules is not None:
            self.rules_known.send(origin)
        self.request_ended.send(origin)

    def _redirect(self, origin: Origin, response: Response) -> bool:
        where = location(response.headers)
        target = resolve(where, response.url) if where else None
        if target is None or not target.startswith(("http://", "https://")):
            return False
        if origin.robots.redirects >= MAX_REDIRECTS:
            return False
        origin.robots.redirected(target, response.status)
        return True

    def _adopt(self, origin: Origin, body: bytes, status: int) -> None:
        robots = origin.robots
        before = robots.body
        robots.read(body, status)
        rules = self._parse(robots, body)
        if body != before:
            _tell(rules.notices, robots.own_url)
        delay = None if self._params.from_warc else rules.crawl_delay(self._agent)
        origin.postpone(origin.pace.learn(delay))
        # Counted from the end of the pause: a pause longer than the lifetime would leave time for
        # nothing but robots.txt.
        now = max(asyncio.get_running_loop().time(), origin.ready_at)
        robots.expires_at = now + self._params.robots_lifetime
        self._count("read")

    def _unreachable(
        self,
        origin: Origin,
        why: str,
        status: int | None = None,
        *,
        reason: str = ROBOTS_TXT_UNREACHABLE.name,
        lasting: bool = False,
    ) -> None:
        """Ask again later, unless the budget is exhausted or the failure will last."""
        robots = origin.robots
        wait = backoff(robots.failures)
        robots.unreachable(status)
        origin.postpone(asyncio.get_running_loop().time() + wait)
        self._count("unreachable")
        exhausted = origin.failure_budget.record_failure()
        if exhausted or lasting:
            if exhausted:
                self._stats.set_value(f"sitecrawl/patience/{origin.key}", 0)
            cause = "" if reason == ROBOTS_TXT_UNREACHABLE.name else f": {in_words(reason)}"
            origin.give_up(f"{robots.own_url} cannot be read{cause} ({why})", reason)
            logger.warning(
                "%s is given up for this run: its robots.txt cannot be read (%s)", origin.key, why
            )
        else:
            logger.info("%s cannot be read (%s); asked for again in %.0f s", robots.url, why, wait)

    def _count(self, what: str) -> None:
        self._stats.inc_value(f"sitecrawl/robots/{what}")


def _tell(notices: Sequence[RobotsNotice], url: str) -> None:
    if not notices:
        return
    first = notices[0]
    logger.warning(
        "In %s %s invalid and ignored: %s (%s)",
        url,
        f"{len(notices)} lines are" if len(notices) > 1 else "one line is",
        f"line {first.line_number}, {first.line!r}" if first.line_number else "its end",
        first.problem.replace("_", " "),
    )


@dataclass(slots=True)
class _Files:
    """The files of one origin: those to be requested, that being requested, and the terms of each."""

    pending: deque[str]
    expires_at: float
    terms: dict[str, tuple[Terms, ...]] = field(default_factory=dict)
    asked: str = ""


class UsageFiles:
    """``/.well-known/tdmrep.json`` of each origin, and the licences on it that it names.

    They are requested before its pages, like robots.txt, and as often; a licence that a page names,
    before the page is visited again. A file that cannot be read says nothing. Each response or
    failure is one of ``robots``.
    """

    def __init__(self, params: CrawlParams, robots: RobotsFiles) -> None:
        self._wanted = bool(params.purpose) and params.obey_robots and not params.rogue
        self._lifetime = params.robots_lifetime
        self._robots = robots
        self._files: dict[str, _Files] = {}

    def due(self, origin: Origin, now: float) -> bool:
        """Return True if a file must be requested before the pages of the origin."""
        if not self._wanted or origin.given_up:
            return False
        files = self._files.get(origin.key)
        if files is None or files.expires_at <= now:
            named = dict.fromkeys(self._robots.licenses(origin))
            own = [url for url in named if origin_key(url) == origin.key]
            terms = files.terms if files else {}
            urls = dict.fromkeys([origin.key + TDMREP, *own[:MAX_LICENSES], *terms])
            files = self._files[origin.key] = _Files(deque(urls), now + self._lifetime, terms)
        return bool(files.pending)

    def named_by_page(self, origin: Origin, urls: Iterable[str]) -> bool:
        """Return True if a page must be visited again, after licences that it names."""
        files = self._files.get(origin.key)
        if files is None:
            return False
        new = [url for url in urls if url not in files.terms and origin_key(url) == origin.key]
        room = 1 + MAX_LICENSES - len(files.terms)  # one is tdmrep.json
        files.pending.extend(url for url in new[:room] if url not in files.pending)
        return bool(new[:room])

    def request(self, origin: Origin) -> Request:
        """Make the request for the origin's next file."""
        origin.awaits_terms = True
        files = self._files[origin.key]
        files.asked = files.pending.popleft()
        return own_request(self, files.asked, USAGE_FILE, files, origin)

    def statements(self, origin: Origin, url: str) -> Iterator[Statement]:
        """Yield what the files of an origin say about the use of ``url``."""
        files = self._files.get(origin.key)
        for terms in files.terms.values() if files else ():
            yield from terms_of(terms, url)

    def answered(self, response: Response) -> None:
        """Read a file; any status but 200 says nothing."""
        body = response.body if response.status == 200 else b""
        files: _Files = response.meta[USAGE_FILE]
        files.terms[files.asked] = read_terms(body, files.asked)
        self._go_on(response.meta[ORIGIN])

    def failed(self, failure: Failure) -> None:
        """Keep what was read earlier of a file that could not be fetched, or was not allowed to be."""
        request: Request = failure.request  # type: ignore[attr-defined]
        files: _Files = request.meta[USAGE_FILE]
        if isinstance(failure.value, LeaseExpiredError):  # nothing was sent
            files.pending.appendleft(files.asked)
        else:
            files.terms.setdefault(files.asked, ())
        self._go_on(request.meta[ORIGIN])

    def _go_on(self, origin: Origin) -> None:
        origin.awaits_terms = False
        self._robots.request_ended.send(origin)
