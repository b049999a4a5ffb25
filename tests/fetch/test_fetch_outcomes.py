"""Every way in which a fetch can end, from a real socket, has its outcome."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import brotli
import pytest
from backports import zstd
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.server import Answer, Page, Raw, Server, redirect, refusing_origin
from sitecrawl.http.fetch_errors import ConnectionBrokenError, UnansweredError
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<p>" + b"some text of a page " * 500
PACKED = gzip.compress(PAGE)


def packed(body: bytes, coding: str = "gzip") -> Answer:
    return Answer(body, headers={"Content-Encoding": coding})


STATUSES: dict[int, tuple[Page, str, str]] = {
    200: ("<p>here", "FILE_INGESTED", "ok"),
    203: (Answer("<p>here", 203), "FILE_INGESTED", "ok"),
    204: (Answer(status=204), "NO_CONTENT", "no_content"),
    206: (Answer("<p>here", 206), "FILE_INGESTED", "ok"),
    299: (Answer("<p>here", 299), "FILE_INGESTED", "ok"),
    301: (redirect("/"), "PERMANENT_REDIRECT", "permanent_redirect"),
    302: (redirect("/", 302), "REDIRECT", "redirect"),
    303: (redirect("/", 303), "REDIRECT", "redirect"),
    304: (Answer(status=304), "FILE_DID_NOT_CHANGE", "not_modified"),
    307: (redirect("/", 307), "REDIRECT", "redirect"),
    308: (redirect("/", 308), "PERMANENT_REDIRECT", "permanent_redirect"),
    401: (Answer(status=401), "SERVER_BLAMED_CLIENT", "unauthorized"),
    403: (Answer(status=403), "SERVER_BLAMED_CLIENT", "forbidden"),
    404: (Answer(status=404), "FILE_NOT_FOUND", "not_found"),
    406: (Answer(status=406), "NOT_ACCEPTABLE", "not_acceptable"),
    410: (Answer(status=410), "FILE_GONE", "gone"),
    418: (Answer(status=418), "SERVER_BLAMED_CLIENT", "client_error"),
    429: (Answer(status=429), "RATE_LIMITED", "rate_limited"),
    451: (Answer(status=451), "SERVER_BLAMED_CLIENT", "legally_unavailable"),
    500: (Answer(status=500), "SERVER_INTERNAL_ERROR", "server_error"),
    503: (Answer(status=503), "SERVER_INTERNAL_ERROR", "unavailable"),
    599: (Answer(status=599), "SERVER_INTERNAL_ERROR", "server_error"),
    999: (Answer(status=999), "DID_NOT_UNDERSTAND_ANSWER", "unknown_status"),
}

FAILURES: dict[str, tuple[Page, str, str]] = {
    "closed-at-once": (Raw(), "CONNECTION_FAILED", "connection_lost"),
    "closed-in-head": (Raw(b"HTTP/1.1 200 OK\r\nConte"), "CONNECTION_FAILED", "connection_lost"),
    "no-http": (Raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "DID_NOT_UNDERSTAND_ANSWER", "gibberish"),
    "binary": (Raw(bytes(range(256)) * 9), "DID_NOT_UNDERSTAND_ANSWER", "gibberish"),
    "no-status": (Raw(b"HTTP/1.1 abc\r\n\r\n"), "DID_NOT_UNDERSTAND_ANSWER", "gibberish"),
    "two-lengths": (
        Raw(HEAD + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n12345"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "gibberish",
    ),
    "unknown-transfer": (
        Raw(HEAD + b"Transfer-Encoding: cows\r\n\r\n12345"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "gibberish",
    ),
    "bad-chunk-size": (
        Raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "gibberish",
    ),
    "chunk-longer-than-said": (
        Raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "gibberish",
    ),
    "length-too-long": (
        Raw(HEAD + b"Content-Length: 100\r\n\r\nonly this"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "cut_short",
    ),
    "packed-and-too-short": (
        Raw(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 9000\r\n\r\n" + PACKED),
        "DID_NOT_UNDERSTAND_ANSWER",
        "cut_short",
    ),
    "packed-and-cut": (
        Raw(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 10003\r\n\r\n" + PACKED[:-9]),
        "DID_NOT_UNDERSTAND_ANSWER",
        "cut_short",
    ),
    "no-last-chunk": (
        Raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "cut_short",
    ),
    "no-gzip": (packed(PAGE), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding"),
    "half-gzip": (packed(PACKED[:-30]), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding"),
    "damaged-gzip": (
        packed(PACKED[:40] + b"\x00" * 9 + PACKED[49:]),
        "DID_NOT_UNDERSTAND_ANSWER",
        "broken_encoding",
    ),
    "wrong-checksum": (
        packed(PACKED[:-8] + bytes(8)),
        "DID_NOT_UNDERSTAND_ANSWER",
        "broken_encoding",
    ),
    "no-deflate": (packed(PAGE, "deflate"), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding"),
    "no-brotli": (packed(PAGE, "br"), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding"),
    "no-zstd": (packed(PAGE, "zstd"), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding"),
    "not-packed-twice": (
        packed(PACKED, "gzip, gzip"),
        "DID_NOT_UNDERSTAND_ANSWER",
        "broken_encoding",
    ),
}

FAILURES |= {
    f"half-{coding}": (packed(body[:-9], coding), "DID_NOT_UNDERSTAND_ANSWER", "broken_encoding")
    for coding, body in (
        ("deflate", zlib.compress(PAGE)),
        ("br", brotli.compress(PAGE)),
        ("zstd", zstd.compress(PAGE)),
    )
}

READABLE: dict[str, Page] = {
    "gzip": packed(PACKED),
    "gzip-in-two-members": packed(gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:])),
    "gzip-and-a-rest": packed(PACKED + b"\n\n"),
    "gzip-without-checksum": packed(PACKED[:-8]),
    "gzip-with-half-a-checksum": packed(PACKED[:-4]),
    "gzip-with-checksum-of-zlib": packed(bytes.fromhex("1f8b080000000000") + zlib.compress(PAGE)),
    "length-of-the-unpacked-page": Raw(
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PACKED
    ),
    "deflate-without-checksum": packed(zlib.compress(PAGE)[:-4], "deflate"),
    "x-gzip": packed(PACKED, "x-gzip"),
    "gzip-twice": packed(gzip.compress(PACKED), "gzip, gzip"),
    "deflate": packed(zlib.compress(PAGE), "deflate"),
    "bare-deflate": packed(zlib.compress(PAGE)[2:-4], "deflate"),
    "brotli": packed(brotli.compress(PAGE), "br"),
    "zstd": packed(zstd.compress(PAGE), "zstd"),
    "nothing-packed": Raw(HEAD + b"Content-Encoding: gzip, identity\r\n\r\n", PACKED),
    "charset-as-coding": packed(PAGE, "UTF-8"),
    "until-close": Raw(HEAD + b"\r\n", PAGE),
    "http-1.0": Raw(b"HTTP/1.0 200 OK\r\n\r\n", PAGE),
    "no-phrase": Raw(b"HTTP/1.1 200\r\n\r\n", PAGE),
    "bare-newlines": Raw(b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n", PAGE),
    "interim-answers": Raw(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3 + HEAD + b"\r\n", PAGE
    ),
    "line-without-colon": Raw(HEAD + b"what is this\r\n\r\n", PAGE),
}


@pytest.mark.behaviour("S-01", "S-14", "R-02", "R-04", "F-11")
@pytest.mark.parametrize("status", STATUSES)
@ensureDeferred
async def test_status_has_its_outcome(fetch: Fetch, server: Server, status: int) -> None:
    page, outcome, reason = STATUSES[status]
    answer = await fetch.answer(server.serve({"/": page}) + "/")
    assert (answer.outcome.name, answer.reason) == (outcome, reason)


@pytest.mark.behaviour("S-21")
@pytest.mark.parametrize("name", FAILURES)
@ensureDeferred
async def test_failure_has_its_outcome(fetch: Fetch, server: Server, name: str) -> None:
    page, outcome, reason = FAILURES[name]
    answer = await fetch.answer(server.serve({"/": page}) + "/", timeout="3s")
    assert (answer.outcome.name, answer.reason) == (outcome, reason)
    assert answer.counts_against_budget


@pytest.mark.parametrize("name", READABLE)
@ensureDeferred
async def test_unusual_answer_is_read(fetch: Fetch, server: Server, name: str) -> None:
    response = await fetch(server.serve({"/": READABLE[name]}) + "/")
    assert response.status == 200
    assert response.body == PAGE
    assert "Content-Encoding" not in response.headers or name == "charset-as-coding"


@pytest.mark.behaviour("S-09")
@ensureDeferred
async def test_refused_connection(fetch: Fetch) -> None:
    answer = await fetch.answer(refusing_origin() + "/")
    assert (answer.outcome, answer.reason) == (Outcome.CONNECTION_FAILED, "connection_refused")
    assert answer.retryable
    assert answer.counts_against_budget


@pytest.mark.behaviour("S-09")
@ensureDeferred
async def test_only_a_connection_that_was_kept_is_made_again_at_once(
    fetch: Fetch, server: Server
) -> None:
    origin = server.serve({"/": "<p>start", "/once": [Raw(), "<p>there"], "/never": Raw()})
    assert (await fetch.answer(f"{origin}/never")).reason == "connection_lost"
    assert server.log.targets(origin) == ["/never"]
    handler = fetch.handler(origin)
    await fetch.send(handler, Request(f"{origin}/"))
    assert (await fetch.send(handler, Request(f"{origin}/once"))).body == b"<p>there"
    with pytest.raises(UnansweredError):
        await fetch.send(handler, Request(f"{origin}/never"))
    assert server.log.targets(origin)[1:] == ["/", "/once", "/once", "/never", "/never"]


@pytest.mark.behaviour("S-09")
@pytest.mark.parametrize(
    ("request_of", "raw", "times"),
    [
        ({"method": "HEAD"}, Raw(), 2),
        ({"method": "POST"}, Raw(), 1),
        ({"body": "x"}, Raw(), 1),
        ({}, Raw(b"H"), 1),
    ],
)
@ensureDeferred
async def test_what_may_be_sent_twice(
    fetch: Fetch, server: Server, request_of: dict[str, Any], raw: Raw, times: int
) -> None:
    origin = server.serve({"/": "<p>start", "/never": raw})
    handler = fetch.handler(origin)
    await fetch.send(handler, Request(f"{origin}/"))
    with pytest.raises(ConnectionBrokenError):
        await fetch.send(handler, Request(f"{origin}/never", **request_of))
    assert server.log.count("/never") == times


@ensureDeferred
async def test_unknown_host(fetch: Fetch) -> None:
    answer = await fetch.answer("http://nowhere.invalid/")
    assert (answer.outcome, answer.reason) == (Outcome.CONNECTION_FAILED, "dns_failed")


@pytest.mark.behaviour("F-17")
@pytest.mark.parametrize(
    "steps",
    [(10.0, HEAD), (HEAD, 10.0), (HEAD + b"\r\n", PAGE, 10.0), (b"H", 10.0)],
    ids=["before-the-answer", "in-the-head", "in-the-body", "in-the-status-line"],
)
@ensureDeferred
async def test_silence_is_a_timeout(
    fetch: Fetch, server: Server, steps: tuple[bytes | float, ...]
) -> None:
    answer = await fetch.answer(server.serve({"/": Raw(*steps)}) + "/", timeout="0.3")
    assert answer.outcome is Outcome.REQUEST_TIMEOUT
