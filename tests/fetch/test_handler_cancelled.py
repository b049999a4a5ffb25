"""A request that is cancelled leaves nothing behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.hostile import SocketServer, accept_and_wait
from fixtures.server import Raw, Server
from tests.fetch.waiting import until

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "written", [(), (OK,), (OK + b"\r\npage",)], ids=["asked", "in the head", "in the body"]
)
@ensureDeferred
async def test_cancelled_request_leaves_no_connection(
    fetch: Fetch, server: Server, written: tuple[bytes, ...]
) -> None:
    origin = server.serve({"/": Raw(*written, 90.0), "/next": "<p>next"})
    handler = fetch.handler(origin)
    task = asyncio.ensure_future(handler.download_request(Request(f"{origin}/")))
    await until(lambda: len(server.log.exchanges) == 1)
    await until(lambda: server.log.exchanges[0].sent == sum(map(len, written)))
    assert len(handler._pool._open) == 1
    task.cancel()
    await until(task.cancelled)
    await until(lambda: not handler._pool._open)
    assert (await fetch.send(handler, Request(f"{origin}/next"))).body == b"<p>next"


@ensureDeferred
async def test_cancelled_while_connecting(fetch: Fetch) -> None:
    with SocketServer(accept_and_wait) as server:
        origin = server.origin.replace("http:", "https:")  # that waits for TLS
        handler = fetch.handler(origin, timeout="60s")
        task = asyncio.ensure_future(handler.download_request(Request(f"{origin}/")))
        await until(lambda: server.connections == 1)
        task.cancel()
        await until(task.cancelled)
    assert handler._pool._open == set()
