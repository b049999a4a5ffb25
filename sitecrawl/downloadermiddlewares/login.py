"""Visit pages again whose response says that the session has ended."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.reqmeta import origin_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import VisitPostponed


class LoginMiddleware(Component):
    """Check of the responses of a crawl that logs in, before they have any effect."""

    def __init__(self, crawler: Crawler) -> None:
        login = crawl_of(crawler).login
        assert login is not None
        self._login = login

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response of a logged-in user; raise IgnoreRequest for another login first."""
        visit, origin = visit_of(request), origin_of(request)
        if visit is None or origin is None:
            return response
        if self._login.suspect(origin, visit.due.fingerprint, response):
            raise VisitPostponed
        return response
