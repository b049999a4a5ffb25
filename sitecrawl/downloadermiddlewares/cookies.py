"""Keep the cookies that a site sets, from the first one on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler, load_object

from sitecrawl.components import Component, params_of
from sitecrawl.http.session_file import read_cookies


class CookiesMiddleware(Component):
    """Substitute for Scrapy's cookies middleware until a site sets a cookie.

    Scrapy's imports an HTTP client, with its list of suffixes: a tenth of the start-up time, and
    most crawls see no cookie.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._cookies: Any = None
        params = params_of(crawler)
        if not params.cookies:
            raise NotConfigured("cookies are off")
        if params.cookie_file:
            self._kept().take(read_cookies(Path(params.cookie_file)))

    def process_request(self, request: Request) -> None:
        """Add the site's cookies, if it has any."""
        if request.cookies or self._cookies is not None:
            self._kept().process_request(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Store the cookies that the response sets."""
        if "Set-Cookie" in response.headers:
            self._kept().process_response(request, response)
        return response

    def _kept(self) -> Any:
        if self._cookies is None:
            kept = load_object("sitecrawl.http.cookie_jar.BoundedCookies")
            self._cookies = build_from_crawler(kept, self._crawler)
        return self._cookies
