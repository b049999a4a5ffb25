"""Interception of a page's requests: what it may load, and where it may navigate."""

from __future__ import annotations

from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from sitecrawl.render.rendered_page import FetchedPage
from sitecrawl.web.urls.url import origin

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Route


# Headers of the body as transferred; a refresh is read as a link instead.
DROPPED_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "refresh"})
NO_WINDOWS = "window.open = () => null;"


class PageGuard:
    """Request interceptor of one page, which serves the document that was already fetched.

    A script's navigation to another document is blocked, and ``sent_to`` keeps its target.
    ``begun`` is set once interception is active. Documents in frames are pages of their own and
    are not loaded. ``waiting`` holds the pending requests.
    """

    def __init__(self, page: FetchedPage, blocked: Collection[str]) -> None:
        self.sent_to: str | None = None
        self.begun = False
        self.waiting: set[Request] = set()
        self._page = page
        self._blocked = blocked
        self._document_served = False

    async def begin(self, page: Page, _: Any) -> None:
        """Start intercepting a new page of the browser, the first one or a replacement."""
        self._document_served = False
        self.sent_to = None
        self.waiting.clear()
        page.on("request", self._asked)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("popup", lambda popup: popup.close())
        await page.add_init_script(NO_WINDOWS)
        if self._page.cookies:
            await page.context.add_cookies(list(self._cookies()))
        await page.route("**/*", self._handle_request)
        self.begun = True

    def _asked(self, request: Request) -> None:
        self.waiting.add(request)

    def _ended(self, request: Request) -> None:
        self.waiting.discard(request)

    async def _handle_request(self, route: Route, request: Request) -> None:
        if request.is_navigation_request():
            await self._navigate(route, request)
        elif request.resource_type in self._blocked:
            await route.abort("blockedbyclient")
        elif self._page.authorization and origin(request.url) == origin(self._page.url):
            headers = {**request.headers, "authorization": self._page.authorization}
            await route.fallback(headers=headers)
        else:
            await route.fallback()

    async def _navigate(self, route: Route, request: Request) -> None:
        if request.frame.parent_frame is None and not self._document_served:
            self._document_served = True
            await route.fulfill(status=200, headers=self._headers(), body=self._page.body)
            return
        if request.frame.parent_frame is None and request.method == "GET":
            self.sent_to = self.sent_to or request.url
        await route.abort("blockedbyclient")

    def _headers(self) -> dict[str, str]:
        headers = {
            name: "\n".join(values)  # the form of repeated headers in Playwright
            for name, values in self._page.headers.items()
            if name.lower() not in DROPPED_HEADERS
        }
        return {"Content-Type": "text/html", **headers}

    def _cookies(self) -> Any:
        jar = SimpleCookie()
        try:
            jar.load(self._page.cookies)
        except CookieError:
            return
        for morsel in jar.values():
            yield {"name": morsel.key, "value": morsel.coded_value, "url": self._page.url}
