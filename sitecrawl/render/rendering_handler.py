"""Downloads pages, and shows those in a browser that need it, within the origin's turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sitecrawl.http.handler import BoundedDownloadHandler
from sitecrawl.render.rendering import RenderService
from sitecrawl.reqmeta import SENT_AT, visit_of

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class RenderingDownloadHandler(BoundedDownloadHandler):
    """Every page is fetched by HTTP first, as in a crawl without a browser.

    So status, headers, validators, limits and guards are the same, and what did not change
    or is no page never reaches the browser. The turn ends when the page has been shown.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        rendering = crawler.get_extension(RenderService)
        assert rendering is not None
        self._rendering = rendering

    async def download_request(self, request: Request) -> Response:
        """The response, its body being what the page shows; raises as the base class does."""
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
        """What a browser shows, its time not being the server's, by which the pause is measured."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await showing
        finally:
            request.meta[SENT_AT] += loop.time() - began
