"""Playwright renderer: finds Chromium, starts and restarts it, renders pages in it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider
from typing_extensions import override

from sitecrawl.config.installed_browser import NO_BROWSER, find_chromium
from sitecrawl.http.dialing import EVERY_ORIGIN
from sitecrawl.http.session_file import read_storage_state
from sitecrawl.render.network_idle import finish_page, retry_on_navigation
from sitecrawl.render.page_guard import PageGuard
from sitecrawl.render.rendered_page import (
    FetchedPage,
    RenderedDocument,
    RendererLostError,
    RendererMissingError,
    RenderTimeoutError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from playwright.async_api import Page
    from scrapy.crawler import Crawler

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.render.sandbox_proxy import SandboxProxy

    Begin = Callable[[Page, object], Awaitable[None]]

LOOPBACK = "127.0.0.1"
GATHERING_SECONDS = 2.0  # at most; a browser that sends nothing is done at once
NO_PROXY = "http://127.0.0.1:9"  # the discard port: nothing is to be reached
GATHER = """async ([port, seconds]) => {
    if (typeof RTCPeerConnection === 'undefined') return;
    const peer = new RTCPeerConnection({iceServers: [{urls: `stun:127.0.0.1:${port}`}]});
    peer.createDataChannel('x');
    const gathered = new Promise(resolve => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
        setTimeout(resolve, seconds * 1000);
    });
    await peer.setLocalDescription(await peer.createOffer());
    await gathered;
    peer.close();
}"""
SENDS_PAST_PROXY = (
    "WebRTC in this browser sends packets past the proxy that keeps pages out of private networks; "
    "use another version of Chromium"
)
START_SECONDS = 60.0
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # All traffic through the proxy; Chromium 156 knows the second name only.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",  # a leaking page must not exhaust the machine
)
# Playwright's default lets a page change its address without limit: a hundred thousand times made
# the browser hang. Chromium itself allows 200 changes in 10 seconds.
OMITTED_ARGUMENTS = ["--disable-ipc-flooding-protection"]
# The flat tree (DOM Standard, 4.2.2.3; CSS Scoping, 3.1) as markup; null if it equals the
# document. Copied into a document without scripts, where no component is upgraded.
FLAT_TREE = """() => {
    if (![...document.querySelectorAll('*')].some(element => element.shadowRoot)) return null;
    const inert = document.implementation.createHTMLDocument('');
    const flat = node => {
        const copy = inert.importNode(node, false);
        const assigned = node.localName === 'slot' ? node.assignedNodes() : [];
        const shown = assigned.length ? assigned : (node.shadowRoot || node).childNodes;
        for (const child of shown) copy.appendChild(flat(child));
        return copy;
    };
    return '<!DOCTYPE html>' + flat(document.documentElement).outerHTML;
}"""
logger = logging.getLogger(__name__)
# Generous, for a busy machine; reached only on errors.
OPEN_SECONDS = 30.0  # to open an empty page
READ_SECONDS = 10.0  # beyond render_time, to start a page and to read its content
ANSWER_SECONDS = 10.0  # for a live browser to respond
END_SECONDS = 5.0  # for a browser to close


class PacketCounter(asyncio.DatagramProtocol):
    """Receiver that counts packets."""

    def __init__(self) -> None:
        self.packets = 0

    @override
    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Count a packet."""
        self.packets += 1


async def sends_past_proxy(browser: Browser) -> bool:
    """Return True if a page with a proxy sends a packet (STUN, RFC 8489) to this machine."""
    loop = asyncio.get_running_loop()
    transport, counter = await loop.create_datagram_endpoint(
        PacketCounter, local_addr=(LOOPBACK, 0)
    )
    port = transport.get_extra_info("sockname")[1]
    context = await browser.new_context(proxy={"server": NO_PROXY})
    try:
        page = await context.new_page()
        await page.evaluate(GATHER, [port, GATHERING_SECONDS])
    finally:
        await context.close()
        transport.close()
    return counter.packets > 0


