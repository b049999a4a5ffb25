"""Wait for a page to become idle: no pending requests, no changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from playwright.async_api import Error as PlaywrightError

from sitecrawl.config.options.render import RenderParams
from sitecrawl.render.page_guard import PageGuard
from sitecrawl.render.rendered_page import MAX_SCROLLS

if TYPE_CHECKING:
    from playwright.async_api import Page

    from sitecrawl.render.sandbox_proxy import SandboxProxy


T = TypeVar("T")
POLL_SECONDS = 0.05
QUIET_SECONDS = 0.5
"""Time after which a page is finished that neither changed nor waited for what it had asked for."""
# Lengths instead of content, so that a clock or a carousel does not count as a change.
SIZE = """() => [document.readyState !== 'loading', document.getElementsByTagName('*').length,
    document.body ? document.body.textContent.length : 0, location.href]"""
SCROLL = """() => { const before = scrollY; scrollTo(0, document.documentElement.scrollHeight);
    return scrollY > before; }"""


async def retry_on_navigation(ask: Callable[[], Awaitable[T]]) -> T:
    """Query a page; retry while a navigation is interrupting it."""
    while True:
        try:
            return await ask()
        except PlaywrightError as error:
            if "navigat" not in error.message:
                raise
        await asyncio.sleep(POLL_SECONDS)


class NetworkIdleWaiter:
    """Waiter for one page, until it requests nothing and changes nothing."""

    def __init__(
        self, page: Page, guard: PageGuard, proxy: SandboxProxy, params: RenderParams
    ) -> None:
        self._page = page
        self._guard = guard
        self._proxy = proxy
        self._params = params

    async def finish(self) -> bool:
        """Wait until the page is idle and scrolled; return False if ``render_time`` runs out."""
        try:
            async with asyncio.timeout(self._params.render_time):
                await self._wait_until_quiet(self._params.render_wait)
                for _ in range(MAX_SCROLLS):
                    if self._stopped or not await self._ask(SCROLL):
                        break
                    await self._wait_until_quiet(0.0)
        except TimeoutError:
            return False
        return True

    @property
    def _stopped(self) -> bool:
        return self._guard.sent_to is not None or self._proxy.exceeded

    async def _ask(self, script: str) -> Any:
        return await retry_on_navigation(lambda: self._page.evaluate(script))

    async def _wait_until_quiet(self, least: float) -> None:
        loop = asyncio.get_running_loop()
        began = since = loop.time()
        last: Any = None
        while not self._stopped:
            size = await self._ask(SIZE)
            now = loop.time()
            if size != last or self._guard.waiting or not size[0]:
                last, since = size, now
            elif now - since >= QUIET_SECONDS and now - began >= least:
                return
            await asyncio.sleep(POLL_SECONDS)
