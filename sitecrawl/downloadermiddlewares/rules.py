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

    def process_request(self, request: Request) -> None:
        """Drop a request whose URL is not admitted."""
        if visit_of(request) is not None:
            return
        origin = origin_of(request)
        if origin is not None and origin.given_up:
            raise RequestDropped(Outcome.CANCELLED, origin.given_up)
        if robots_of(request) is not None or is_login(request) or USAGE_FILE in request.meta:
            return
        decision = self._rules.admit(request.url, depth=0, via="seed").decision
        if not decision.allowed:
            raise RequestDropped(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, decision.reason)


class RobotsMiddleware(Component):
    """Check of the requests that the origin queues have not already judged."""

    def __init__(self, crawler: Crawler) -> None:
        self._robots = crawl_of(crawler).robots

    def process_request(self, request: Request) -> None:
        """Drop a request that the origin's robots.txt does not allow."""
        origin = origin_of(request)
        judged = visit_of(request) is not None or robots_of(request) is not None
        if origin is None or judged or request.meta.get("dont_obey_robotstxt"):
            return
        decision = self._robots.decide(origin, request.url)
        if not decision.allowed:
            raise RequestDropped(Outcome.BLOCKED_BY_ROBOTS_TXT, decision.reason)
