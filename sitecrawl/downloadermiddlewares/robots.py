"""Drop requests that robots.txt does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import Outcome
from sitecrawl.reqmeta import origin_of, robots_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import RequestDropped

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.scheduling.robots_files import RobotsFiles


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
