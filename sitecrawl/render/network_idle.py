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


async def finish_page(
    page: Page, guard: PageGuard, proxy: SandboxProxy, params: RenderParams
) -> bool:
    """Wait until a page requests and changes nothing; scroll it; return False if ``render_time``
    runs out.
    """
    is_stopped: Callable[[], bool] = lambda: guard.sent_to is not None or proxy.exceeded
    try:
        async with asyncio.timeout(params.render_time):
            await _wait_until_quiet(page, guard, is_stopped, params.render_wait)
            for _ in range(MAX_SCROLLS):
                if is_stopped() or not await _ask(page, SCROLL):
                    break
                await _wait_until_quiet(page, guard, is_stopped, 0.0)
    except TimeoutError:
        return False
    return True


async def _ask(page: Page, script: str) -> Any:
    return await retry_on_navigation(lambda: page.evaluate(script))


async def _wait_until_quiet(
    page: Page, guard: PageGuard, is_stopped: Callable[[], bool], least: float
) -> None:
    loop = asyncio.get_running_loop()
    began = since = loop.time()
    last: Any = None
    while not is_stopped():
        size = await _ask(page, SIZE)
        now = loop.time()
        if size != last or guard.waiting or not size[0]:
            last, since = size, now
        elif now - since >= QUIET_SECONDS and now - began >= least:
            return
        await asyncio.sleep(POLL_SECONDS)
