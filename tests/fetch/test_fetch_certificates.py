"""Certificates are verified, unless the user exempts an origin."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request
from scrapy.utils.defer import deferred_from_coro

from fixtures.hostile import SocketServer, answer_400
from fixtures.server import Server
from sitecrawl.http import dialing
from sitecrawl.policy.outcomes import Outcome
from tests.fetch.tls import Authority

LAST_ANSWER = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
ENDED = (7, 8)  # of Linux's connection states: reset or closed by the other side

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch


@ensureDeferred
async def test_valid_certificate_is_accepted(
    fetch: Fetch, server: Server, authority: Authority
) -> None:
    origin = server.serve({"/": "<p>safe"}, tls=authority.context("127.0.0.1"))
    assert (await fetch(f"{origin}/")).body == b"<p>safe"


@pytest.mark.parametrize(
    ("address", "days"), [("127.0.0.9", 9), ("127.0.0.1", -1)], ids=["other-host", "expired"]
)
@ensureDeferred
async def test_bad_certificate_is_refused(
    fetch: Fetch, server: Server, authority: Authority, address: str, days: int
) -> None:
    origin = server.serve({"/": "<p>unsafe"}, tls=authority.context(address, days))
    answer = await fetch.answer(f"{origin}/")
    assert (answer.outcome, answer.reason) == (Outcome.CONNECTION_FAILED, "tls_failed")
    assert server.log.exchanges == []


@ensureDeferred
async def test_unknown_authority_is_refused(fetch: Fetch, server: Server, tmp_path: Path) -> None:
    origin = server.serve({"/": "<p>unsafe"}, tls=Authority(tmp_path).context("127.0.0.1"))
    assert (await fetch.answer(f"{origin}/")).reason == "tls_failed"


@ensureDeferred
async def test_one_origin_can_be_exempt(fetch: Fetch, server: Server, authority: Authority) -> None:
    bad = authority.context("127.0.0.9")
    exempt, other = (server.serve({"/": "<p>here"}, tls=bad) for _ in range(2))
    handler = fetch.handler(exempt, unverified_origins=exempt)
    assert (await fetch.send(handler, Request(f"{exempt}/"))).status == 200
    assert (await fetch.answer(f"{other}/", unverified_origins=exempt)).reason == "tls_failed"


@ensureDeferred
async def test_verification_can_be_off(fetch: Fetch, server: Server, authority: Authority) -> None:
    origin = server.serve({"/": "<p>here"}, tls=authority.context("127.0.0.9"))
    assert (await fetch(f"{origin}/", unverified_origins="*")).status == 200


@ensureDeferred
async def test_plain_and_tls_mixed_up(fetch: Fetch, server: Server, authority: Authority) -> None:
    tls = server.serve({"/": "<p>tls"}, tls=authority.context("127.0.0.1"))
    with SocketServer(answer_400) as plain:
        answer = await fetch.answer(plain.origin.replace("http:", "https:") + "/")
    assert answer.reason == "no_tls"
    answer = await fetch.answer(tls.replace("https:", "http:") + "/")
    assert answer.outcome in (Outcome.CONNECTION_FAILED, Outcome.DID_NOT_UNDERSTAND_ANSWER)


@ensureDeferred
async def test_server_that_never_closes_is_cut(
    fetch: Fetch, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialing, "TLS_SHUTDOWN_TIMEOUT", 0.1)
    context = authority.context("127.0.0.1")
    states: list[int] = []

    def keep_open(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as wrapped:
            wrapped.recv(65536)
            wrapped.sendall(LAST_ANSWER)
            for _ in range(10):
                time.sleep(0.1)
                states.append(wrapped.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0])

    with SocketServer(keep_open) as server:
        origin = server.origin.replace("http:", "https:")
        assert (await fetch(f"{origin}/")).body == b"hello"
        await deferred_from_coro(asyncio.sleep(1.2))
    assert states[-1] in ENDED
