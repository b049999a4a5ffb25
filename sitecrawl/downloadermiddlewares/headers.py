"""Set the headers of a well-behaved crawler, and request what is known only if it has changed."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from http import HTTPStatus

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component, params_of
from sitecrawl.config.assembly import header_policy
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.kept_files import KeptFile
from sitecrawl.policy.http.request_headers import Wanted, conditional, modified_since
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import KEPT, UNCHANGED, is_of_site, robots_of, sitemap_of, visit_of
from sitecrawl.responses import header
from sitecrawl.web.validators import if_none_match

FORBIDDEN = int(Outcome.USAGE_FORBIDDEN)


class HeadersMiddleware(Component):
    """User-Agent, From, Accept, Referer, credentials and custom headers, as configured."""

    def __init__(self, crawler: Crawler) -> None:
        origins = crawl_of(crawler).discovery.rules.scope.start_origins
        self._policy = header_policy(params_of(crawler), origins)

    def process_request(self, request: Request) -> None:
        """Add the headers that the request does not have yet."""
        visit = visit_of(request)
        wanted: Wanted = "robots" if robots_of(request) is not None else "page"
        if sitemap_of(request) is not None:
            wanted = "feed"
        referrer = visit.due.referrer if visit is not None else None
        known = visit is not None and visit.due.indexed_at is not None
        headers = self._policy.of(request.url, wanted=wanted, referrer=referrer, known=known)
        for name, value in headers.items():
            request.headers.setdefault(name, value)


class ConditionalMiddleware(Component):
    """If-None-Match and If-Modified-Since for URLs whose content is known.

    Pages that were read with other options are requested without them: after a 304 the old document
    would stay, and links that other rules refused, or ``max_depth`` before a shorter path was
    found, would stay refused. So are pages whose use was forbidden: if it is permitted now, they
    become documents; and in a crawl that listens, each start once, for the feeds that it names.
    """

    def __init__(self, crawler: Crawler) -> None:
        params = self._params = params_of(crawler)
        self._reading = params.reading
        self._following = params.following if params.follows else None
        self._starts: set[int] = set()

    def process_request(self, request: Request) -> None:
        """Add the validators of the last visit that returned content."""
        visit = visit_of(request)
        due = visit.due if visit is not None else None
        if self._params.force or due is None or due.indexed_at is None or due.outcome == FORBIDDEN:
            return
        if due.reading not in (None, self._reading):
            return
        following = self._following and self._following.at(due.depth)
        if following is not None and due.following not in (None, following):
            return
        if self._params.reads_feeds and due.depth == 0 and due.fingerprint not in self._starts:
            self._starts.add(due.fingerprint)
            return
        told = due.last_modified if self._params.modified_since == "server" else None
        since = modified_since(told, due.indexed_at)
        etag = if_none_match(due.etag) if due.etag else None
        for name, value in conditional(etag, since).items():
            request.headers.setdefault(name, value)


class KeptFilesMiddleware(Component):
    """Conditional requests for files about a site; after a 304 the kept file is the response.

    With an archive nothing is kept: it is to have each file as a whole. With ``force`` all are
    requested anew.
    """

    def __init__(self, crawler: Crawler) -> None:
        params = params_of(crawler)
        self._owner = crawl_of(crawler).owner
        self._keeps = not (params.warc or params.from_warc)
        self._force = params.force

    def process_request(self, request: Request) -> Awaitable[None] | None:
        """Add the validators of the kept file, if there is one."""
        wanted = self._keeps and not self._force and is_of_site(request)
        return self._add_validators(request) if wanted else None

    def process_response(
        self, request: Request, response: Response
    ) -> Response | Awaitable[Response]:
        """Keep a file that has validators, or answer with the kept one."""
        if response.status == HTTPStatus.NOT_MODIFIED and KEPT in request.meta:
            flags = [*response.flags, UNCHANGED]
            return response.replace(status=200, body=request.meta[KEPT].body, flags=flags)
        if self._keeps and response.status == HTTPStatus.OK and is_of_site(request):
            return self._keep(response)
        return response

    async def _add_validators(self, request: Request) -> None:
        kept = None
        with self._owner.failures_end_crawl():
            kept = await self._owner.frontier.kept_file(request.url)
        if kept is None:
            return
        request.meta[KEPT] = kept
        since = kept.last_modified and modified_since(kept.last_modified, kept.kept_at)
        for name, value in conditional(if_none_match(kept.etag), since).items():
            request.headers.setdefault(name, value)

    async def _keep(self, response: Response) -> Response:
        etag, date = (header(response.headers, name) for name in ("ETag", "Last-Modified"))
        if etag or date:
            kept = KeptFile(etag or None, date or None, response.body, time.time())
            with self._owner.failures_end_crawl():
                await self._owner.frontier.keep_file(response.url, kept)
        return response
