"""Shows pages in a local Chromium, driven by scrapy-playwright."""

from __future__ import annotations

import asyncio
import logging
from itertools import count
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from sitecrawl.render.chromium import START_SECONDS, InstalledChromium
from sitecrawl.render.composed import read_shown
from sitecrawl.render.failures import (
    RendererLostError,
    RendererMissingError,
    RenderTimeoutError,
)
from sitecrawl.render.page import Answered, Shown
from sitecrawl.render.settling import Settling
from sitecrawl.render.steering import Steering

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from playwright.async_api import Page
    from scrapy.crawler import Crawler

    from sitecrawl.params.crawl import CrawlParams
    from sitecrawl.render.gate import Gate

    Begin = Callable[[Page, object], Awaitable[None]]

# Generous, for a machine that has other work: each is waited for only where something is wrong.
OPEN_SECONDS = 30.0  # for an empty page to open
READ_SECONDS = 10.0  # beyond its time, for a page to begin, and to tell what it shows
ANSWER_SECONDS = 10.0  # in which a browser that lives answers
END_SECONDS = 5.0  # for a browser to end by itself

logger = logging.getLogger(__name__)


class BrowserHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """scrapy-playwright's handler, started when the first page asks for it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.browser_provider_cls = InstalledChromium
        self.process_request_headers = None  # the context sets the User-Agent
        self.config.restart_disconnected_browser = False  # one that ends is left with its handler
        self.shown = 0
        self.lost = False
        self.active: set[str] = set()
        self.idle = asyncio.Event()

    def left(self, name: str) -> None:
        """A page is done with."""
        self.active.discard(name)
        if not self.active:
            self.idle.set()

    async def start(self) -> None:
        """Start Playwright and the browser; raises RendererMissingError."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._launch()
                await self._maybe_launch_browser()
        except TimeoutError as error:
            why = f"the browser did not start within {START_SECONDS:.0f} seconds"
            raise RendererMissingError(why) from error

    async def _download_request_with_page(self, request: Request, page: Page, _: object) -> None:
        """Open the page, and read nothing yet: it has just begun."""
        request.meta["playwright_page"] = page
        await page.goto(request.url, wait_until="commit")


class PlaywrightRenderer:
    """Gives each page a browser context of its own, and closes it afterwards.

    So pages share nothing, and nothing is left of them. The browser is started anew after
    ``render_restart`` pages, and whenever it no longer answers.
    """

    gate_address = "127.0.0.1"

    def __init__(self, crawler: Crawler, params: CrawlParams, agent: str) -> None:
        self._crawler = crawler
        self._params = params
        self._agent = agent
        self._numbers = count(1)
        self._starting = asyncio.Lock()
        self._handler: BrowserHandler | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def show(self, page: Answered, gate: Gate) -> Shown:
        """Run the page's scripts; raises one of ``render.failures``."""
        handler = await self._started()
        steering = Steering(page, self._params.render_block)
        name = f"page {next(self._numbers)}"
        handler.active.add(name)
        try:
            async with asyncio.timeout(OPEN_SECONDS) as limit:
                begin = self._begun_by(steering, limit)
                request = self._request(page.url, name, begin, gate)
                await handler.download_request(request)
                if not steering.begun:  # scrapy-playwright only logs why
                    raise RendererLostError("the page could not be watched")
                return await self._read(request.meta["playwright_page"], steering, gate)
        except TimeoutError as error:
            if await self._answers(handler):
                raise RenderTimeoutError("the page keeps the browser busy") from error
            raise self._lost(handler, "the browser does not answer") from error
        except PlaywrightError as error:
            why = str(error).partition("\n")[0]
            if await self._answers(handler):  # so it is the page alone that broke
                raise RendererLostError(why) from error
            raise self._lost(handler, why) from error
        finally:
            await self._end(handler, name)

    async def close(self) -> None:
        """End the browser."""
        if self._handler is not None:
            self._begin(_end_browser(self._handler))
        if self._ending:
            await asyncio.wait(self._ending)

    async def _read(self, page: Page, steering: Steering, gate: Gate) -> Shown:
        finished = await Settling(page, steering, gate, self._params).finish()
        return Shown(await read_shown(page), page.url, steering.sent_to, finished)

    async def _started(self) -> BrowserHandler:
        async with self._starting:
            handler = self._handler
            if handler is not None and handler.shown >= self._params.render_restart:
                self._handler = None
                self._begin(_retire(handler))
            if self._handler is None:
                self._handler = await self._start()
            self._handler.shown += 1
            return self._handler

    async def _start(self) -> BrowserHandler:
        handler = BrowserHandler(self._crawler)
        try:
            await handler.start()
        except BaseException:
            self._begin(_end_browser(handler))
            raise
        return handler

    def _begun_by(self, steering: Steering, limit: asyncio.Timeout) -> Begin:
        """What an empty page begins with; the page's own time runs from then on."""

        async def begin(page: Page, asked: object) -> None:
            await steering.begin(page, asked)
            now = asyncio.get_running_loop().time()
            limit.reschedule(now + self._params.render_time + READ_SECONDS)

        return begin

    def _request(self, url: str, name: str, begin: Begin, gate: Gate) -> Request:
        context = {
            "user_agent": self._agent,
            "accept_downloads": False,
            "service_workers": "block",
            "ignore_https_errors": not self._params.verify_tls,
            "proxy": {"server": gate.url},
        }
        meta: dict[str, Any] = {
            "playwright": True,
            "playwright_include_page": True,
            "playwright_context": name,
            "playwright_context_kwargs": context,
            "playwright_page_init_callback": begin,
        }
        return Request(url, meta=meta | {"verbatim_url": True})

    async def _answers(self, handler: BrowserHandler) -> bool:
        """Whether the browser still does what it is told."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                session = await handler.browser.new_browser_cdp_session()
                await session.send("Browser.getVersion")
        except (TimeoutError, PlaywrightError, AttributeError):
            return False
        return True

    def _lost(self, handler: BrowserHandler, why: str) -> RendererLostError:
        """Leave this browser, and end it at once; the next page starts another."""
        handler.lost = True
        if self._handler is handler:
            logger.warning("The browser was lost, and is started anew: %s", why)
            self._handler = None
            self._begin(_end_browser(handler))
        return RendererLostError(why)

    def _begin(self, ending: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, handler: BrowserHandler, name: str) -> None:
        handler.left(name)
        wrapper = handler.context_wrappers.get(name)
        if wrapper is None or handler.lost:
            return
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await wrapper.context.close()
        except (TimeoutError, PlaywrightError):
            self._lost(handler, "a page could not be closed")


async def _retire(handler: BrowserHandler) -> None:
    """Close a browser when the pages that it shows are done."""
    if handler.active:
        handler.idle.clear()
        await handler.idle.wait()
    await _end_browser(handler)


async def _end_browser(handler: BrowserHandler) -> None:
    """Close a browser for good, by force if it does not obey."""
    for end in (handler.close, handler.browser_provider.kill):
        try:
            async with asyncio.timeout(END_SECONDS):
                await end()
        except (TimeoutError, PlaywrightError) as error:
            logger.info("The browser did not end by itself: %s", error)
        else:
            return
