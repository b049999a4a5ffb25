"""Pass content on to the spider, and give every other response its outcome."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component, params_of
from sitecrawl.crawl.visit import ResponseFacts, Visit
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.http.answers import LOGIN_WALL, REDIRECT_WITHOUT_LOCATION, FetchResult
from sitecrawl.policy.outcomes import REDIRECTS, Outcome
from sitecrawl.policy.urls.login_links import leads_to_login
from sitecrawl.reqmeta import MEDIA_TYPE, WIRE_BYTES, visit_of
from sitecrawl.responses import answer_of, header, location
from sitecrawl.scheduling.fetch_outcomes import ResponseWithoutContent, SamePageRedirect
from sitecrawl.web.urls.url import resolve
from sitecrawl.web.validators import fresh_until


class OutcomeMiddleware(Component):
    """Record status and headers of a response in the visit; redirects are recorded, not followed.

    A 304 passes as content does: the meta-robots middleware decides about it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._discovery = crawl_of(crawler).discovery
        self._has_session = params_of(crawler).has_session

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a response with content; raise IgnoreRequest for any other."""
        visit = visit_of(request)
        if visit is None:
            return response
        size = request.meta.get(WIRE_BYTES, len(response.body))
        visit.response = response_facts(response, size, visit.started_at)
        answer = answer_of(response)
        if answer.outcome in REDIRECTS:
            self._redirected(visit, location(response.headers), answer.outcome)
        if answer.outcome is Outcome.FILE_DID_NOT_CHANGE:
            return response
        if answer.outcome is not Outcome.FILE_INGESTED:
            raise ResponseWithoutContent(answer)
        decision = self._decide_type(request, visit.due.url, response)
        if not decision.allowed:
            visit.detail = decision.rule
            raise ResponseWithoutContent(FetchResult(Outcome.UNWANTED_TYPE, decision.reason))
        return response

    def _decide_type(self, request: Request, url: str, response: Response) -> Decision:
        """Decide by the media type; store it if the header does not determine it."""
        rules = self._discovery.rules
        declared = header(response.headers, "content-type") or None
        sniffing = header(response.headers, "x-content-type-options")
        is_certain = sniffing.strip().lower() == "nosniff"  # Fetch, 3.6
        decision, kind = rules.media_types.decide_body(
            url, declared, response.body, is_certain=is_certain
        )
        request.meta[MEDIA_TYPE] = kind
        return decision

    def _redirected(self, visit: Visit, where: str, outcome: Outcome) -> None:
        target = resolve(where, visit.due.url)
        if target is None:
            raise ResponseWithoutContent(REDIRECT_WITHOUT_LOCATION)
        expected = self._has_session or visit.due.indexed_at is not None
        if expected and outcome is Outcome.REDIRECT and leads_to_login(target):
            visit.detail = f"it redirects to {target}"
            raise ResponseWithoutContent(LOGIN_WALL)
        reference = self._discovery.redirect(visit.due, target)
        visit.redirected(target, reference)
        if reference.admission.fingerprint == visit.due.fingerprint:
            raise SamePageRedirect(reference.admission.url)


def response_facts(response: Response, size: int, asked_at: float) -> ResponseFacts:
    """Return the facts of a response to a request sent at ``asked_at``; ``size`` is in bytes."""
    headers = response.headers
    expires, expires_at = header(headers, "expires"), None
    if expires:
        expires_at = fresh_until(
            expires=expires,
            cache_control=header(headers, "cache-control") or None,
            date=header(headers, "date") or None,
            now=asked_at,
        )
    return ResponseFacts(
        status=response.status,
        bytes=size,
        etag=header(headers, "etag") or None,
        last_modified=header(headers, "last-modified") or None,
        expires_at=expires_at,
    )