class InstalledChromium(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Browser provider for the installed Chromium; a remote one in the settings has priority."""

    mark = ""

    async def launch_browser(self) -> Browser:
        """Launch the browser; raises RendererMissingError."""
        options = self.config.launch_options
        remote = self.config.cdp_url or self.config.connect_url
        if not remote and "executable_path" not in options:
            self.config.launch_options = {**self._options(), **options}
        try:
            browser: Browser = await super().launch_browser()
        except PlaywrightError as error:
            reason = str(error).partition("\n")[0]
            raise RendererMissingError(f"the browser does not start: {reason}") from error
        return browser

    def _options(self) -> dict[str, Any]:
        program, bundled = find_chromium(os.environ), self.browser_type
        if program is None and not (bundled and Path(bundled.executable_path).exists()):
            raise RendererMissingError(NO_BROWSER)
        self.mark = f"--sitecrawl={uuid4().hex}"
        return {
            "executable_path": program,
            "args": [*ARGUMENTS, self.mark],
            "ignore_default_args": OMITTED_ARGUMENTS,
            "chromium_sandbox": os.geteuid() != 0,  # not available to root
            "timeout": START_SECONDS * 1000,
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
        }

    async def kill(self) -> None:
        """Kill the browser that was started here and does not respond."""
        if self.mark:
            for process in _processes_with(self.mark.encode()):
                os.kill(process, signal.SIGKILL)
        await self.close()


def _processes_with(mark: bytes) -> list[int]:
    """Return the ids of processes with an argument; none on systems without /proc."""
    found = []
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark in arguments.read_bytes().split(b"\0"):
                found.append(int(arguments.parent.name))
        except OSError:
            continue  # the process has ended
    return found


async def read_shown(page: Page) -> str:
    """Return the markup of a page, with open shadow trees at the position where they are shown."""
    composed: str | None = None
    try:
        composed = await retry_on_navigation(lambda: page.evaluate(FLAT_TREE))
    except PlaywrightError as error:
        logger.debug("The components of %s were not read: %s", page.url, error)
    return await retry_on_navigation(page.content) if composed is None else composed


class BrowserHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """scrapy-playwright's handler, started by the first page that needs it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.browser_provider_cls = InstalledChromium
        self.process_request_headers = None  # the context sets the User-Agent
        self.config.restart_disconnected_browser = (
            False  # a lost browser is replaced with its handler
        )
        self.shown = 0
        self.lost = False
        self.active: set[str] = set()
        self.idle = asyncio.Event()

    def release(self, name: str) -> None:
        """Release a page; signal ``idle`` after the last one."""
        self.active.discard(name)
        if not self.active:
            self.idle.set()

    async def start(self) -> None:
        """Start Playwright and the browser; raises RendererMissingError."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._launch()
                await self._maybe_launch_browser()
                if self.browser_provider.mark and await sends_past_proxy(self.browser):
                    raise RendererMissingError(SENDS_PAST_PROXY)
        except TimeoutError as error:
            why = f"the browser did not start within {START_SECONDS:.0f} seconds"
            raise RendererMissingError(why) from error

    async def _download_request_with_page(self, request: Request, page: Page, _: object) -> None:
        """Open the page without reading it: it has only begun to load."""
        request.meta["playwright_page"] = page
        await page.goto(request.url, wait_until="commit")


class PlaywrightRenderer:
    """Renderer that gives each page a browser context of its own.

    Pages therefore share nothing, and leave nothing behind. The browser is restarted after
    ``render_restart`` pages, and whenever it no longer responds.
    """

    proxy_address = "127.0.0.1"

    def __init__(self, crawler: Crawler, params: CrawlParams, agent: str) -> None:
        self._crawler = crawler
        self._params = params
        self._agent = agent
        file = params.cookie_file
        self._session = read_storage_state(Path(file)) if file else None
        self._numbers = count(1)
        self._starting = asyncio.Lock()
        self._handler: BrowserHandler | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def show(self, page: FetchedPage, proxy: SandboxProxy) -> RenderedDocument:
        """Run the page's scripts; raises one of the errors of ``rendered_page``."""
        handler = await self._started()
        guard = PageGuard(page, self._params.render_block)
        name = f"page {next(self._numbers)}"
        handler.active.add(name)
        try:
            async with asyncio.timeout(OPEN_SECONDS) as limit:
                begin = self._page_init(guard, limit)
                request = self._request(page.url, name, begin, proxy)
                await handler.download_request(request)
                if not guard.begun:  # scrapy-playwright only logs the cause
                    raise RendererLostError("the page could not be watched")
                return await self._read(request.meta["playwright_page"], guard, proxy)
        except TimeoutError as error:
            if await self._is_alive(handler):
                raise RenderTimeoutError("the page keeps the browser busy") from error
            raise self._replace_lost(handler, "the browser does not answer") from error
        except PlaywrightError as error:
            why = str(error).partition("\n")[0]
            if await self._is_alive(handler):  # only the page failed
                raise RendererLostError(why) from error
            raise self._replace_lost(handler, why) from error
        finally:
            await self._end(handler, name)

    async def close(self) -> None:
        """Close the browser."""
        if self._handler is not None:
            self._start_background(_end_browser(self._handler))
        if self._ending:
            await asyncio.wait(self._ending)

    async def _read(self, page: Page, guard: PageGuard, proxy: SandboxProxy) -> RenderedDocument:
        finished = await finish_page(page, guard, proxy, self._params)
        return RenderedDocument(await read_shown(page), page.url, guard.sent_to, finished)

    async def _started(self) -> BrowserHandler:
        async with self._starting:
            handler = self._handler
            if handler is not None and handler.shown >= self._params.render_restart:
                self._handler = None
                self._start_background(_retire(handler))
            if self._handler is None:
                self._handler = await self._start()
            self._handler.shown += 1
            return self._handler

    async def _start(self) -> BrowserHandler:
        handler = BrowserHandler(self._crawler)
        try:
            await handler.start()
        except BaseException:
            self._start_background(_end_browser(handler))
            raise
        return handler

    def _page_init(self, guard: PageGuard, limit: asyncio.Timeout) -> Begin:
        """Return the callback for a new page; calling it starts the page's own time limit."""

        async def begin(page: Page, asked: object) -> None:
            await guard.begin(page, asked)
            now = asyncio.get_running_loop().time()
            limit.reschedule(now + self._params.render_time + READ_SECONDS)

        return begin

    def _request(self, url: str, name: str, begin: Begin, proxy: SandboxProxy) -> Request:
        context = {
            "user_agent": self._agent,
            "accept_downloads": False,
            "service_workers": "block",
            "ignore_https_errors": EVERY_ORIGIN in self._params.unverified_origins,
            "proxy": {"server": proxy.url},
            "storage_state": self._session,
        }
        meta: dict[str, Any] = {
            "playwright": True,
            "playwright_include_page": True,
            "playwright_context": name,
            "playwright_context_kwargs": context,
            "playwright_page_init_callback": begin,
        }
        return Request(url, meta=meta | {"verbatim_url": True})

    async def _is_alive(self, handler: BrowserHandler) -> bool:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                session = await handler.browser.new_browser_cdp_session()
                await session.send("Browser.getVersion")
        except (TimeoutError, PlaywrightError, AttributeError):
            return False
        return True

    def _replace_lost(self, handler: BrowserHandler, why: str) -> RendererLostError:
        handler.lost = True
        if self._handler is handler:
            logger.warning("The browser was lost, and is started anew: %s", why)
            self._handler = None
            self._start_background(_end_browser(handler))
        return RendererLostError(why)

    def _start_background(self, ending: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, handler: BrowserHandler, name: str) -> None:
        handler.release(name)
        wrapper = handler.context_wrappers.get(name)
        if wrapper is None or handler.lost:
            return
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await wrapper.context.close()
        except (TimeoutError, PlaywrightError):
            self._replace_lost(handler, "a page could not be closed")


async def _retire(handler: BrowserHandler) -> None:
    if handler.active:
        handler.idle.clear()
        await handler.idle.wait()
    await _end_browser(handler)


async def _end_browser(handler: BrowserHandler) -> None:
    for end in (handler.close, handler.browser_provider.kill):
        try:
            async with asyncio.timeout(END_SECONDS):
                await end()
        except (TimeoutError, PlaywrightError) as error:
            logger.info("The browser did not end by itself: %s", error)
        else:
            return
