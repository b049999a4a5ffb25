"""The way to a server: several addresses, IPv6, local addresses, proxies, TLS."""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING, Any

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.hostile import SocketServer, accept_and_wait
from fixtures.server import Server
from sitecrawl.http.fetch_errors import AddressRefusedError
from sitecrawl.policy.outcomes import Outcome
from tests.fetch.tls import issuer

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch
    from tests.fetch.names import Names
    from tests.fetch.tls import Authority

UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\n\r\npage"
PAGE = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npage"
ELSEWHERE = "http://example.test/"


def port_of(origin: str) -> int:
    return int(origin.rpartition(":")[2])


@ensureDeferred
async def test_next_address_is_tried_where_one_refuses(
    fetch: Fetch, server: Server, names: Names
) -> None:
    port = port_of(server.serve({"/": "<p>here"}, "127.0.0.3"))
    names.known["site.test"] = ["127.0.9.1", "127.0.9.2", "127.0.0.3"]
    response = await fetch(f"http://site.test:{port}/")
    assert (response.body, str(response.ip_address)) == (b"<p>here", "127.0.0.3")


@ensureDeferred
async def test_next_address_is_tried_where_one_is_silent(
    fetch: Fetch, server: Server, names: Names
) -> None:
    port = port_of(server.serve({"/": "<p>here"}, "127.0.0.3"))
    with socket.socket() as full:  # a queue of one, taken: further connections get no answer
        full.bind(("127.0.9.1", port))
        full.listen(0)
        with socket.create_connection(("127.0.9.1", port)):
            names.known["site.test"] = ["127.0.9.1", "127.0.0.3"]
            began = time.monotonic()
            response = await fetch(f"http://site.test:{port}/", timeout="60s")
            assert str(response.ip_address) == "127.0.0.3"
            assert 0.2 < time.monotonic() - began < 30


@ensureDeferred
async def test_no_address_that_answers(fetch: Fetch, server: Server, names: Names) -> None:
    port = port_of(server.serve({"/": "<p>here"}, "127.0.0.3"))
    names.known["site.test"] = ["127.0.9.1", "127.0.9.2"]
    assert (await fetch.answer(f"http://site.test:{port}/")).reason == "connection_refused"


@ensureDeferred
async def test_address_that_is_not_permitted_is_passed_over(
    fetch: Fetch, server: Server, names: Names
) -> None:
    other = server.serve({"/": "<p>here"}, "127.0.0.3")
    own = server.serve({"/": "<p>own"}, "127.0.0.1", port_of(other))
    handler = fetch.handler(own)
    assert (await fetch.send(handler, Request(f"{own}/"))).body == b"<p>own"
    names.known["site.test"] = ["127.0.0.3", "127.0.0.1"]
    site = f"http://site.test:{port_of(other)}/"
    assert (await fetch.send(handler, Request(site))).body == b"<p>own"
    names.known["other.test"] = ["127.0.0.3"]
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.3 is loopback"):
        await fetch.send(handler, Request(site.replace("site", "other")))
    assert server.log.connected(other) == 0


@pytest.mark.parametrize("host", ["[::1]", "site.test"])
@ensureDeferred
async def test_ipv6(fetch: Fetch, server: Server, names: Names, host: str) -> None:
    origin = server.serve({"/": "<p>six"}, "::1")
    names.known["site.test"] = ["::1"]
    url = f"http://{host}:{port_of(origin)}/"
    response = await fetch(url)
    assert (response.body, str(response.ip_address)) == (b"<p>six", "::1")
    assert server.log.exchanges[0].headers["host"] == url[7:-1]
    with pytest.raises(AddressRefusedError, match="::1 is loopback"):
        await fetch.send(fetch.handler(ELSEWHERE), Request(url))


@pytest.mark.parametrize("host", ["under_score.test", "xn--h28h.test", "SITE.test", "localhost"])
@ensureDeferred
async def test_unusual_name(fetch: Fetch, server: Server, names: Names, host: str) -> None:
    port = port_of(server.serve({"/": "<p>here"}))
    names.known[host.lower()] = ["127.0.0.1"]
    assert (await fetch(f"http://{host}:{port}/", allow_private="yes")).body == b"<p>here"


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".test", "xn--a b.test", ".test"])
@ensureDeferred
async def test_name_that_cannot_be(fetch: Fetch, host: str) -> None:
    assert (await fetch.answer(f"http://{host}/")).reason == "dns_failed"


@ensureDeferred
async def test_local_address_can_be_chosen(fetch: Fetch) -> None:
    seen: list[str] = []

    def note(connection: socket.socket) -> None:
        seen.append(connection.getpeername()[0])
        connection.recv(65536)
        connection.sendall(PAGE)

    with SocketServer(note) as server:
        handler = fetch.handler(server.origin)
        for address in ("127.0.0.7", ("127.0.0.8", 0)):
            request = Request(f"{server.origin}/", meta={"bindaddress": address})
            assert (await fetch.send(handler, request)).body == b"page"
    assert seen == ["127.0.0.7", "127.0.0.8"]


@ensureDeferred
async def test_silence_of_a_server_that_should_speak_tls(fetch: Fetch) -> None:
    with SocketServer(accept_and_wait) as server:
        url = server.origin.replace("http:", "https:") + "/"
        answer = await fetch.answer(url, timeout="0.3")
    assert answer.reason == "timeout"


def half_page(context: ssl.SSLContext, *, properly: bool) -> Any:
    """Answers without length, and closes with the end that TLS demands or without."""

    def act(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.recv(65536)
            tls.sendall(UNTIL_CLOSE)
            if properly:
                tls.unwrap()

    return act


@ensureDeferred
async def test_page_that_may_be_half_a_page(fetch: Fetch, authority: Authority) -> None:
    context = authority.context("127.0.0.1")
    with SocketServer(half_page(context, properly=True)) as server:
        assert (await fetch(server.origin.replace("http:", "https:"))).body == b"page"
    with SocketServer(half_page(context, properly=False)) as server:
        answer = await fetch.answer(server.origin.replace("http:", "https:"))
    assert (answer.outcome, answer.reason) == (Outcome.DID_NOT_UNDERSTAND_ANSWER, "cut_short")


@ensureDeferred
async def test_server_name_is_sent_in_the_handshake(
    fetch: Fetch, server: Server, authority: Authority, names: Names
) -> None:
    told: list[str | None] = []
    context = authority.context("site.test")
    context.sni_callback = lambda _, name, __: told.append(name)
    port = port_of(server.serve({"/": "<p>safe"}, tls=context))
    names.known |= {name: ["127.0.0.1"] for name in ("site.test", "site.test.", "other.test")}
    for name in ("site.test", "site.test."):
        assert (await fetch(f"https://{name}:{port}/")).body == b"<p>safe"
    assert (await fetch.answer(f"https://other.test:{port}/")).reason == "tls_failed"
    assert (await fetch.answer(f"https://127.0.0.1:{port}/")).reason == "tls_failed"
    assert told == ["site.test", "site.test", "other.test", None]


@ensureDeferred
async def test_response_has_the_certificate(
    fetch: Fetch, server: Server, authority: Authority
) -> None:
    origin = server.serve({"/": "<p>safe"}, tls=authority.context("127.0.0.1"))
    response = await fetch(f"{origin}/")
    assert issuer(response) == "CN=Test Authority"
