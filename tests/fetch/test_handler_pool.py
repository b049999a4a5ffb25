"""Connections are used again while they last, and none is left behind."""

from __future__ import annotations

import resource
from contextlib import suppress
from socket import socket
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.test import get_crawler

from fixtures.hostile import SocketServer
from fixtures.server import Raw, Server
from sitecrawl.http import connection as pool
from sitecrawl.http.fetch_errors import ConnectionBrokenError
from tests.fetch.waiting import until

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch
    from tests.fetch.tls import Authority

OK = b"HTTP/1.1 200 OK\r\n"
PAGE = OK + b"Content-Length: 4\r\n\r\npage"
LAST = {
    "close": OK + b"Connection: close\r\nContent-Length: 4\r\n\r\npage",
    "Close": OK + b"Connection: x, Close\r\nContent-Length: 4\r\n\r\npage",
    "http-1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\npage",
    "longer-than-said": PAGE + b"\r\n",
}
KEPT = {
    "length": PAGE,
    "chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
    "http-1.0": b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 4\r\n\r\npage",
}


class Talk:
    """Answers each request of a connection with the next answer; closes it after the last.

    ``requests`` holds those of each connection. ``ended`` counts the connections whose other
    side ended them.
    """

    def __init__(self, *answers: bytes) -> None:
        self.answers = answers
        self.requests: list[list[bytes]] = []
        self.ended = 0

    def __call__(self, connection: socket) -> None:
        asked: list[bytes] = []
        self.requests.append(asked)
        with suppress(ConnectionError):
            for answer in (*self.answers, b""):
                request = connection.recv(65536)
                if request:
                    asked.append(request)
                    connection.sendall(answer)
                else:
                    break
            else:
                return
        self.ended += 1


@pytest.mark.parametrize("name", KEPT)
@ensureDeferred
async def test_connection_is_kept(fetch: Fetch, name: str) -> None:
    talk = Talk(KEPT[name], KEPT[name])
    with SocketServer(talk) as server:
        handler = fetch.handler(server.origin)
        for _ in range(2):
            response = await fetch.send(handler, Request(f"{server.origin}/", dont_filter=True))
            assert response.body == b"page"
        assert [len(asked) for asked in talk.requests] == [2]
        await fetch.close()


@pytest.mark.parametrize("name", LAST)
@ensureDeferred
async def test_connection_is_ended_where_the_server_says_so(fetch: Fetch, name: str) -> None:
    talk = Talk(LAST[name], LAST[name])
    with SocketServer(talk) as server:
        handler = fetch.handler(server.origin)
        for _ in range(2):
            response = await fetch.send(handler, Request(f"{server.origin}/"))
            assert response.body == b"page"
        await until(lambda: talk.ended == 2)
    assert [len(asked) for asked in talk.requests] == [1, 1]


@ensureDeferred
async def test_kept_connection_that_ends_under_a_request_is_replaced(fetch: Fetch) -> None:
    talk = Talk(PAGE)  # and closes it upon the second request
    with SocketServer(talk) as server:
        handler = fetch.handler(server.origin)
        for _ in range(3):
            assert (await fetch.send(handler, Request(f"{server.origin}/"))).body == b"page"
        await fetch.close()
    assert [len(asked) for asked in talk.requests] == [2, 2, 1]


@ensureDeferred
async def test_what_was_posted_is_not_posted_twice(fetch: Fetch) -> None:
    talk = Talk(PAGE)
    with SocketServer(talk) as server:
        handler = fetch.handler(server.origin)
        post = Request(f"{server.origin}/", method="POST", body=b"a=b")
        assert (await fetch.send(handler, post)).body == b"page"
        with pytest.raises(ConnectionBrokenError):
            await fetch.send(handler, post)
    assert [len(asked) for asked in talk.requests] == [2]


