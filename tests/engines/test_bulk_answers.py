"""Answers to bulk requests that are no search engine's: one line, nothing lost, no traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from sitecrawl.frontier.base import Change
from sitecrawl.sync.opensearch_target import OpenSearchTarget
from sitecrawl.sync.target import Cursor, SyncError, TargetOptions

LIMIT = 700  # bytes of a bulk request, as of a proxy before the server


class Proxy(ThreadingHTTPServer):
    """Answers every bulk request with ``answer``; without one, it takes those below a limit."""

    def __init__(self, answer: bytes = b"") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.written: list[str] = []

    def bulk(self, body: bytes) -> tuple[int, bytes]:
        if self.answer:
            return 200, self.answer
        if len(body) > LIMIT:
            return 413, b"<html>\n<h1>413 Request Entity Too Large</h1></html>"
        ids = [json.loads(line)["index"]["_id"] for line in body.splitlines()[::2]]
        self.written += ids
        return 200, json.dumps({"items": [{"index": {"status": 201}} for _ in ids]}).encode()


class Handler(BaseHTTPRequestHandler):
    """One request to the proxy."""

    server: Proxy

    def respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, content = 200, b'{"_seq_no": 1, "_primary_term": 1}'
        if self.path.startswith("/_bulk"):
            status, content = self.server.bulk(body)
        elif "_mapping" in self.path:
            content = b"{}"
        elif self.command == "HEAD" or (self.command == "GET" and "cursors" in self.path):
            status, content = 404, b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = respond  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with Proxy() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def target(proxy: Proxy) -> OpenSearchTarget:
    uri = f"opensearch://me:geheim@127.0.0.1:{proxy.server_port}/docs"
    return OpenSearchTarget(uri, TargetOptions())


def change(seq: int, body: str = "words") -> Change:
    id_ = f"{seq:032x}"
    return Change(seq, "upsert", id_, {"id": id_, "url": f"http://h/{seq}", "body": body})


@pytest.mark.parametrize(
    "answer",
    [
        b"[]",
        b'{"took": 1}',
        b'{"items": []}',
        b'{"items": [{}]}',
        b'{"items": ["index"]}',
        b'{"items": [{"index": "ok"}]}',
        b'{"items": [{',
    ],
)
@pytest.mark.behaviour("SY-21")
def test_an_answer_without_results(proxy: Proxy, answer: bytes) -> None:
    proxy.answer = answer
    opened = target(proxy)
    opened.open()
    with pytest.raises(SyncError) as refused:
        opened.apply([change(1)], Cursor("uid", "", "mapping", 1))
    text = str(refused.value)
    assert text.startswith("opensearch://127.0.0.1:")
    assert "\n" not in text
    assert "geheim" not in text


@pytest.mark.behaviour("SY-06", "SY-21")
def test_a_request_that_is_too_large_is_divided(proxy: Proxy) -> None:
    opened = target(proxy)
    opened.open()
    changes = [change(seq) for seq in range(1, 20)]
    changes[7] = change(8, "x" * LIMIT)
    (letter,) = opened.apply(changes, Cursor("uid", "", "mapping", 19))
    assert (letter.seq, letter.url) == (8, "http://h/8")
    assert "more than the server takes (status 413)" in letter.reason
    assert proxy.written == [each.id for each in changes if each.seq != 8]
