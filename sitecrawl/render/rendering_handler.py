"""Download handler that fetches a page by HTTP and then renders it if needed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.http.handler import BoundedDownloadHandler
from sitecrawl.render.render_service import render_service_of
from sitecrawl.reqmeta import SENT_AT, visit_of


class RenderingDownloadHandler(BoundedDownloadHandler):
    """Download handler of crawls that render: HTTP first, as in a crawl without a browser.

    Status, headers, validators, limits and checks are therefore the same, and a response that is
    unchanged or is not a page never reaches the browser. The origin's slot is released after
    rendering.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._rendering = render_service_of(crawler)

    async def download_request(self, request: Request) -> Response:
        """Return the response, rendered if needed; raises as the base class does."""
        if "splash" in request.meta:
            return await self._exclude_render_time(request, self._rendering.ask_splash(request))
        if visit_of(request) is None:
            return await super().download_request(request)
        self._rendering.check()
        response = await super().download_request(request)
        return await self._exclude_render_time(request, self._rendering.shown(request, response))

    async def _exclude_render_time(
        self, request: Request, showing: Coroutine[Any, Any, Response]
    ) -> Response:
        """Await the rendering; exclude its time from the response time that paces the origin."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await showing
        finally:
            request.meta[SENT_AT] += loop.time() - began
