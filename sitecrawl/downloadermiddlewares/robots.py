"""Stops at the door what robots.txt forbids."""

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
    """Applies robots.txt to the requests that the to-do lists have not already judged."""

    def __init__(self, robots: RobotsFiles) -> None:
        self._robots = robots

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        """Shares the files that were read with the to-do lists."""
        return cls(crawl_of(crawler).robots)

    def process_request(self, request: Request) -> None:
        """Refuse a request that the origin's robots.txt does not allow."""
        origin = origin_of(request)
        judged = visit_of(request) is not None or robots_of(request) is not None
        if origin is None or judged or request.meta.get("dont_obey_robotstxt"):
            return
        decision = self._robots.decide(origin, request.url)
        if not decision.allowed:
            raise RequestDropped(Outcome.BLOCKED_BY_ROBOTS_TXT, decision.reason)
