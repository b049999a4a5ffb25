"""Rendering service of a crawl: started by the first page that needs it, closed with the crawl."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.misc import load_object
from w3lib.html import get_meta_refresh

from sitecrawl.components import Component, params_of
from sitecrawl.config.assembly import agent
from sitecrawl.http.exchange import address_rule
from sitecrawl.http.messages import Tunnel, proxy_of
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.rendering import RenderAlways, RenderWhereNeeded
from sitecrawl.render.rendered_page import (
    FetchedPage,
    RenderedDocument,
    Renderer,
    RendererMissingError,
    RenderTooLargeError,
)
from sitecrawl.render.sandbox_proxy import SandboxProxy
from sitecrawl.reqmeta import RENDERED, RenderedPage
from sitecrawl.responses import header
from sitecrawl.web.encoding import decode
from sitecrawl.web.html.script_shells import Shell, read_shell, without_scripts
from sitecrawl.web.media_type import is_html, media_type

RENDERERS = {
    "playwright": "sitecrawl.render.browser.PlaywrightRenderer",
    "splash": "sitecrawl.render.splash.SplashRenderer",
}
RETRY_SECONDS = 30.0

logger = logging.getLogger(__name__)

PAGES_AT_ONCE = 4


class RenderService(Component):
    """Extension that renders the pages which the policy selects, and replaces their bodies."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        params = self._params = params_of(crawler)
        self._stats = crawler.stats
        self._renderer_name = "playwright" if params.render == "auto" else params.render
        self._policy: RenderAlways | RenderWhereNeeded
        self._policy = RenderWhereNeeded() if params.render == "auto" else RenderAlways()
        self._rule = address_rule(crawler)
        self._slots = asyncio.Semaphore(PAGES_AT_ONCE)
        self._renderer: Renderer | None = None
        self._trouble = ""
        self._retry_at = 0.0
        crawler.signals.connect(self.close, signals.engine_stopped)

    def check(self) -> None:
        """Raise RendererMissingError if pages cannot be rendered at present."""
        if self._params.render != "auto":
            self._check_available()

    async def shown(self, request: Request, response: Response) -> Response:
        """Return the rendered response, or the response itself if it needs no browser."""
        content_type = header(response.headers, "Content-Type")
        is_page = request.method == "GET" and response.status == 200
        if not (is_page and is_html(media_type(content_type, response.body))):
            return response
        before = read_shell(decode(response.body, content_type)[0])
        decision = self._policy.decide(response.url, before)
        self._stats.inc_value(f"sitecrawl/render/{decision.reason}")
        if not decision.allowed:
            return response
        logger.debug("%s is rendered: %s (%s)", response.url, decision.reason, decision.rule)
        shown = await self._show(_fetched_page(request, response), proxy_of(request))
        return self._replaced(request, response, shown, before, decision)

    async def ask_splash(self, request: Request) -> Response:
        """Return the response to a project's own SplashRequest."""
        renderer: Any = self._load_renderer("splash")
        response: Response = await renderer.send(request)
        return response

    async def close(self) -> None:
        """Close the renderer at the end of the crawl."""
        if self._renderer is not None:
            await self._renderer.close()

    def _check_available(self) -> None:
        if asyncio.get_running_loop().time() < self._retry_at:
            raise RendererMissingError(self._trouble)

    async def _show(self, page: FetchedPage, upstream: Tunnel | None) -> RenderedDocument:
        async with self._slots:
            self._check_available()
            try:
                renderer = self._load_renderer(self._renderer_name)
                address = renderer.proxy_address or "127.0.0.1"
                limit = self._params.render_max_size
                async with SandboxProxy(self._rule, limit, address, upstream) as proxy:
                    shown = await renderer.show(page, proxy)
            except RendererMissingError as error:
                self._retry_at = asyncio.get_running_loop().time() + RETRY_SECONDS
                if str(error) != self._trouble:
                    logger.error("Pages cannot be rendered: %s", error)
                self._trouble = str(error)
                raise
        self._stats.inc_value("sitecrawl/render/pages")
        self._stats.inc_value("sitecrawl/render/unfinished", int(not shown.finished))
        self._stats.inc_value("sitecrawl/render/refused_connections", proxy.refused)
        if proxy.exceeded:
            raise RenderTooLargeError("the page loads more than render_max_size")
        return shown

    def _load_renderer(self, name: str) -> Renderer:
        if self._renderer is None:
            make = load_object(RENDERERS[name])
            self._renderer = make(self._crawler, self._params, agent(self._params))
        return self._renderer

    def _replaced(
        self,
        request: Request,
        response: Response,
        shown: RenderedDocument,
        before: Shell,
        decision: Decision,
    ) -> Response:
        html = without_scripts(shown.html)
        body = html.encode("utf-8", "replace")
        if len(body) > self._params.max_body_size:
            raise RenderTooLargeError("the page shows more than max_body_size")
        moved = moved_to(response.url, shown)
        if moved is None:
            self._policy.learn(response.url, before, read_shell(html))
        request.meta[RENDERED] = RenderedPage(decision.reason, decision.rule, moved)
        headers = response.headers.copy()
        headers["Content-Type"] = "text/html; charset=utf-8"
        return response.replace(body=body, headers=headers)


def _fetched_page(request: Request, response: Response) -> FetchedPage:
    headers = {
        name.decode("latin-1"): tuple(value.decode("latin-1") for value in values)
        for name, values in response.headers.items()
    }
    cookies, credentials = (header(request.headers, each) for each in ("Cookie", "Authorization"))
    return FetchedPage(response.url, response.body, headers, cookies, credentials)


def moved_to(asked: str, shown: RenderedDocument) -> str | None:
    """Return the target of a script's navigation: another document, or a new address for this one.

    A meta refresh does not count; the reader of the page decides about it.
    """
    if shown.sent_to is not None:
        _, refresh = get_meta_refresh(shown.html, asked)
        return None if shown.sent_to in (asked, refresh) else shown.sent_to
    there = shown.url.partition("#")[0]
    return there if there != asked.partition("#")[0] else None


def render_service_of(crawler: Crawler) -> RenderService:
    """Return the service of a crawler; raises RuntimeError if the extension is not enabled."""
    service = crawler.get_extension(RenderService)
    if service is None:
        raise RuntimeError("the extension sitecrawl.render.render_service.RenderService is missing")
    return service
