"""Keeps a site's cookies and sends them back, though not any number of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.utils.httpobj import urlparse_cached
from tldextract import TLDExtract

from sitecrawl.download.limits import fetch_params

if TYPE_CHECKING:
    from collections.abc import Iterable
    from http.cookiejar import Cookie
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.http.cookies import CookieJar

MAX_COOKIES = 50  # of one domain, RFC 6265, 6.1
MAX_COOKIE_SIZE = 4096  # bytes of name and value

# Scrapy's own would fetch a newer list from the network at the first cookie.
suffixes = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


class BoundedCookies(CookiesMiddleware):
    """Scrapy's cookies within RFC 6265's sizes, without network access of their own."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Off where the crawl's options say so."""
        if not fetch_params(crawler).cookies:
            raise NotConfigured("cookies are off")
        return super().from_crawler(crawler)

    def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Add the site's cookies, if it has any."""
        if request.cookies or self.jars[request.meta.get("cookiejar")]._cookies:
            super().process_request(request)

    def process_response(self, request: Request, response: Response) -> Response:  # type: ignore[override]
        """Keep what the response sets."""
        if "Set-Cookie" in response.headers:
            super().process_response(request, response)
        return response

    def _process_cookies(
        self, cookies: Iterable[Cookie], *, jar: CookieJar, request: Request
    ) -> None:
        host = (urlparse_cached(request).hostname or "").lower()
        for cookie in cookies:
            domain = cookie.domain.removeprefix(".")
            if domain != host and not suffixes(domain).domain:
                continue  # a cookie for all of .co.uk
            size = len(cookie.name) + len(cookie.value or "")
            if size <= MAX_COOKIE_SIZE and _has_room(jar, cookie):
                jar.set_cookie_if_ok(cookie, request)


def _has_room(jar: CookieJar, cookie: Cookie) -> bool:
    paths = jar._cookies.get(cookie.domain, {})
    if cookie.name in paths.get(cookie.path, {}):
        return True
    return sum(map(len, paths.values())) < MAX_COOKIES
