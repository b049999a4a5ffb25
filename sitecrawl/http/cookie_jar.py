"""Cookie handling within the limits of RFC 6265."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached

from sitecrawl.policy.urls.scope import suffixes

if TYPE_CHECKING:
    from http.cookiejar import Cookie


MAX_COOKIES = 50  # for one domain, RFC 6265, 6.1
MAX_COOKIE_SIZE = 4096  # bytes of name and value


class BoundedCookies(CookiesMiddleware):
    """Scrapy's cookies middleware with RFC 6265's limits; never downloads the suffix list.

    A cookie without a domain goes back to its own host, not to those below (RFC 6265, 5.3).
    """

    def __init__(self, debug: bool = False) -> None:  # noqa: FBT001, FBT002 -- Scrapy's signature
        super().__init__(debug)
        self.jars.default_factory = _own_hosts_jar

    def take(self, cookies: Iterable[Cookie]) -> None:
        """Keep cookies of an earlier session."""
        for cookie in cookies:
            self.jars[None].jar.set_cookie(cookie)

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


def _own_hosts_jar() -> CookieJar:
    return CookieJar(
        DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
    )


def _has_room(jar: CookieJar, cookie: Cookie) -> bool:
    paths = jar._cookies.get(cookie.domain, {})
    if cookie.name in paths.get(cookie.path, {}):
        return True
    return sum(map(len, paths.values())) < MAX_COOKIES
