"""Request files about a site, such as robots.txt and sitemaps, only if they have changed."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.kept_files import KeptFile
from sitecrawl.policy.http.request_headers import conditional, modified_since
from sitecrawl.reqmeta import KEPT, UNCHANGED, is_of_site
from sitecrawl.responses import header
from sitecrawl.web.validators import if_none_match

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.crawl.frontier_owner import FrontierOwner


class KeptFilesMiddleware:
    """Conditional requests for files about a site; after a 304 the kept file is the response.

    With an archive (``keeps`` is false) nothing is kept: it is to have each file as a whole. With
    ``force`` all are requested anew.
    """

    def __init__(self, owner: FrontierOwner, *, keeps: bool, force: bool) -> None:
        self._owner = owner
        self._keeps = keeps
        self._force = force

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> KeptFilesMiddleware:
        """Build it with the crawl's database."""
        params = crawler.spider.configuration.params  # type: ignore[union-attr]
        archives = params.warc or params.from_warc
        return cls(crawl_of(crawler).owner, keeps=not archives, force=params.force)

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
        try:
            kept = await self._owner.frontier.kept_file(request.url)
        except FrontierError as error:
            self._owner.fail(error)
            return
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
            try:
                await self._owner.frontier.keep_file(response.url, kept)
            except FrontierError as error:
                self._owner.fail(error)
        return response
