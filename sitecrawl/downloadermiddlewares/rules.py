"""Drop requests that the crawl's rules or robots.txt do not allow."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl.components import Component
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import USAGE_FILE, is_login, origin_of, robots_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import RequestDropped


class RulesMiddleware(Component):
    """Check of the requests that the origin queues have not already judged.

    Requests of an origin that was given up meanwhile are dropped.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._rules = crawl_of(crawler).discovery.rules
        self._robots = crawl_of(crawler).robots

    def process_request(self, request: Request) -> None:
        """Drop a request whose URL the rules or the origin's robots.txt do not allow."""
        if visit_of(request) is not None:
            return
        origin = origin_of(request)
        if origin is not None and origin.given_up:
            raise RequestDropped(Outcome.CANCELLED, origin.given_up)
        if robots_of(request) is not None:
            return
        if not (is_login(request) or USAGE_FILE in request.meta):
            decision = self._rules.admit(request.url, depth=0, via="seed").decision
            if not decision.allowed:
                raise RequestDropped(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, decision.reason)
        if origin is not None and not request.meta.get("dont_obey_robotstxt"):
            decision = self._robots.decide(origin, request.url)
            if not decision.allowed:
                raise RequestDropped(Outcome.BLOCKED_BY_ROBOTS_TXT, decision.reason)
