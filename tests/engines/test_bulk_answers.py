"""Answers to bulk requests that are no search engine's: one line, nothing lost, no traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from fixtures.stub_server import StubRequest, StubServer
from sitecrawl.frontier.base import Change
from sitecrawl.sync.opensearch_target import OpenSearchTarget
from sitecrawl.sync.target import (
    Cursor,
    SyncError,
    TargetMismatchError,
    TargetOptions,
    TargetUnreachableError,
)

LIMIT = 700  # bytes of a bulk request, as of a proxy before the server


class Proxy(StubServer):
    """Answers every bulk request with ``bulk``; without it, takes those below a limit."""

    def __init__(self) -> None:
        super().__init__()
        self.bulk = b""
        self.count = b'{"count": 0, "_shards": {"total": 1, "successful": 1}}'
        self.written: list[str] = []

    def answer(self, request: StubRequest) -> tuple[int, bytes]:
        if request.target.startswith("/_bulk"):
            return (200, self.bulk) if self.bulk else self._take(request.body)
        if "_count" in request.target:
            return 200, self.count
        if "_mapping" in request.target:
            return 200, b"{}"
        if request.method == "HEAD" or (request.method == "GET" and "cursors" in request.target):
            return 404, b""
        return 200, b'{"_seq_no": 1, "_primary_term": 1}'

    def _take(self, body: bytes) -> tuple[int, bytes]:
        if len(body) > LIMIT:
            return 413, b"<html>\n<h1>413 Request Entity Too Large</h1></html>"
        ids = [json.loads(line)["index"]["_id"] for line in body.splitlines()[::2]]
        self.written += ids
        return 200, json.dumps({"items": [{"index": {"status": 201}} for _ in ids]}).encode()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with Proxy() as server:
        yield server


def target(proxy: Proxy) -> OpenSearchTarget:
    uri = f"opensearch://me:geheim@127.0.0.1:{proxy.port}/docs"
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
    proxy.bulk = answer
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


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"[]", SyncError),
        (b'{"count": null, "_shards": {"total": 1, "successful": 1}}', SyncError),
        (b'{"count": 3}', SyncError),
        (b'{"count": 0, "_shards": {"total": 2, "successful": 1}}', TargetUnreachableError),
        (b'{"count": 3, "_shards": {"total": 1, "successful": 1}}', TargetMismatchError),
    ],
)
@pytest.mark.behaviour("SY-21", "SY-23")
def test_a_count_that_is_none(proxy: Proxy, answer: bytes, error: type[SyncError]) -> None:
    proxy.count = answer
    with pytest.raises(error) as refused:
        target(proxy).open()
    assert "\n" not in str(refused.value)
