"""Drop requests that the crawl's rules or robots.txt do not allow."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import USAGE_FILE, is_login, origin_of, robots_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import RequestDropped
from sitecrawl.scheduling.robots_files import RobotsFiles


class RulesMiddleware:
    """Check of the requests that the origin queues have not already judged.

    Requests of an origin that was given up meanwhile are dropped.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RulesMiddleware:
        """Build it with the spider's rules."""
        return cls(crawler.spider.rules)  # type: ignore[union-attr]

    def process_request(self, request: Request) -> None:
        """Drop a request whose URL is not admitted."""
        if visit_of(request) is not None:
            return
        origin = origin_of(request)
        if origin is not None and origin.given_up:
            raise RequestDropped(Outcome.CANCELLED, origin.given_up)
        if robots_of(request) is not None or is_login(request) or USAGE_FILE in request.meta:
            return
        decision = self._rules.recheck(request.url, depth=0, via="seed").decision
        if not decision.allowed:
            raise RequestDropped(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, decision.reason)


class RobotsMiddleware:
    """Check of the requests that the origin queues have not already judged."""

    def __init__(self, robots: RobotsFiles) -> None:
        self._robots = robots

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        """Build it with the robots.txt files that the origin queues use."""
        return cls(crawl_of(crawler).robots)

    def process_request(self, request: Request) -> None:
        """Drop a request that the origin's robots.txt does not allow."""
        origin = origin_of(request)
        judged = visit_of(request) is not None or robots_of(request) is not None
        if origin is None or judged or request.meta.get("dont_obey_robotstxt"):
            return
        decision = self._robots.decide(origin, request.url)
        if not decision.allowed:
            raise RequestDropped(Outcome.BLOCKED_BY_ROBOTS_TXT, decision.reason)
