"""Record that a page was rendered, and where its scripts redirected to."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import rendered_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import ResponseWithoutContent

MOVED = FetchResult(Outcome.REDIRECT, "script")


class RendererMiddleware(Component):
    """Recorder of redirects by script among the responses with content."""

    def __init__(self, crawler: Crawler) -> None:
        self._discovery = crawl_of(crawler).discovery

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a page unchanged; raise IgnoreRequest if its scripts redirect elsewhere."""
        visit, rendered = visit_of(request), rendered_of(request)
        if visit is None or rendered is None:
            return response
        visit.detail = f"rendered: {rendered.reason} ({rendered.rule})"
        if rendered.moved_to is not None:
            target = self._discovery.rules.admit(rendered.moved_to, via="redirect")
            if target.fingerprint != visit.due.fingerprint:
                reference = self._discovery.redirect(visit.due, rendered.moved_to)
                visit.redirected(rendered.moved_to, reference)
                raise ResponseWithoutContent(MOVED)
        return response
