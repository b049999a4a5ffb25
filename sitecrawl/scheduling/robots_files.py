"""Request the robots.txt of each origin first, and again when it has expired."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks

from sitecrawl.events import Event
from sitecrawl.http.fetch_errors import LeaseExpiredError
from sitecrawl.policy.advice import in_words
from sitecrawl.policy.decision import ALLOWED, Decision
from sitecrawl.policy.http.answers import CHALLENGE, answer_of_failure
from sitecrawl.policy.http.retries import NOBODY_THERE, backoff
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.refusal_reasons import ROBOTS_TXT, ROBOTS_TXT_UNREACHABLE
from sitecrawl.reqmeta import ROBOTS_OF, own_request
from sitecrawl.responses import answer_of, location
from sitecrawl.scheduling.failure_accounting import exception_names
from sitecrawl.web.robots.robots_txt import RobotsNotice, RobotsTxt, product_token
from sitecrawl.web.urls.url import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.scheduling.origin import Origin, RobotsFile
    from sitecrawl.web.robots.usage_statements import Statement


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
        origin.robots.ask()
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
        """Parse the rules from the body of a file, and keep them."""
        rules = RobotsTxt.parse(
            body,
            origin=robots.origin,
            case_insensitive_disallow=self._params.robots_case_insensitive,
        )
        robots.keep_rules(rules)
        return rules

    def answered(self, response: Response) -> None:
        """Handle the response; 4xx allows everything, 5xx nothing (RFC 9309, 2.3.1)."""
        origin: Origin = response.meta[ROBOTS_OF]
        if response.status in (301, 302, 303, 307, 308) and self._redirect(origin, response):
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
            origin.robots.blocked()
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
        origin.robots.redirect(target, response.status)
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
        robots.expire_at(now + self._params.robots_lifetime)
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


def _tell(notices: tuple[RobotsNotice, ...], url: str) -> None:
    """Warn of ignored lines in a file, as its author may have meant something by them."""
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
