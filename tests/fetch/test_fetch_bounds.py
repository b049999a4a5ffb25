"""The cost of a hostile server is bounded, and each attack has its outcome."""

from __future__ import annotations

import gzip
import resource
import time
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import brotli
import pytest
from backports import zstd
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.effort import effort_within
from fixtures.server import Answer, Raw, Server
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import ROBOTS_OF

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNK = b"10000\r\n" + b"x" * 65536 + b"\r\n"
MB = 1_000_000


def for_ever(step: bytes, pause: float = 0.0) -> Iterable[bytes | float]:
    while True:
        yield step
        if pause:
            yield pause


def memory() -> float:
    """The most memory this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


BODIES = {
    "chunked": (Raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", lambda: for_ever(CHUNK))),
    "until-close": (Raw(HEAD + b"\r\n", lambda: for_ever(b"x" * 65536))),
    "announced": (
        Raw(HEAD + b"Content-Length: 99000000000\r\n\r\n", lambda: for_ever(b"x" * 65536))
    ),
    "announced-only": (Raw(HEAD + b"Content-Length: 99000000000\r\n\r\n", 90.0)),
}
HEADERS = {
    "endless-headers": Raw(HEAD, lambda: for_ever(b"X-More: and more\r\n")),
    "one-endless-line": Raw(HEAD + b"X-Long: ", lambda: for_ever(b"y" * 4096)),
    "64-KiB-line": Raw(HEAD + b"X-Long: " + b"y" * 65536 + b"\r\n\r\n<p>"),
    "endless-status-line": Raw(lambda: for_ever(b"HTTP/1.1 200 OK ")),
    "thousands-of-cookies": Raw(HEAD, b"Set-Cookie: a=b\r\n" * 9000, b"\r\n<p>"),
    "endless-interim-answers": Raw(lambda: for_ever(b"HTTP/1.1 102 Processing\r\n\r\n")),
    "endless-continuation": Raw(HEAD + b"X-Fold: a\r\n", lambda: for_ever(b" b\r\n")),
}
SLOW = {
    "head": Raw(lambda: for_ever(b"H", 0.05)),
    "headers": Raw(HEAD, lambda: for_ever(b"X-A: b\r\n", 0.05)),
    "body": Raw(HEAD + b"Content-Length: 100000\r\n\r\n", lambda: for_ever(b"x", 0.05)),
    "chunks": Raw(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n", lambda: for_ever(b"1\r\nx\r\n", 0.05)
    ),
    "until-close": Raw(HEAD + b"\r\n", lambda: for_ever(b"x", 0.05)),
}


@pytest.mark.behaviour("F-18")
@pytest.mark.parametrize("name", BODIES)
@ensureDeferred
async def test_endless_body_is_cut(fetch: Fetch, server: Server, name: str) -> None:
    origin = server.serve({"/": BODIES[name]})
    answer = await fetch.answer(f"{origin}/", max_body_size="1MB", timeout="30s")
    assert (answer.outcome, answer.reason) == (Outcome.TOO_LARGE, "body_too_large")
    assert server.log.exchanges[0].sent < 9 * MB


@ensureDeferred
async def test_body_of_just_the_largest_size_is_read(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"/fits": b"x" * 5000, "/over": b"x" * 5001})
    assert len((await fetch(f"{origin}/fits", max_body_size="5000")).body) == 5000
    answer = await fetch.answer(f"{origin}/over", max_body_size="5000")
    assert answer.outcome is Outcome.TOO_LARGE


@pytest.mark.parametrize("name", HEADERS)
@ensureDeferred
async def test_large_head_is_cut(fetch: Fetch, server: Server, name: str) -> None:
    origin = server.serve({"/": HEADERS[name]})
    answer = await fetch.answer(f"{origin}/", timeout="30s")
    assert (answer.outcome, answer.reason) == (Outcome.TOO_LARGE, "header_too_large")


@pytest.mark.parametrize("name", SLOW)
@ensureDeferred
async def test_drip_is_cut(fetch: Fetch, server: Server, name: str) -> None:
    origin = server.serve({"/": SLOW[name]})
    began = time.monotonic()
    answer = await fetch.answer(f"{origin}/", timeout="0.4")
    assert (answer.outcome, answer.reason) == (Outcome.REQUEST_TIMEOUT, "too_slow")
    assert time.monotonic() - began < 30  # it would go on for ever


@ensureDeferred
async def test_slow_but_steady_server_is_read(fetch: Fetch, server: Server) -> None:
    steps = [step for _ in range(12) for step in (b"x" * 100, 0.2)]
    origin = server.serve({"/": Raw(0.3, HEAD + b"\r\n", *steps)})
    response = await fetch(f"{origin}/", timeout="2")
    assert len(response.body) == 1200


@ensureDeferred
async def test_no_request_lasts_longer_than_max_time(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"/": Raw(HEAD + b"\r\n", lambda: for_ever(b"x" * 2000, 0.05))})
    answer = await fetch.answer(f"{origin}/", timeout="0.3", max_time="0.6")
    assert answer.outcome is Outcome.REQUEST_TIMEOUT


def bombs() -> dict[str, tuple[str, bytes]]:
    """Bodies of some kB to 1 MB that would decompress to 100 MB and more."""
    zeros = b"\x00" * (100 * MB)
    packed = gzip.compress(zeros)
    return {
        "gzip": ("gzip", packed),
        "deflate": ("deflate", zlib.compress(zeros)),
        "br": ("br", brotli.compress(zeros, quality=5)),
        "zstd": ("zstd", zstd.compress(zeros)),
        "gzip-of-gzip": ("gzip, gzip", gzip.compress(packed)),
        "gzip-members": ("gzip", packed * 20),
    }


@ensureDeferred
async def test_decompression_bombs_are_cut(fetch: Fetch, server: Server) -> None:
    for name, (coding, body) in bombs().items():
        origin = server.serve({"/": Answer(body, headers={"Content-Encoding": coding})})
        before = memory()
        with effort_within(800):
            answer = await fetch.answer(f"{origin}/")
        assert (answer.outcome, answer.reason) == (Outcome.TOO_LARGE, "decoded_too_large"), name
        assert memory() - before < 40, name


@pytest.mark.parametrize("coding", ["gzip", "zstd", ", ".join(["gzip"] * 6)])
@ensureDeferred
async def test_encodings_without_end_cost_no_time(
    fetch: Fetch, server: Server, coding: str
) -> None:
    once = {"gzip": gzip.compress(b""), "zstd": zstd.compress(b"")}.get(coding)
    body = once * (4 * MB // len(once)) if once else layers(b"a page", 6)
    origin = server.serve({"/": Answer(body, headers={"Content-Encoding": coding})})
    with effort_within(800):
        assert (await fetch.answer(f"{origin}/")).reason == "broken_encoding"


def layers(body: bytes, number: int) -> bytes:
    """``body`` compressed so many times over."""
    return gzip.compress(layers(body, number - 1)) if number else body


@ensureDeferred
async def test_answer_longer_than_announced_does_not_reach_the_next(
    fetch: Fetch, server: Server
) -> None:
    trick = Raw(HEAD + b"Content-Length: 5\r\n\r\nfirst" + HEAD + b"\r\nnot asked for", 0.5)
    origin = server.serve({"/trick": trick, "/next": "<p>next"})
    handler = fetch.handler(origin)
    first = await fetch.send(handler, Request(f"{origin}/trick"))
    second = await fetch.send(handler, Request(f"{origin}/next"))
    assert (first.body, second.body) == (b"first", b"<p>next")


@ensureDeferred
async def test_connection_is_used_again(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"*": "<p>page"})
    handler = fetch.handler(origin)
    for path in ("/a", "/b", "/c"):
        await fetch.send(handler, Request(origin + path))
    assert len(server.log.connections) == 1


ROBOTS = b"User-agent: *\nDisallow: /private\n" + b"# filling\n" * 200_000


@pytest.mark.parametrize("name", ["plain", "gzip", "bomb", "half-gzip", "no-gzip", "small"])
@ensureDeferred
async def test_beginning_of_robots_txt_is_read_whatever_its_size(
    fetch: Fetch, server: Server, name: str
) -> None:
    packed = {"Content-Encoding": "gzip"}
    answers = {
        "plain": Answer(ROBOTS),
        "gzip": Answer(gzip.compress(ROBOTS), headers=packed),
        "bomb": Answer(gzip.compress(ROBOTS + bytes(50 * MB)), headers=packed),
        "half-gzip": Answer(gzip.compress(ROBOTS)[:2000], headers=packed),
        "no-gzip": Answer(ROBOTS, headers=packed),
        "small": Answer(ROBOTS[:40]),
    }
    origin = server.serve({"/robots.txt": answers[name]})
    handler = fetch.handler(origin)
    request = Request(f"{origin}/robots.txt", meta={ROBOTS_OF: "the origin"})
    body = (await fetch.send(handler, request)).body
    assert ROBOTS.startswith(body)
    assert len(body) == {"half-gzip": len(body), "small": 40}.get(name, 512_001)
    assert b"Disallow: /private" in body
