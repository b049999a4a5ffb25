"""Keep pages without content of their own from becoming documents."""

from __future__ import annotations

from dataclasses import replace

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component, params_of
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.documents.placeholders import judge_page
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import READ_PAGE, read_page_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import VisitPostponed


class PlaceholderMiddleware(Component):
    """Recognition of soft 404s, login and consent walls, script shells, parked and error pages.

    It comes after the meta-robots middleware, which has read the page; pages that ask not to be
    indexed are not judged. The verdict is stored with the page's facts; the spider's ``parse``
    follows the links nevertheless, and makes no document.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._kinds = params_of(crawler).placeholder_outcomes
        self._probes = crawl_of(crawler).probes if Outcome.SOFT_404 in self._kinds else None

    def process_response(self, request: Request, response: Response) -> Response:
        """Attach the verdict; raise IgnoreRequest to visit a page again after a probe."""
        visit, read = visit_of(request), read_page_of(request)
        if visit is None or read is None or read.robots.noindex or not self._kinds:
            return response
        found = judge_page(read.page, response.body, self._kinds)
        if found is None and self._probes is not None:
            found = self._probes.judge(visit, read.page)
            if found is None and self._probes.must_ask(visit, read.page):
                raise VisitPostponed
        if found is not None:
            request.meta[READ_PAGE] = replace(read, placeholder=found)
        return response
