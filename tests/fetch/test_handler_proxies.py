"""The way through a proxy."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request
from scrapy.exceptions import NotSupported

from fixtures.hostile import SocketServer, accept_and_wait
from fixtures.server import Answer, Server
from sitecrawl.http.fetch_errors import AddressRefusedError, TunnelError
from tests.fetch.tls import issuer

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch
    from tests.fetch.tls import Authority

PAGE = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npage"
OPENED = b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n"
ELSEWHERE = "http://example.test/"


class Proxy:
    """Answers CONNECT, and then is the server itself; keeps what it was asked."""

    def __init__(self, context: ssl.SSLContext, answer: bytes = OPENED) -> None:
        self.asked: list[bytes] = []
        self._context = context
        self._answer = answer

    def __call__(self, connection: socket.socket) -> None:
        self.asked.append(connection.recv(65536))
        connection.sendall(self._answer)
        if self._answer is OPENED:
            with (
                suppress(ssl.SSLError),  # the crawler does not trust it
                self._context.wrap_socket(connection, server_side=True) as tls,
            ):
                self.asked.append(tls.recv(65536))
                tls.sendall(PAGE)


SECRET = {"Proxy-Authorization": "Basic bWU6aXQ="}


@ensureDeferred
async def test_tunnel_through_a_proxy(fetch: Fetch, authority: Authority) -> None:
    proxy = Proxy(authority.context("site.test"))
    with SocketServer(proxy) as server:
        handler = fetch.handler("https://site.test/")
        meta = {"proxy": server.origin}
        request = Request("https://site.test/page?q", meta=meta, headers=SECRET)
        response = await fetch.send(handler, request)
    assert (response.body, str(response.ip_address)) == (b"page", "127.0.0.1")
    assert issuer(response) == "CN=Test Authority"
    assert proxy.asked[0] == (
        b"CONNECT site.test:443 HTTP/1.1\r\nHost: site.test:443\r\n"
        b"Proxy-Authorization: Basic bWU6aXQ=\r\n\r\n"
    )
    assert proxy.asked[1].startswith(b"GET /page?q HTTP/1.1\r\n")
    assert proxy.asked[1].endswith(b"\r\nHost: site.test\r\n\r\n")
    assert b"Proxy-Authorization" not in proxy.asked[1]


@ensureDeferred
async def test_certificate_is_verified_through_a_tunnel(fetch: Fetch, authority: Authority) -> None:
    proxy = Proxy(authority.context("other.test"))
    with SocketServer(proxy) as server:
        handler = fetch.handler("https://site.test/")
        request = Request("https://site.test/", meta={"proxy": server.origin})
        with pytest.raises(Exception, match=r"not valid for 'site\.test'"):
            await fetch.send(handler, request)
    assert len(proxy.asked) == 1


REFUSALS = {
    b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n": "answered CONNECT with 407",
    b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000: "larger than 64 KiB",
    b"no proxy\r\n\r\n": "not an HTTP status line",
    b"": "closed the connection",
}


@pytest.mark.parametrize("answer", REFUSALS, ids=["407", "endless", "gibberish", "closed"])
@ensureDeferred
async def test_proxy_that_opens_no_tunnel(
    fetch: Fetch, authority: Authority, answer: bytes
) -> None:
    with SocketServer(Proxy(authority.context("site.test"), answer)) as server:
        handler = fetch.handler("https://site.test/")
        request = Request("https://site.test/", meta={"proxy": server.origin})
        with pytest.raises(Exception, match=REFUSALS[answer]) as caught:
            await fetch.send(handler, request)
    assert isinstance(caught.value, TunnelError) == ("407" in str(caught.value))


@pytest.mark.parametrize("scheme", ["http", "https"])
@ensureDeferred
async def test_proxy_of_another_kind_is_not_asked(
    fetch: Fetch, server: Server, scheme: str
) -> None:
    proxy = server.serve({"*": "<p>by proxy"}).replace("http:", "ftp:")
    request = Request(f"{scheme}://site.test/", meta={"proxy": proxy})
    with pytest.raises(NotSupported, match="not ftp://"):
        await fetch.send(fetch.handler(ELSEWHERE), request)
    assert server.log.connections == []


@ensureDeferred
async def test_silent_proxy(fetch: Fetch) -> None:
    with SocketServer(accept_and_wait) as server:
        handler = fetch.handler("https://site.test/", timeout="0.3")
        request = Request("https://site.test/", meta={"proxy": server.origin})
        with pytest.raises(Exception, match="within timeout"):
            await fetch.send(handler, request)


@ensureDeferred
async def test_plain_requests_share_a_connection_to_their_proxy(
    fetch: Fetch, server: Server
) -> None:
    proxy = server.serve({"*": lambda request: Answer(f"<p>{request.target}")})
    handler = fetch.handler(ELSEWHERE)
    for url in ("http://a.test/x?y", "http://me:it@b.test:81"):
        request = Request(url, meta={"proxy": proxy[7:]}, headers=SECRET)
        body = (await fetch.send(handler, request)).body.decode()
        assert body == {"a": "<p>http://a.test/x?y", "m": "<p>http://b.test:81/"}[url[7]]
    assert len(server.log.connections) == 1
    assert [each.host for each in server.log.exchanges] == ["a.test", "b.test:81"]
    assert server.log.exchanges[0].headers["proxy-authorization"] == SECRET["Proxy-Authorization"]
    with pytest.raises(AddressRefusedError):  # the proxy's address is open to nothing else
        await fetch.send(handler, Request(f"{proxy}/"))


@ensureDeferred
async def test_proxy_that_speaks_tls(fetch: Fetch, server: Server, authority: Authority) -> None:
    proxy = server.serve({"*": "<p>by proxy"}, tls=authority.context("127.0.0.1"))
    handler = fetch.handler(ELSEWHERE)
    plain = Request("http://site.test/", meta={"proxy": proxy})
    assert (await fetch.send(handler, plain)).body == b"<p>by proxy"
    assert server.log.exchanges[0].target == "http://site.test/"
    with pytest.raises(NotSupported, match="through an https:// proxy"):
        await fetch.send(handler, Request("https://site.test/", meta={"proxy": proxy}))
