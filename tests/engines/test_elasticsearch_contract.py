"""Requests to Elasticsearch 8 and 9 are those that their own clients send for the same calls.

Neither server is available from the package registries. Their clients accept no field or parameter
that the server's published API does not have.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest

from fixtures.stub_server import StubRequest, StubServer
from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import ExpectedCount
from sitecrawl.sync.opensearch_target import OpenSearchTarget
from sitecrawl.sync.target import Cursor, TargetOptions

UPSERT = {"id": "a", "url": "https://example.org/", "language": "en", "title": "A", "body": "text"}
CURSOR = Cursor("uid", "", "mapping", 2)
FIRST = Cursor("uid", "", "mapping", 0)
WHOLE = {"total": 1, "successful": 1, "skipped": 0}
OURS = {"exists": {"field": "sitecrawl_change"}}


class Request(NamedTuple):
    """A request as the server reads it; ``body`` is a list of the lines of JSON."""

    method: str
    path: str
    query: dict[str, str]
    body: list[Any]


class Recorder(StubServer):
    """Keeps all requests; answers as Elasticsearch does, before or after the first index."""

    headers: ClassVar = {**StubServer.headers, "X-Elastic-Product": "Elasticsearch"}

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []
        self.has_index = False

    def taken(self) -> list[Request]:
        """The requests since the last call."""
        found, self.requests = self.requests, []
        return found

    def answer(self, request: StubRequest) -> tuple[int, bytes]:
        parts = urlsplit(request.target)
        lines = [json.loads(line) for line in request.body.splitlines() if line]
        read = Request(request.method, parts.path, dict(parse_qsl(parts.query)), lines)
        self.requests.append(read)
        status, answer = self._answer(read)
        return status, json.dumps(answer).encode()

    def _answer(self, request: Request) -> tuple[int, Any]:
        if request.path == "/_bulk":
            actions = [each for each in request.body if each.keys() & {"index", "delete"}]
            return 200, {"items": [{name: {"status": 200} for name in each} for each in actions]}
        if request.path == "/docs-*/_mapping":
            made = {"mappings": {"_meta": {"made_by": "sitecrawl"}}}
            return 200, {"docs-1": made} if self.has_index else {}
        if request.path == "/_alias/docs":
            return (200, {"docs-1": {}}) if self.has_index else (404, {"error": "missing"})
        asks_cursor = request.method == "GET" and request.path.startswith("/sitecrawl-cursors/")
        if "_count" in request.path:
            return 200, {"count": 0, "_shards": WHOLE}
        if "_search" in request.path:
            fields = {"fields": {"sitecrawl_change": ["0123"]}}
            hits = [{"_id": "a", **fields}] if "docs-1" in request.path else []
            return 200, {"_scroll_id": "more", "_shards": WHOLE, "hits": {"hits": hits}}
        if request.path == "/_alias/docs-1-writes":
            return 200, {}
        if request.method == "HEAD" or asks_cursor:
            return 404, {"found": False}
        return 200, {"acknowledged": True, "_seq_no": 7, "_primary_term": 1, "result": "updated"}


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as server:
        yield server


@pytest.fixture(params=["elasticsearch8", "elasticsearch9"])
def client(request: pytest.FixtureRequest, recorder: Recorder) -> Iterator[Any]:
    """The client of Elastic, connected to the recorder."""
    module = pytest.importorskip(request.param)
    with module.Elasticsearch(f"http://127.0.0.1:{recorder.port}") as made:
        yield made


@pytest.mark.behaviour("SY-18")
def test_each_request_is_one_of_the_official_client(recorder: Recorder, client: Any) -> None:
    target = OpenSearchTarget(f"elasticsearch://127.0.0.1:{recorder.port}/docs", TargetOptions())
    changes = [
        Change(1, "upsert", "a", UPSERT),
        Change(2, "delete", "b", {"url": "https://example.org/b"}),
    ]
    body = target._body()

    def ours(act: Callable[[], Any]) -> list[Request]:
        act()
        return [equal(each) for each in recorder.taken()]

    def theirs(*acts: Callable[[], Any]) -> list[Request]:
        for act in acts:
            try:
                act()
            except Exception as error:
                if getattr(error, "status_code", None) != 404:
                    raise
        return [equal(each) for each in recorder.taken()]

    cursors = {"index": "sitecrawl-cursors", "id": "docs-1"}
    counted: list[Callable[[], Any]] = [
        lambda: client.indices.refresh(index="docs-1"),
        lambda: client.count(index="docs-1", query=OURS),
    ]
    assert ours(target.open) == theirs(
        lambda: client.indices.exists_alias(name="docs"),
        lambda: client.indices.exists(index="docs"),
        lambda: client.indices.get_mapping(index="docs-*"),
        lambda: client.indices.create(
            index="docs-1", **body, aliases={"docs": {}, "docs-1-writes": {}}
        ),
        lambda: client.delete(**cursors),
        lambda: client.get(**cursors),
        *counted,
    )
    place = {"_index": "docs-1-writes", "version_type": "external_gte"}
    recorder.has_index = True
    first = ours(lambda: target.apply(changes, CURSOR))
    source = first[2].body[1]
    assert {name: source[name] for name in UPSERT} == UPSERT
    known = {"if_seq_no": 7, "if_primary_term": 1}
    assert first == theirs(
        lambda: client.index(**cursors, op_type="create", document=asdict(FIRST)),
        lambda: client.indices.exists_alias(name="docs-1-writes"),
        lambda: client.bulk(
            require_alias=True,
            operations=[
                {"index": {**place, "_id": "a", "version": 1}},
                source,
                {"delete": {**place, "_id": "b", "version": 2}},
            ],
        ),
        lambda: client.index(**cursors, **known, document=asdict(CURSOR)),
    )
    assert ours(lambda: target.apply([], CURSOR)) == theirs(
        lambda: client.index(**cursors, **known, document=asdict(CURSOR))
    )
    assert ours(lambda: target.fault(ExpectedCount(1, 1))) == theirs(*counted)
    fields = {"source": False, "docvalue_fields": ["sitecrawl_change"]}
    assert ours(lambda: list(target.documents())) == theirs(
        lambda: client.search(
            index="docs-1", query=OURS, **fields, scroll="5m", size=5000, sort="_doc"
        ),
        lambda: client.scroll(scroll_id="more", scroll="5m"),
        lambda: client.clear_scroll(scroll_id="more"),
    )

    def rebuild() -> None:
        with target.rebuild():
            pass

    actions = [{"add": {"index": "docs-2", "alias": "docs"}}, {"remove_index": {"index": "docs-1"}}]
    assert ours(rebuild) == theirs(
        lambda: client.indices.exists_alias(name="docs"),
        lambda: client.indices.get_alias(name="docs"),
        lambda: client.indices.get_mapping(index="docs-*"),
        lambda: client.indices.create(index="docs-2", **body, aliases={"docs-2-writes": {}}),
        lambda: client.delete(index="sitecrawl-cursors", id="docs-2"),
        lambda: client.indices.get_mapping(index="docs-*"),
        lambda: client.indices.refresh(index="docs-2"),
        lambda: client.indices.update_aliases(actions=actions),
        lambda: client.delete(**cursors),
    )
    target.close()


def equal(request: Request) -> Request:
    """A request in one of the forms that mean the same: POST for PUT of documents in bulk, the size
    of an answer in the body, a list of one scroll.
    """
    if request.path == "/_bulk":
        return request._replace(method="POST")
    if request.path == "/docs-1/_search":
        [body], query = request.body, dict(request.query)
        size = {"size": int(query.pop("size"))} if "size" in query else {}
        return request._replace(query=query, body=[{**body, **size}])
    if (request.method, request.path) == ("DELETE", "/_search/scroll"):
        [scroll] = request.body
        named = scroll["scroll_id"]
        ids = named if isinstance(named, list) else [named]
        return request._replace(body=[{"scroll_id": ids}])
    return request
