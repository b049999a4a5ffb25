"""Requests as they go over the wire."""

from __future__ import annotations

from socket import socket
from typing import TYPE_CHECKING, Any

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.hostile import SocketServer
from fixtures.server import Server
from sitecrawl.http.messages import request_bytes, route_of

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

EMPTY = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
TARGETS = {
    "": "/",
    "?q=1": "/?q=1",
    "/a?": "/a?",
    "/a;b=1?c#part": "/a;b=1?c",
    "/%7Ea%2fb/./c": "/%7Ea%2fb/./c",
    "/a|b?c|d": "/a%7Cb?c|d",
    "//x//y:z@?a=//b": "//x//y:z@?a=//b",
}
BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "get": ({}, ""),
    "post": ({"method": "POST", "body": b"a=b"}, "Content-Length: 3\r\n"),
    "own-length": (
        {"method": "POST", "body": b"a=b", "headers": {"Content-Length": "9"}},
        "Content-Length: 3\r\n",
    ),
    "empty-post": ({"method": "POST"}, "Content-Length: 0\r\n"),
    "empty-put": ({"method": "PUT"}, "Content-Length: 0\r\n"),
    "delete": ({"method": "DELETE"}, ""),
}
HEADERS = {"user-agent": "me", "COOKIE": "a=b; c=d", "X-Two": ["1", "2"], "DNT": "1", "X-L": "é"}


class Recorder:
    """Answers with nothing, and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent = b""

    def __call__(self, connection: socket) -> None:
        self.sent = connection.recv(65536)
        connection.sendall(EMPTY)


async def sent(fetch: Fetch, path: str = "/", **words: Any) -> str:
    """A request as a server gets it, with SERVER in place of its own name."""
    recorder = Recorder()
    with SocketServer(recorder) as server:
        handler = fetch.handler(server.origin)
        await fetch.send(handler, Request(server.origin + path, **words))
        return recorder.sent.decode().replace(server.origin[7:], "SERVER")


@pytest.mark.parametrize("path", TARGETS)
@ensureDeferred
async def test_path_and_query_are_sent_as_browsers_send_them(fetch: Fetch, path: str) -> None:
    request = await sent(fetch, path, meta={"verbatim_url": True})
    assert request.partition("\r\n")[0] == f"GET {TARGETS[path]} HTTP/1.1"


@pytest.mark.parametrize("name", BODIES)
@ensureDeferred
async def test_body_is_sent_with_its_length(fetch: Fetch, name: str) -> None:
    words, length = BODIES[name]
    assert await sent(fetch, **words) == (
        f"{words.get('method', 'GET')} / HTTP/1.1\r\n{length}"
        "Accept-Encoding: gzip, deflate, br, zstd\r\nHost: SERVER\r\n\r\n"
        + words.get("body", b"").decode()
    )


@ensureDeferred
async def test_headers_keep_their_order_and_their_values(fetch: Fetch) -> None:
    assert await sent(fetch, headers=HEADERS) == (
        "GET / HTTP/1.1\r\nUser-Agent: me\r\nCookie: a=b; c=d\r\nX-Two: 1\r\nX-Two: 2\r\n"
        "DNT: 1\r\nX-L: é\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nHost: SERVER\r\n\r\n"
    )


@ensureDeferred
async def test_own_host_and_encoding_are_kept(fetch: Fetch) -> None:
    own = {"Host": "other.test", "Accept-Encoding": "identity"}
    assert await sent(fetch, headers=own) == (
        "GET / HTTP/1.1\r\nHost: other.test\r\nAccept-Encoding: identity\r\n\r\n"
    )


@ensureDeferred
async def test_no_header_ends_within_its_value(fetch: Fetch) -> None:
    request = await sent(fetch, headers={"X-A": "a\r\nX-B: b\r\n\r\nGET /c"})
    assert "\r\nX-A: a X-B: b GET /c\r\n" in request
    assert request.count("\r\n") == 5


@pytest.mark.parametrize(
    "words", [{"headers": {"X A": "b"}}, {"headers": {"X\r\nA": "b"}}, {"method": "G T"}]
)
@ensureDeferred
async def test_what_is_no_request_is_not_sent(
    fetch: Fetch, server: Server, words: dict[str, Any]
) -> None:
    origin = server.serve({"/": "<p>here"})
    with pytest.raises(ValueError, match="not a name in HTTP"):
        await fetch.send(fetch.handler(origin), Request(f"{origin}/", **words))
    verbatim = Request(f"{origin}/a b", meta={"verbatim_url": True})
    with pytest.raises(ValueError, match="not a URL that can be requested"):
        await fetch.send(fetch.handler(origin), verbatim)
    assert server.log.exchanges == []


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.test/", b"a.test"),
        ("http://A.test:80/", b"a.test"),
        ("http://a.test:443/", b"a.test:443"),
        ("https://a.test:443/", b"a.test"),
        ("https://a.test:80/", b"a.test:80"),
        ("http://[::1]/", b"[::1]"),
        ("http://[2001:DB8::1]:8080/", b"[2001:db8::1]:8080"),
        ("http://me:secret@a.test/", b"a.test"),
    ],
)
def test_host_has_its_port_where_it_is_not_the_default(url: str, host: bytes) -> None:
    request = Request(url)
    written = request_bytes(request, route_of(request, None))
    assert written.startswith(b"GET / HTTP/1.1\r\n")
    assert written.endswith(b"\r\nHost: " + host + b"\r\n\r\n")
