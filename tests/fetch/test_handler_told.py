"""An answer that brings no page is told by its head, whatever becomes of its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred

from fixtures.server import Raw, Server

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

MISSING = b"HTTP/1.1 404 Not Found\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
BODIES: dict[str, Raw] = {
    "no-gzip": Raw(MISSING + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n<p>no"),
    "cut-short": Raw(MISSING + b"Content-Length: 500\r\n\r\n<p>no"),
    "silent": Raw(MISSING + b"Content-Length: 500\r\n\r\n<p>no", 2.0),
    "no-last-chunk": Raw(MISSING + CHUNKED + b"5\r\n<p>no\r\n"),
    "no-chunk": Raw(MISSING + CHUNKED + b"zz\r\n"),
    "announced-large": Raw(MISSING + b"Content-Length: 90000\r\n\r\n" + b"n" * 90_000),
    "large": Raw(MISSING + b"\r\n" + b"n" * 90_000),
}


@pytest.mark.behaviour("S-02")
@pytest.mark.parametrize("name", BODIES)
@ensureDeferred
async def test_a_missing_page_is_missing(fetch: Fetch, server: Server, name: str) -> None:
    url = server.serve({"/": BODIES[name]}) + "/"
    answer = await fetch.answer(url, timeout="0.3", max_body_size="50KB")
    assert answer.reason == "not_found"


@pytest.mark.behaviour("R-02")
@ensureDeferred
async def test_a_redirect_leads_on(fetch: Fetch, server: Server) -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Encoding: gzip\r\n"
    url = server.serve({"/": Raw(head + b"Content-Length: 500\r\n\r\n<p>there")}) + "/"
    response = await fetch(url)
    assert (response.status, response.headers["Location"]) == (302, b"/there")
