"""Connections: which are made, to whom, and what becomes of those that break."""

from __future__ import annotations

import time
from collections.abc import Callable
from socket import socket
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from fixtures.hostile import (
    SocketServer,
    accept_and_wait,
    reset_after_request,
    reset_at_once,
    reset_in_body,
)
from fixtures.server import Answer, Raw, Server
from sitecrawl.http.fetch_errors import AddressRefusedError
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch
    from tests.fetch.names import Names

BREAKS: list[tuple[Callable[[socket], None], str, str]] = [
    (reset_at_once, "CONNECTION_FAILED", "connection_lost"),
    (reset_after_request, "CONNECTION_FAILED", "connection_lost"),
    (reset_in_body, "DID_NOT_UNDERSTAND_ANSWER", "cut_short"),
]


@pytest.mark.parametrize(("act", "outcome", "reason"), BREAKS, ids=["at once", "asked", "in body"])
@ensureDeferred
async def test_broken_connection(
    fetch: Fetch, act: Callable[[socket], None], outcome: str, reason: str
) -> None:
    with SocketServer(act) as server:
        answer = await fetch.answer(f"{server.origin}/")
    assert (answer.outcome.name, answer.reason) == (outcome, reason)
    assert server.connections == 1, "a new connection that breaks is not made again at once"


@ensureDeferred
async def test_silent_server_is_given_its_time_and_no_more(fetch: Fetch) -> None:
    began = time.monotonic()
    with SocketServer(accept_and_wait) as server:
        answer = await fetch.answer(f"{server.origin}/", timeout="0.5")
    assert answer.reason == "timeout"
    assert 0.4 < time.monotonic() - began < 30  # the server waits for longer
    assert server.connections == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f000001", "localhost", "0"])
@ensureDeferred
async def test_public_start_opens_no_private_address(
    fetch: Fetch, server: Server, host: str
) -> None:
    port = server.serve({"/": "<p>secret"}).rpartition(":")[2]
    handler = fetch.handler("http://example.org/")
    with pytest.raises(AddressRefusedError, match=r"is (loopback|this network)"):
        await fetch.send(handler, Request(f"http://{host}:{port}/"))
    assert server.log.connections == []


@ensureDeferred
async def test_private_start_opens_its_own_address_alone(fetch: Fetch, server: Server) -> None:
    own, other = server.serve({"/": "<p>own"}), server.serve({"/": "<p>other"}, "127.0.0.2")
    handler = fetch.handler(own)
    assert (await fetch.send(handler, Request(f"{own}/"))).body == b"<p>own"
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.2 is loopback"):
        await fetch.send(handler, Request(f"{other}/"))
    assert server.log.targets(other) == []


@ensureDeferred
async def test_allow_private_opens_all(fetch: Fetch, server: Server) -> None:
    other = server.serve({"/": "<p>other"}, "127.0.0.2")
    handler = fetch.handler("http://example.org/", allow_private="yes")
    assert (await fetch.send(handler, Request(f"{other}/"))).body == b"<p>other"


@ensureDeferred
async def test_name_that_leads_elsewhere_later_is_not_followed(
    fetch: Fetch, server: Server, names: Names
) -> None:
    own = server.serve({"*": Answer("<p>own", headers={"Connection": "close"})})
    other = server.serve({"*": "<p>other"}, "127.0.0.2", int(own.rpartition(":")[2]))
    site = own.replace("127.0.0.1", "site.test")
    handler = fetch.handler(site)
    names.known["site.test"] = ["127.0.0.1"]
    assert (await fetch.send(handler, Request(f"{site}/"))).body == b"<p>own"
    names.known["site.test"] = ["127.0.0.2"]
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.2 is loopback"):
        await fetch.send(handler, Request(f"{site}/again"))
    assert server.log.targets(other) == []


@ensureDeferred
async def test_name_service_that_answers_too_late(fetch: Fetch, names: Names) -> None:
    names.late.add("site.test")
    answer = await fetch.answer("http://site.test/", timeout="0.3")
    assert answer.reason == "dns_failed"
    assert len(names.waiting) == 1
    for receiver in names.waiting:
        receiver.resolutionComplete()


@ensureDeferred
async def test_proxy_is_asked_in_place_of_the_site(fetch: Fetch, server: Server) -> None:
    proxy = server.serve({"*": lambda request: f"<p>{request.target}"})
    handler = fetch.handler("http://site.test/")
    request = Request("http://site.test/page", meta={"proxy": proxy})
    assert (await fetch.send(handler, request)).body == b"<p>http://site.test/page"


@pytest.mark.behaviour("F-13")
@ensureDeferred
async def test_unwanted_body_is_not_downloaded(fetch: Fetch, server: Server) -> None:
    video = Raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 50000000\r\n\r\n",
        *[b"v" * 65536] * 800,
    )
    origin = server.serve({"/clip": video})
    handler = fetch.handler(origin)

    def stop() -> None:
        raise StopDownload(fail=False)

    fetch.crawler.signals.connect(stop, signals.headers_received)
    response = await fetch.send(handler, Request(f"{origin}/clip"))
    assert (response.status, response.body) == (200, b"")
    assert response.flags == ["download_stopped"]
    assert server.log.exchanges[0].sent < 5_000_000


@ensureDeferred
async def test_head_and_bodiless_answers(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"/": "<p>page", "/none": Answer(status=204)})
    handler = fetch.handler(origin)
    head = await fetch.send(handler, Request(f"{origin}/", method="HEAD"))
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", b"7")
    assert (await fetch.send(handler, Request(f"{origin}/none"))).status == 204
    assert str(head.ip_address) == "127.0.0.1"
    assert len(server.log.connections) == 1
    assert Outcome.NO_CONTENT is (await fetch.answer(f"{origin}/none")).outcome
