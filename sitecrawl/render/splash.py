"""Splash renderer, through scrapy-splash."""

from __future__ import annotations

import logging
from contextlib import suppress
from socket import AF_INET, SOCK_DGRAM, socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.render.network_idle import QUIET_SECONDS
from sitecrawl.render.rendered_page import (
    MAX_SCROLLS,
    FetchedPage,
    RenderedDocument,
    RendererLostError,
    RendererMissingError,
    RenderTimeoutError,
)
from sitecrawl.render.splash_adapter import Cookies, Splash
from sitecrawl.web.encoding import decode
from sitecrawl.web.urls.url import origin as origin_of

if TYPE_CHECKING:
    from sitecrawl.render.sandbox_proxy import SandboxProxy


logger = logging.getLogger(__name__)

SPARE_SECONDS = 5.0
SPLASH_META_KEYS = ("splash", "download_slot", "verbatim_url")
NO_SERVER = "no Splash server answers at %s (%s); start one, or name it: -s SPLASH_URL=http://..."
UNGUARDED = (
    "The Splash server at %s loads the resources of pages unguarded: keep it out of private "
    "networks"
)
# ES5, as Splash's WebKit supports no more.
SCROLL_SCRIPT = """(function () {
  window.open = function () { return null; };
  var left = %d;
  function scroll() {
    if (left-- <= 0 || !document.body) { return; }
    window.scrollTo(0, document.body.scrollHeight);
    setTimeout(scroll, 100);
  }
  scroll();
})();"""


RENDER_SCRIPT = """function main(splash, args)
  splash.images_enabled = args.with_images
  splash.resource_timeout = args.resource_timeout
  splash:set_user_agent(args.user_agent)
  for _, cookie in ipairs(args.cookies) do
    splash:add_cookie{cookie[1], cookie[2], path="/", domain=args.host}
  end
  local sent_to = nil
  splash:on_request(function(request)
    if (request.headers["Accept"] or ""):sub(1, 9) == "text/html" then
      if sent_to == nil and splash:evaljs("document.querySelector('iframe, frame') === null") then
        sent_to = request.url
      end
      request:abort()
    end
    if args.authorization ~= "" and request.url:sub(1, #args.origin) == args.origin then
      request:set_header("Authorization", args.authorization)
    end
  end)
  splash:set_content(args.document, "text/html; charset=utf-8", args.url)
  splash:runjs(args.scrolling)
  splash:wait(args.seconds)
  return {html = splash:html(), url = splash:url(), sent_to = sent_to}
end"""
"""Lua, for Splash's endpoint ``execute``.

Other documents that the page requests are pages of their own, and are not loaded: those in frames
and the targets of a script's navigation, which Splash cannot tell apart on pages with frames.
"""


class SplashRenderer:
    """Renderer that sends each page's document to the Splash server of ``SPLASH_URL``.

    Its requests pass our proxy, at the address of this machine from which Splash is reached.
    """

    def __init__(self, crawler: Crawler, params: CrawlParams, agent: str) -> None:
        self._params = params
        self._agent = agent
        self._splash = build_from_crawler(Splash, crawler)
        self._splash.spider_opened(crawler.spider)  # built after that signal
        self._cookies = build_from_crawler(Cookies, crawler)
        self._server: str = self._splash.splash_base_url
        self._handler = HTTP11DownloadHandler(crawler)
        self.proxy_address = _own_address(urlsplit(self._server).hostname or "")
        if not self.proxy_address:
            logger.warning(UNGUARDED, self._server)

    async def show(self, page: FetchedPage, proxy: SandboxProxy) -> RenderedDocument:
        """Run the page's scripts; raises one of the errors of ``rendered_page``."""
        wait = min(max(self._params.render_wait, QUIET_SECONDS), self._params.render_time)
        origin = origin_of(page.url)
        arguments: dict[str, Any] = {
            "lua_source": RENDER_SCRIPT,
            "document": decode(page.body, next(iter(page.headers.get("Content-Type", ())), ""))[0],
            "scrolling": SCROLL_SCRIPT % MAX_SCROLLS,
            "seconds": wait,
            "timeout": self._timeout,
            "resource_timeout": self._params.render_time,
            "with_images": "image" not in self._params.render_block,
            "user_agent": self._agent,
            "cookies": [each.split("=", 1) for each in page.cookies.split("; ") if "=" in each],
            "host": urlsplit(page.url).hostname,
            "origin": f"{origin}/",
            "authorization": page.authorization,
        }
        if self.proxy_address:
            arguments["proxy"] = proxy.url
        splash = {"endpoint": "execute", "args": arguments, "dont_send_headers": True}
        meta = {"splash": splash, "download_slot": self._server, "verbatim_url": True}
        response: Any = await self.send(Request(page.url, meta=meta))
        if response.status != 200:
            raise _failure(response)
        shown = response.data
        return RenderedDocument(shown["html"], shown["url"], shown.get("sent_to"))

    async def send(self, request: Request) -> Response:
        """Send a SplashRequest; return the page's response, or the server's own if rendering
        failed.
        """
        # scrapy-splash copies meta, which may hold other values that cannot be copied.
        meta = {name: request.meta[name] for name in SPLASH_META_KEYS if name in request.meta}
        bare = Request(
            request.url,
            method=request.method,
            headers=request.headers,
            body=request.body,
            meta=meta,
        )
        self._cookies.process_request(bare)
        converted = self._splash.process_request(bare) or bare
        converted.meta["download_timeout"] = self._timeout + SPARE_SECONDS
        # A POST on a persistent connection is lost if the server closes it meanwhile.
        converted.headers["Connection"] = "close"
        while True:
            answer = self._splash.process_response(converted, await self._ask(converted))
            if not isinstance(answer, Request):
                answer = self._cookies.process_response(converted, answer)
                answer.request = request
                return answer
            converted = answer  # the server lost its cached arguments: send them again

    async def close(self) -> None:
        """Close idle connections; the server keeps running."""
        await self._handler.close()

    async def _ask(self, request: Request) -> Response:
        try:
            return await self._handler.download_request(request)
        except DownloadTimeoutError as error:
            raise RendererLostError(f"Splash did not answer: {error}") from error
        except (DownloadConnectionRefusedError, CannotResolveHostError) as error:
            raise RendererMissingError(NO_SERVER % (self._server, error)) from error
        except DownloadFailedError as error:
            raise RendererLostError(f"Splash broke off: {error}") from error

    @property
    def _timeout(self) -> float:
        return self._params.render_time + SPARE_SECONDS


def _own_address(host: str) -> str:
    """Return the address of this machine from which a host is reached; empty if it is unknown."""
    with suppress(OSError), socket(AF_INET, SOCK_DGRAM) as unsent:
        unsent.connect((host, 9))  # sends nothing
        return str(unsent.getsockname()[0])
    return ""


def _failure(response: Any) -> Exception:
    found = response.data if hasattr(response, "data") else {}
    words = f"Splash answered {response.status}: {found.get('info') or found.get('description')}"
    if response.status == 504:
        return RenderTimeoutError(words)
    return RendererLostError(words)
