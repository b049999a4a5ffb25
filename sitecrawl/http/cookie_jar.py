"""Cookie handling within the limits of RFC 6265."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.utils.httpobj import urlparse_cached

from sitecrawl.policy.urls.scope import suffixes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from http.cookiejar import Cookie

    from scrapy import Request
    from scrapy.http.cookies import CookieJar


MAX_COOKIES = 50  # for one domain, RFC 6265, 6.1
MAX_COOKIE_SIZE = 4096  # bytes of name and value


class BoundedCookies(CookiesMiddleware):
    """Scrapy's cookies middleware with RFC 6265's limits; never downloads the suffix list."""

    def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Add the cookies of the request's site."""
        if request.cookies or self.jars[request.meta.get("cookiejar")]._cookies:
            super().process_request(request)

    def _process_cookies(
        self, cookies: Iterable[Cookie], *, jar: CookieJar, request: Request
    ) -> None:
        host = (urlparse_cached(request).hostname or "").lower()
        for cookie in cookies:
            domain = cookie.domain.removeprefix(".")
            if domain != host and not suffixes(private=True)(domain).domain:
                continue  # a cookie for a public suffix such as .co.uk
            size = len(cookie.name) + len(cookie.value or "")
            if size <= MAX_COOKIE_SIZE and _has_room(jar, cookie):
                jar.set_cookie_if_ok(cookie, request)


def _has_room(jar: CookieJar, cookie: Cookie) -> bool:
    paths = jar._cookies.get(cookie.domain, {})
    if cookie.name in paths.get(cookie.path, {}):
        return True
    return sum(map(len, paths.values())) < MAX_COOKIES
