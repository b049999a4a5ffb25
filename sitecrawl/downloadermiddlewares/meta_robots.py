"""Read each page once, and apply its robots directives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from weakref import WeakValueDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component, params_of
from sitecrawl.crawl.reader_processes import PageReaders, ReadersError
from sitecrawl.crawl.visit import Visit
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.policy.documents.audit import audit_text
from sitecrawl.policy.documents.usage_permissions import (
    NOTHING_SAID,
    preceded,
    stated_licenses,
    stated_metas,
    usage_field,
)
from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import READ_PAGE, ReadPage, file_of, media_type_of, origin_of, visit_of
from sitecrawl.responses import answer_of, header, header_values, xpath_fields
from sitecrawl.scheduling.fetch_outcomes import ResponseWithoutContent, VisitPostponed
from sitecrawl.web.encoding import read
from sitecrawl.web.files.formats import is_file_type
from sitecrawl.web.html.outgoing import PROTECTION
from sitecrawl.web.html.page import Page
from sitecrawl.web.media_type import declared_type, is_html
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions
from sitecrawl.web.robots.directives import read_directives
from sitecrawl.web.robots.usage_statements import HEADERS, Statement, page_statements
from sitecrawl.web.robots.usage_terms import page_licenses

ROBOTS_TAG = "X-Robots-Tag"
FAILED = FetchResult(Outcome.CANCELLED, "reader_failed")
READ_HEADERS = (ROBOTS_TAG, "Link", "Refresh", "Content-Language", "Last-Modified", *PROTECTION)
USAGE_HEADERS = (*HEADERS, ROBOTS_TAG)


class MetaRobotsMiddleware(Component):
    """Enforcement of meta robots and X-Robots-Tag.

    Only the placeholder middleware is nearer to the engine: the response is final here, after
    rendering and after a project's own middlewares. The page is parsed here, once, or in one of the
    ``readers``; its facts are stored in ``Request.meta`` with the verdict on its directives (``reqmeta.read_page_of``):

    - ``nofollow`` keeps its links from becoming candidates, in the spider's ``parse``;
    - ``noindex`` and a past ``unavailable_after`` keep it from becoming a document, in
      ``NoindexPipeline``: its links are followed nevertheless;
    - ``noarchive``, ``nosnippet`` and a future ``unavailable_after`` are written to the
      document's ``robots`` field by ``MappingPipeline``;
    - what page, headers and robots.txt say about usage becomes the ``usage`` field, or keeps it from
      becoming a document, in ``NoindexPipeline``.

    A 304 has no page, but brings the current headers (RFC 9111, 3.2): these, and the files of the
    site as they are today, may withdraw the document, and end the visit here.
    """

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        params, self._crawl = params_of(crawler), crawl_of(crawler)
        self._obedience = params.obedience()
        self._options: ReadOptions = spider.read_options
        self._xpaths: tuple[tuple[str, str], ...] = spider.xpath_fields
        self._keeps_html = params.keep == "html"
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._readers = PageReaders(self._options, params.readers) if params.readers else None
        if self._readers is not None:
            crawler.signals.connect(self._readers.close, signals.engine_stopped)

    def process_response(
        self, request: Request, response: Response
    ) -> Response | Awaitable[Response]:
        """Attach the page to the request; raise IgnoreRequest for an unchanged page."""
        visit = visit_of(request)
        if visit is None:
            return response
        answer = answer_of(response)
        if answer.outcome is Outcome.FILE_DID_NOT_CHANGE:
            if self._obedience.purposes:
                return self._unchanged(visit, request, response, answer)
            raise ResponseWithoutContent(self._withdrawn(visit, response, NOTHING_SAID) or answer)
        if self._readers is not None:
            return self._read_elsewhere(self._readers, visit, request, response)
        page = read_page(options=self._options, **_arguments(request, response))
        return self._attach(visit, request, response, page)

    async def _read_elsewhere(
        self, readers: PageReaders, visit: Visit, request: Request, response: Response
    ) -> Response:
        """Read the page in another process; pages of an origin leave in the order of their arrival."""
        turn = self._turns.setdefault(visit.due.origin, asyncio.Lock())
        reading = asyncio.ensure_future(readers.read(**_arguments(request, response)))
        try:
            async with turn:
                page = await reading
        except ReadersError as error:
            visit.detail = str(error)
            raise ResponseWithoutContent(FAILED) from error
        finally:
            reading.cancel()
        return self._attach(visit, request, response, page)

    def _attach(self, visit: Visit, request: Request, response: Response, page: Page) -> Response:
        self._complete(page, request, response)
        if visit.due.depth == 0:
            self._crawl.listing_requests.named_by_start(page)
        usage = self._usage(request, response, page.metas, [*page_licenses(page)])
        visit.audit = audit_text(page, usage)
        if self._keeps_html and is_html(page.content_type):
            visit.html = read(response.body, page.encoding)
        verdict = self._obedience.judge(page.directives, datetime.now(UTC), usage)
        request.meta[READ_PAGE] = ReadPage(page, verdict)
        return response

    def _usage(
        self,
        request: Request,
        response: Response,
        metas: Mapping[str, Sequence[str]],
        licenses: Sequence[Statement],
    ) -> dict[str, Any]:
        """Return the field ``usage``; raise IgnoreRequest if a licence must be read before."""
        origin = origin_of(request)
        headers = header_values(response.headers, USAGE_HEADERS)
        said = [*page_statements(headers, metas, self._options.agent), *licenses]
        if origin is not None:
            named = (each.license for each in licenses if each.license)
            if self._crawl.usage_files.named_by_page(origin, named):
                raise VisitPostponed
            in_files = self._crawl.usage_files.statements(origin, response.url)
            of_site = [*self._crawl.robots.usage(origin, response.url), *in_files]
            said = [*preceded(of_site, said), *said]
        return usage_field(said)

    async def _unchanged(
        self, visit: Visit, request: Request, response: Response, answer: FetchResult
    ) -> Response:
        """End the visit of an unchanged page, whose metas are those of its document."""
        stored: Mapping[str, Any] = NOTHING_SAID
        with self._crawl.owner.failures_end_crawl():
            stored = await self._crawl.owner.frontier.usage(visit.due.origin, visit.due.fingerprint)
        usage = self._usage(
            request, response, stated_metas(stored), [*stated_licenses(stored, response.url)]
        )
        raise ResponseWithoutContent(self._withdrawn(visit, response, usage) or answer)

    def _withdrawn(
        self, visit: Visit, response: Response, usage: Mapping[str, Any]
    ) -> FetchResult | None:
        tags = header_values(response.headers, (ROBOTS_TAG,)).get(ROBOTS_TAG, ())
        directives = read_directives((), tags, self._options.agent)
        verdict = self._obedience.judge(directives, datetime.now(UTC), usage)
        if verdict.noindex:
            return FetchResult(Outcome.NOINDEX, verdict.noindex)
        if verdict.forbidden is None:
            return None
        visit.detail = verdict.forbidden.rule
        return FetchResult(Outcome.USAGE_FORBIDDEN, verdict.forbidden.purpose)

    def _complete(self, page: Page, request: Request, response: Response) -> None:
        if file := file_of(request):
            page.fault, page.fault_detail = file.fault, file.detail
            page.cuts = tuple(dict.fromkeys((*file.cuts, *page.cuts)))
        if self._xpaths and is_html(page.content_type):
            markup = read(response.body, page.encoding)
            page.fields = {**page.fields, **dict(xpath_fields(markup, self._xpaths))}


def _arguments(request: Request, response: Response) -> dict[str, Any]:
    file = file_of(request)
    declared = header(response.headers, "Content-Type") or None
    is_file = file or is_file_type(declared_type(declared or ""))
    return {
        "body": response.body,
        "url": response.url,
        "content_type": media_type_of(request) if is_file else declared,
        "headers": header_values(response.headers, READ_HEADERS),
        "file_html": file.html if file else None,
    }
