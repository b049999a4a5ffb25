"""Answers are read as generously as is safe, and become Scrapy's responses whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from fixtures.server import Raw, Server
from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import VISIT, WIRE_BYTES

if TYPE_CHECKING:
    from scrapy.http import Headers, Response

    from tests.fetch.conftest import Fetch

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n"

READABLE: dict[str, bytes] = {
    "folded": OK + b"X-A: a\r\n  b\r\n\tc\r\nContent-Length: 4\r\n\r\nbody",
    "folded-first": OK + b" what is this\r\nX-A: a b c\r\nContent-Length: 4\r\n\r\nbody",
    "repeated": OK + b"X-A: a b c\r\nContent-Length: 4\r\nContent-Length: 4, 04\r\n\r\nbody",
    "space-before-colon": OK + b"X-A : a b c\r\nContent-Length : 4\r\n\r\nbody",
    "bad-names": OK + b"X B: a\r\n: d\r\nX-A:a b c\r\nContent-Length: 4\r\n\r\nbody",
    "bare-return": OK + b"X-A: a\rb c\r\nContent-Length: 4\r\n\r\nbody",
    "mixed-line-ends": OK + b"X-A: a b c\nContent-Length: 4\r\n\nbody",
    "lower-case": b"http/1.1 200 ok\r\nx-a: a b c\r\ncontent-length: 4\r\n\r\nbody",
    "identity": OK + b"X-A: a b c\r\nTransfer-Encoding: identity\r\nContent-Length: 4\r\n\r\nbody",
    "length-and-chunks": (
        CHUNKED + b"X-A: a b c\r\nContent-Length: 99\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
    ),
    "chunked-twice": (
        CHUNKED + b"X-A: a b c\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
    ),
    "odd-chunks": (
        CHUNKED + b"X-A: a b c\r\n\r\n0001 ;a=b\r\nb\r\n3\nody\n0\r\nX-Trailer: c\r\nX-B: d\r\n\r\n"
    ),
    "negative-length": OK + b"X-A: a b c\r\nContent-Length: -4\r\n\r\nbody",
    "empty-length": OK + b"X-A: a b c\r\nContent-Length:\r\n\r\nbody",
    "fraction": OK + b"X-A: a b c\r\nContent-Length: 4.0\r\n\r\nbody",
    "length-with-unit": OK + b"X-A: a b c\r\nContent-Length: 4 bytes\r\n\r\nbody",
    "length-beyond-reason": OK + b"X-A: a b c\r\nContent-Length: 1%022d\r\n\r\nbody" % 0,
    "one-length-a-number": (
        OK + b"X-A: a b c\r\nContent-Length: 4\r\nContent-Length: x\r\n\r\nbody"
    ),
    "version-of-one-number": b"HTTP/2 200 \r\nX-A: a b c\r\nContent-Length: 4\r\n\r\nbody",
    "two-spaces": b"HTTP/1.1  200 OK\r\nX-A: a b c\r\nContent-Length: 4\r\n\r\nbody",
    "no-space": b"HTTP/1.1 200OK\r\nX-A: a b c\r\nContent-Length: 4\r\n\r\nbody",
    "status-with-fraction": b"HTTP/1.1 200.5 OK\r\nX-A: a b c\r\nContent-Length: 4\r\n\r\nbody",
}
GIBBERISH: dict[str, bytes] = {
    "blank-line-first": b"\r\n" + OK + b"\r\nbody",
    "no-status": b"HTTP/1.1 OK\r\n\r\nbody",
    "long-status": b"HTTP/1.1 20000 OK\r\n\r\nbody",
    "other-protocol": b"ICY 200 OK\r\n\r\nbody",
    "gzip-transfer": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\nbody",
    "negative-chunk": CHUNKED + b"\r\n-4\r\nbody\r\n0\r\n\r\n",
    "hexadecimal-mark": CHUNKED + b"\r\n0x4\r\nbody\r\n0\r\n\r\n",
    "endless-size": CHUNKED + b"\r\n4;" + b"a" * 2000,
    "endless-trailer": CHUNKED + b"\r\n4\r\nbody\r\n0\r\n" + b"X-A: b\r\n" * 10000 + b"\r\n",
}


def in_pieces(whole: bytes) -> Raw:
    """An answer that comes byte after byte."""
    return Raw(*[whole[at : at + 1] for at in range(len(whole))])


@pytest.mark.parametrize("name", READABLE)
@ensureDeferred
async def test_odd_answer_is_read_at_once_and_in_pieces(
    fetch: Fetch, server: Server, name: str
) -> None:
    site = {"/whole": Raw(READABLE[name]), "/pieces": in_pieces(READABLE[name])}
    origin = server.serve(site)
    for path in site:
        response = await fetch(origin + path, timeout="3s")
        assert response.body == b"body"
        assert response.headers.getlist("X-A") == [b"a b c"]


@pytest.mark.parametrize("name", GIBBERISH)
@ensureDeferred
async def test_what_cannot_be_trusted_is_gibberish(fetch: Fetch, server: Server, name: str) -> None:
    answer = await fetch.answer(server.serve({"/": Raw(GIBBERISH[name])}) + "/", timeout="3s")
    assert (answer.outcome, answer.reason) == (Outcome.DID_NOT_UNDERSTAND_ANSWER, "gibberish")


@ensureDeferred
async def test_response_is_complete(fetch: Fetch, server: Server) -> None:
    head = (
        b"HTTP/1.0 404 Not here\r\nSet-Cookie: a=b\r\nset-cookie: c=d; Path=/\r\nETag: x\r\n"
        b"Connection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Type: text/html\r\n"
        b"Content-Length: 6\r\nX-Empty:\r\n\r\n"
    )
    origin = server.serve({"/a": Raw(0.05, head, b"<p>404")})
    request = Request(f"{origin}/a#part")
    response = await fetch.send(fetch.handler(origin), request)
    assert (response.url, response.status) == (f"{origin}/a", 404)
    assert (response.protocol, str(response.ip_address)) == ("HTTP/1.0", "127.0.0.1")
    assert (response.body, response.flags, response.certificate) == (b"<p>404", [], None)
    assert list(response.headers.items()) == [
        (b"Content-Length", [b"6"]),
        (b"Set-Cookie", [b"a=b", b"c=d; Path=/"]),
        (b"Etag", [b"x"]),
        (b"Content-Type", [b"text/html"]),
        (b"X-Empty", [b""]),
    ]
    assert request.meta[WIRE_BYTES] == len(head) + 6
    assert 0.05 <= request.meta["download_latency"] < 1


@ensureDeferred
async def test_length_of_what_has_no_body(fetch: Fetch, server: Server) -> None:
    origin = server.serve({"/": "<p>page", "/same": Raw(b"HTTP/1.1 304 -\r\nETag: x\r\n\r\n")})
    handler = fetch.handler(origin)
    head = await fetch.send(handler, Request(f"{origin}/", method="HEAD"))
    assert head.headers.getlist("Content-Length") == [b"7"]
    same = await fetch.send(handler, Request(f"{origin}/same"))
    assert (same.status, same.body) == (304, b"")
    assert same.headers.getlist("Content-Length") == [b"0"]


def judge(url: str, media_type: str | None) -> Decision:
    """Wants HTML."""
    return ALLOWED if media_type == "text/html" else refuse("content_type", f"{url}: no HTML")


@ensureDeferred
async def test_crawl_judges_its_visits_by_their_headers(fetch: Fetch, server: Server) -> None:
    video = Raw(OK + b"Content-Type: video/mp4\r\n\r\n", *[b"v" * 65536] * 200)
    page = Raw(OK + b"Content-Type: text/html\r\n\r\np")
    origin = server.serve({"/clip": video, "/page": page, "/b.mp4": "video"})
    handler = fetch.handler(origin, max_body_size="90MB")
    handler._stopper.judge = judge
    visit = {VISIT: object()}
    clip = await fetch.send(handler, Request(f"{origin}/clip", meta=visit))
    assert (clip.body, clip.flags) == (b"", ["download_stopped"])
    assert server.log.exchanges[0].sent < 9_000_000
    assert (await fetch.send(handler, Request(f"{origin}/page", meta=visit))).body == b"p"
    connections = len(server.log.connections)
    for _ in range(2):  # what has no body costs no connection
        head = await fetch.send(handler, Request(f"{origin}/b.mp4", method="HEAD", meta=visit))
        assert (head.status, head.flags) == (200, ["download_stopped"])
    assert len(server.log.connections) == connections + 1
    whole = await fetch.send(handler, Request(f"{origin}/clip"))
    assert len(whole.body) == 200 * 65536


@pytest.mark.parametrize("fails", [True, False])
@ensureDeferred
async def test_others_who_listen_can_stop_a_download(
    fetch: Fetch, server: Server, fails: bool
) -> None:
    origin = server.serve({"/": "<p>page", "/open": Raw(OK + b"\r\n<p>page")})
    handler = fetch.handler(origin)
    heard = []

    def listen(headers: Headers, body_length: object) -> None:
        heard.append((body_length, headers.get("Content-Length")))
        raise StopDownload(fail=fails)

    fetch.crawler.signals.connect(listen, signals.headers_received)
    for path in ("/", "/open"):
        response: Response | None
        try:
            response = await fetch.send(handler, Request(origin + path))
        except StopDownload as stop:
            response = stop.response
            assert fails
        else:
            assert not fails
        assert response is not None
        assert (response.status, response.body) == (200, b"")
    assert heard == [(7, b"7"), (None, None)]
