"""Visit pages again whose response says that the session has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.reqmeta import origin_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import VisitPostponed

if TYPE_CHECKING:
    from sitecrawl.scheduling.login import Login


class LoginMiddleware:
    """Check of the responses of a crawl that logs in, before they have any effect."""

    def __init__(self, login: Login) -> None:
        self._login = login

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LoginMiddleware:
        """Build it with the login of the crawl."""
        login = crawl_of(crawler).login
        assert login is not None
        return cls(login)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response of a logged-in user; raise IgnoreRequest for another login first."""
        visit, origin = visit_of(request), origin_of(request)
        if visit is None or origin is None:
            return response
        if self._login.suspect(origin, visit.due.fingerprint, response):
            raise VisitPostponed
        return response