@ensureDeferred
async def test_second_attempt_is_made_on_a_new_connection(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"/": "<p>page", "/breaks": [Raw(), "<p>there"]})
    handler = fetch.handler(origin)
    both = [deferred_from_coro(handler.download_request(Request(f"{origin}/"))) for _ in range(2)]
    for each in both:
        await each
    assert (await fetch.send(handler, Request(f"{origin}/breaks"))).body == b"<p>there"
    assert len(server.log.connections) == 3


@ensureDeferred
async def test_what_comes_unasked_answers_nothing(fetch: Fetch, server: Server) -> None:
    later = Raw(PAGE, 0.1, OK + b"Content-Length: 5\r\n\r\nwrong", 0.5)
    origin = server.serve({"/first": later, "/second": "<p>right"})
    handler = fetch.handler(origin)
    assert (await fetch.send(handler, Request(f"{origin}/first"))).body == b"page"
    await until(lambda: not handler._pool._open)
    assert (await fetch.send(handler, Request(f"{origin}/second"))).body == b"<p>right"


@ensureDeferred
async def test_only_so_many_connections_rest(fetch: Fetch, server: Server) -> None:
    origins = [server.serve({"*": "<p>page"}) for _ in range(3)]
    handler = fetch.handler(origins[0], allow_private="yes")
    resting = handler._pool = pool.ConnectionPool(per_route=2, max_idle=3)
    for origin in origins:
        requests = [Request(f"{origin}/{number}") for number in range(4)]
        at_once = [deferred_from_coro(handler.download_request(each)) for each in requests]
        for each in at_once:
            await each
    await until(lambda: len(resting._open) == 3)
    assert len(server.log.connections) == 12
    assert len(resting._idle) == 3
    ports = [f"http://127.0.0.1:{connection.route.port}" for connection in resting._idle]
    assert ports == [origins[1], origins[2], origins[2]]


@ensureDeferred
async def test_file_descriptors_remain_for_connections_in_use(fetch: Fetch, server: Server) -> None:
    origins = [server.serve({"*": "<p>page"}) for _ in range(4)]
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    concurrent = get_crawler().settings.getint("CONCURRENT_REQUESTS")
    resource.setrlimit(resource.RLIMIT_NOFILE, (pool.RESERVED_FDS + 2 * concurrent + 2, most))
    try:
        handler = fetch.handler(origins[0], allow_private="yes")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    for origin in origins:
        await fetch.send(handler, Request(f"{origin}/"))
    await until(lambda: len(handler._pool._open) == 2)


@ensureDeferred
async def test_idle_connection_expires(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "KEEPALIVE_EXPIRY", 0.2)
    talk = Talk(PAGE, PAGE)
    with SocketServer(talk) as server:
        handler = fetch.handler(server.origin)
        await fetch.send(handler, Request(f"{server.origin}/"))
        assert len(handler._pool._idle) == 1
        await until(lambda: talk.ended == 1)
        assert handler._pool._open == set()
    assert [len(asked) for asked in talk.requests] == [1]


@ensureDeferred
async def test_connections_end_with_the_crawl(fetch: Fetch) -> None:
    with SocketServer(Talk(PAGE, PAGE)) as other:
        handler = fetch.handler(other.origin)
        await fetch.send(handler, Request(f"{other.origin}/"))
        await deferred_from_coro(handler.close())
        assert handler._pool._open == set()


@ensureDeferred
async def test_tls_connections_end_with_the_crawl_even_if_the_server_does_not_agree(
    fetch: Fetch, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CLOSE_TIMEOUT", 0.2)
    context = authority.context("127.0.0.1")
    rest: list[bytes] = []

    def keep_open(connection: socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.recv(65536)
            tls.sendall(PAGE)
            raw = tls.detach()
        with socket(fileno=raw) as below:
            while got := below.recv(65536):
                rest.append(got)

    with SocketServer(keep_open) as server:
        origin = server.origin.replace("http:", "https:")
        handler = fetch.handler(origin)
        assert (await fetch.send(handler, Request(f"{origin}/"))).body == b"page"
        await deferred_from_coro(handler.close())
        assert handler._pool._open == set()
        await until(lambda: bool(rest))  # the alert that says so
