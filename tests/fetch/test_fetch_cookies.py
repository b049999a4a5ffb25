"""Cookies: kept for their site, within sizes, and without asking the network about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler

from fixtures.server import Answer, Server
from sitecrawl.downloadermiddlewares.cookies import CookiesMiddleware
from sitecrawl.http.cookie_jar import MAX_COOKIES

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch


class Visitor:
    """Fetches with cookies as the crawl does: middleware, handler, middleware."""

    def __init__(self, fetch: Fetch, start: str, **options: str) -> None:
        self._fetch = fetch
        self._handler = fetch.handler(start, **options)
        self._cookies = build_from_crawler(CookiesMiddleware, fetch.crawler)

    async def get(self, url: str) -> Response:
        request = Request(url)
        self._cookies.process_request(request)
        response = await self._fetch.send(self._handler, request)
        return self._cookies.process_response(request, response)


def sent(server: Server, origin: str) -> Iterator[str | None]:
    """The Cookie header of each request to an origin."""
    return (e.headers.get("cookie") for e in server.log.exchanges if e.origin == origin)


@pytest.mark.behaviour("F-15")
@ensureDeferred
async def test_cookie_comes_back_to_its_site_alone(fetch: Fetch, server: Server) -> None:
    site: dict[str, Any] = {"*": Answer("<p>", headers={"Set-Cookie": "a=1; Path=/"})}
    own, other = server.serve(site), server.serve({"*": "<p>"}, "127.0.0.2")
    visitor = Visitor(fetch, own, allow_private="yes")
    for url in (f"{own}/1", f"{own}/2", f"{other}/3"):
        await visitor.get(url)
    assert list(sent(server, own)) == [None, "a=1"]
    assert list(sent(server, other)) == [None]


@ensureDeferred
async def test_cookies_are_counted(fetch: Fetch, server: Server) -> None:
    def more(request: Any) -> Answer:
        cookies = tuple(f"c{request.number * 700 + n}=x; Path=/" for n in range(700))
        return Answer("<p>", headers={"Set-Cookie": cookies})

    origin = server.serve({"/": more})
    visitor = Visitor(fetch, origin)
    for _ in range(3):
        await visitor.get(f"{origin}/")
    last = list(sent(server, origin))[-1] or ""
    assert len(last.split("; ")) == MAX_COOKIES


@ensureDeferred
async def test_known_cookie_is_renewed_even_where_there_are_too_many(
    fetch: Fetch, server: Server
) -> None:
    def answer(request: Any) -> Answer:
        names = ("first", *(f"c{n}" for n in range(99)))
        cookies = tuple(f"{name}={request.number}; Path=/" for name in names)
        return Answer("<p>", headers={"Set-Cookie": cookies})

    origin = server.serve({"/": answer})
    visitor = Visitor(fetch, origin)
    for _ in range(3):
        await visitor.get(f"{origin}/")
    assert "first=1;" in (list(sent(server, origin))[-1] or "")


@ensureDeferred
async def test_large_and_foreign_cookies_are_dropped(fetch: Fetch, server: Server) -> None:
    cookies = (
        "large=" + "x" * 5000,
        "foreign=1; Domain=other.test",
        "suffix=1; Domain=.0.1",
        "good=1",
    )
    origin = server.serve({"/": Answer("<p>", headers={"Set-Cookie": cookies})})
    visitor = Visitor(fetch, origin)
    await visitor.get(f"{origin}/")
    await visitor.get(f"{origin}/")
    assert list(sent(server, origin)) == [None, "good=1"]


def test_public_suffix_has_no_cookies(fetch: Fetch) -> None:
    fetch.handler("http://a.co.uk/")
    cookies = build_from_crawler(CookiesMiddleware, fetch.crawler)
    request = Request("http://a.co.uk/")
    headers = {"Set-Cookie": ["all=1; Domain=.co.uk", "own=1; Domain=.a.co.uk"]}
    cookies.process_response(request, Response(request.url, headers=headers))
    following = Request("http://b.a.co.uk/")
    cookies.process_request(following)
    assert following.headers.get("Cookie") == b"own=1"


def test_cookies_can_be_off(fetch: Fetch) -> None:
    fetch.handler("http://a.test/", cookies="no")
    with pytest.raises(NotConfigured):
        build_from_crawler(CookiesMiddleware, fetch.crawler)
