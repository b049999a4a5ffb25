"""OpenSearch, and Elasticsearch up to 7.10, as targets: an alias, an index behind it, a cursor.

The URI names the alias; the index behind it ends in a number, and a rebuild fills the next one.
Every write carries the change's seq as an external version, so that an older change never replaces
a newer one; ``index.gc_deletes`` extends that to deleted documents for a week. Above the seq it has
the number of comparisons, so that the writes of one win over all before it. One further index holds
the cursors of all indexes. Each is written after its changes, and only by the process that wrote it
last. Documents that have no field ``sitecrawl_change`` are not ours: they are neither counted nor
deleted. Documents are written through a second alias that is the index's own: once another
process has replaced the index, a write fails instead of making a new index of that name.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from opensearchpy import OpenSearch
from opensearchpy.exceptions import (
    AuthenticationException,
    AuthorizationException,
    ConflictError,
    ConnectionError,  # noqa: A004 -- the client's name
    NotFoundError,
    OpenSearchException,
    RequestError,
    SSLError,
    TransportError,
)
from opensearchpy.helpers import scan

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter, ExpectedCount
from sitecrawl.policy.documents.output_shapes import serialized, written
from sitecrawl.search.analysis import page_names
from sitecrawl.sync.target import (
    REBUILD,
    Cursor,
    SyncError,
    TargetBusyError,
    TargetMismatchError,
    TargetOptions,
    TargetUnreachableError,
    TargetUriError,
    shown_target,
)
from sitecrawl.web.languages import primary_language

USER, PASSWORD, API_KEY = "SITECRAWL_SYNC_USER", "SITECRAWL_SYNC_PASSWORD", "SITECRAWL_SYNC_API_KEY"
CURSORS = "sitecrawl-cursors"
INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,200}")
SECONDS = 60  # to wait for a response
MAX_REQUEST = 8_000_000  # bytes of one bulk request
BUSY = frozenset({408, 429, 500, 502, 503, 504})
TOO_LARGE = 413
MAX_REASON = 500  # characters
MAX_FAILURES = 3  # of one document
INDEX_VERSION = 6
SEQ_BITS = 40  # of a version
PER_REQUEST = 5000  # ids in an answer
CHANGE = "sitecrawl_change"
OURS = {"exists": {"field": CHANGE}}
NO_INDEX = "index_not_found_exception"

_LANGUAGES = """
    ar=arabic bg=bulgarian bn=bengali ca=catalan cs=czech da=danish de=german el=greek
    es=spanish et=estonian eu=basque fa=persian fi=finnish fr=french ga=irish gl=galician
    hi=hindi hu=hungarian hy=armenian id=indonesian it=italian ja=cjk ko=cjk lt=lithuanian
    lv=latvian nb=norwegian nl=dutch nn=norwegian no=norwegian pt=portuguese ro=romanian
    ru=russian sv=swedish th=thai tr=turkish zh=cjk
"""
LANGUAGES = dict(each.split("=") for each in _LANGUAGES.split())
"""Built-in analyzer of each primary language; ``ANALYSIS`` stems English."""
SEARCHED = ("title", "headings", "description", "body")
LOCALIZED, NAMES = "localized", "sitecrawl_names"
TEXTS = ("body", "comments", "description", "meta_description")
DATES = ("published_at", "modified_at", "last_crawled_at")
STORED = ("alternates", "blocks", "links", "metas", "sections")
WORDS = {"tokenizer": "standard", "filter": ["parts", "lowercase", "asciifolding", "porter_stem"]}
FIRST_WORDS, FIRST_LETTERS = r"(?sU)^((?:\W*+\w++){32}).*", "(?s)^(.{200}).*"
ANALYSIS = {
    "char_filter": {
        name: {"type": "pattern_replace", "pattern": pattern, "replacement": "$1"}
        for name, pattern in (("first_words", FIRST_WORDS), ("first_letters", FIRST_LETTERS))
    },
    "filter": {"parts": {"type": "word_delimiter_graph", "preserve_original": True}},
    "analyzer": {"words": WORDS, "first_words": {**WORDS, "char_filter": ["first_words"]}},
    "normalizer": {
        "name": {
            "type": "custom",
            "char_filter": ["first_letters"],
            "filter": ["lowercase", "asciifolding"],
        }
    },
}
"""Names as a whole and by their parts, English stemmed. Words of a query after the 32nd are ignored:
a server allows 1,024 clauses.
"""
KEYWORD = {"type": "keyword", "ignore_above": 8191}
STRINGS = {"strings": {"match_mapping_type": "string", "mapping": KEYWORD}}
TEXT = {"type": "text", "analyzer": "words", "search_analyzer": "first_words"}
HEADINGS = {"properties": {"text": TEXT, "anchor": KEYWORD, "level": {"type": "byte"}}}
DEFINITIONS = {"properties": {"term": TEXT, "anchor": KEYWORD}}
BY_LANGUAGE = [
    {
        language: {
            "path_match": f"{LOCALIZED}.{language}",
            "mapping": {"type": "text", "analyzer": analyzer},
        }
    }
    for language, analyzer in LANGUAGES.items()
]
"""The field of a language exists once a document is written in it: a query of ``localized.*`` has
clauses for those alone.
"""
MADE_BY = {"made_by": "sitecrawl"}


class OpenSearchTarget:
    """An index, reached by the alias of the URI: ``opensearch://HOST:PORT/ALIAS``."""

    incremental: ClassVar[bool] = True

    def __init__(self, uri: str, options: TargetOptions, index: str = "") -> None:
        """Write to ``index`` if it is given, else to the index behind the alias."""
        self._uri = uri
        self._alias = _alias(uri)
        self._options = options
        self._client = _client(uri)
        self._index = index
        self._stored: tuple[int, int] | None = None  # the cursor document's seq_no and primary_term
        self._name = shown_target(uri)
        self._limit = MAX_REQUEST
        self._failures: Counter[int] = Counter()  # of a change, by seq

    def mapping(self) -> str:
        """Return the index's fields, and the options that name and choose them."""
        documents = self._options.documents
        shape = (documents.preset, documents.field_map, documents.extra_fields)
        return f"opensearch {INDEX_VERSION} {json.dumps(self._body(), sort_keys=True)} {shape}"

    def cursor(self) -> Cursor | None:
        """Find the index behind the alias, and read its cursor; None if there is none."""
        with self._errors():
            self._index = self._behind_alias() or ""
            return self._read_cursor() if self._index else None

    def open(self) -> Cursor | None:
        """Find the index behind the alias, create both if missing, and read the cursor."""
        with self._errors():
            self._index = self._behind_alias() or self._create({self._alias: {}})
            return self._read_cursor()

    def fault(self, expected: ExpectedCount) -> str:
        """Count our documents."""
        with self._errors():
            return expected.fault(self._count())

    def documents(self) -> Iterator[tuple[str, str]]:
        """Yield id and change of each of our documents."""
        query = {"query": OURS, "_source": False, "docvalue_fields": [CHANGE]}
        with self._errors():
            for hit in scan(self._client, query=query, index=self._index, size=PER_REQUEST):
                yield hit["_id"], hit["fields"][CHANGE][0]

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write the changes in bulk requests, then the cursor."""
        refused: list[DeadLetter] = []
        with self._errors():
            if self._stored is None:
                self._write_cursor(replace(cursor, seq=0, hash=""))
            for batch in self._requests(changes, cursor.comparison << SEQ_BITS):
                deletes = any(change.op == "delete" for change, _ in batch)
                writes = _written_through(self._index)
                if deletes and not self._client.indices.exists_alias(name=writes):
                    raise TargetBusyError(self._name)  # a deletion would create the index
                refused += self._send(batch)
            self._write_cursor(cursor)
        return refused

    @contextmanager
    def rebuild(self) -> Iterator[OpenSearchTarget]:
        """Create a further index; the alias moves to it at the end, and all others are removed."""
        with self._errors():
            self._behind_alias()
            index = self._create({})
        with closing(OpenSearchTarget(self._uri, self._options, index)) as fresh:
            yield fresh
        with self._errors():
            others = self._made() - {index}
            actions: list[dict[str, Any]] = [{"add": {"index": index, "alias": self._alias}}]
            actions += [{"remove_index": {"index": other}} for other in sorted(others)]
            try:
                self._client.indices.refresh(index=index)
                self._client.indices.update_aliases(body={"actions": actions})
            except NotFoundError as error:  # another rebuild has removed one of them
                raise TargetBusyError(self._name) from error
            for other in others:
                self._forget_cursor(other)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _count(self) -> int:
        self._client.indices.refresh(index=self._index)
        answer = self._client.count(index=self._index, body={"query": OURS})
        try:
            count, shards = int(answer["count"]), answer["_shards"]
            is_whole = shards["successful"] == shards["total"]
        except (KeyError, TypeError, ValueError) as error:
            raise SyncError(f"{self._name} answered a count without a number.") from error
        if not is_whole:
            raise TargetUnreachableError(f"{self._name} is busy (shards of it do not answer).")
        return count

    def _requests(
        self, changes: Sequence[Change], least: int
    ) -> Iterator[list[tuple[Change, bytes]]]:
        """Yield the changes of each bulk request, with their lines of at most ``_limit`` bytes.

        Their versions are the seqs above ``least``.
        """
        batch: list[tuple[Change, bytes]] = []
        size = 0
        for change in changes:
            lines = self._lines(change, least + change.seq)
            if batch and size + len(lines) > self._limit:
                yield batch
                batch, size = [], 0
            batch.append((change, lines))
            size += len(lines)
        if batch:
            yield batch

    def _send(self, batch: Sequence[tuple[Change, bytes]]) -> list[DeadLetter]:
        """Send a bulk request, in halves if it is too large; return the refused changes."""
        body = b"".join(lines for _, lines in batch)
        try:
            answer = self._client.bulk(body=body, params={"require_alias": "true"})
        except TransportError as error:
            if error.status_code != TOO_LARGE:
                raise
        else:
            return list(self._judge(answer, [change for change, _ in batch]))
        if len(batch) == 1:
            change = batch[0][0]
            reason = f"its {len(body)} bytes are more than the server takes (status {TOO_LARGE})"
            return [DeadLetter(change.seq, change.id, change.record.get("url"), reason)]
        self._limit = len(body) // 2
        half = len(batch) // 2
        return [*self._send(batch[:half]), *self._send(batch[half:])]

    def _lines(self, change: Change, version: int) -> bytes:
        action = "delete" if change.op == "delete" else "index"
        place = {"_index": _written_through(self._index), "_id": change.id}
        condition = {"version": version, "version_type": "external_gte"}
        head = serialized({action: {**place, **condition}}) + b"\n"
        if action == "delete":
            return head
        return head + serialized({**self._source(change.record), CHANGE: change.hash}) + b"\n"

    def _source(self, record: Mapping[str, Any]) -> dict[str, Any]:
        document = written(record, self._options.documents)
        document.pop(self._named("op"), None)
        language = primary_language(record.get("language"))
        if language in LANGUAGES:
            texts = [_text(record[name]) for name in SEARCHED if record.get(name)]
            document[LOCALIZED] = {language: "\n".join(texts)}
        document[NAMES] = sorted({name.key for name in page_names(str(record["url"]), record)})
        return document

    def _named(self, field: str) -> str:
        return dict(self._options.documents.field_map).get(field, field)

    def _judge(self, answer: Any, batch: Sequence[Change]) -> Iterator[DeadLetter]:
        """Yield the changes that were refused for good; raises TargetUnreachableError for others,
        TargetBusyError if the index was removed.

        An older version (409) and a missing document to be deleted (404) count as success. A
        document that fails (500) again and again while others are accepted is refused: its
        pipeline fails on it.
        """
        results = _results(answer)
        if len(results) != len(batch):
            raise SyncError(f"{self._name} answered a bulk request without the results of it.")
        is_working = any(result["status"] < 300 for _, result in results)
        failed = [
            change.seq
            for (_, result), change in zip(results, batch, strict=True)
            if result["status"] == 500
        ]
        self._failures.update(failed)
        if any(_reason(result).startswith(NO_INDEX) for _, result in results):
            raise TargetBusyError(self._name)
        for (action, result), change in zip(results, batch, strict=True):
            status, reason = result["status"], _reason(result)
            refused_by_pipeline = is_working and self._failures[change.seq] >= MAX_FAILURES
            if status in BUSY and not (status == 500 and refused_by_pipeline):
                raise TargetUnreachableError(f"{self._name} is busy (status {status}: {reason}).")
            if status >= 400 and status != 409 and not (action == "delete" and status == 404):
                url = change.record.get("url")
                yield DeadLetter(change.seq, change.id, url, reason)

    def _write_cursor(self, cursor: Cursor) -> None:
        known: dict[str, Any] = {"op_type": "create"}
        if self._stored is not None:
            known = dict(zip(("if_seq_no", "if_primary_term"), self._stored, strict=True))
        try:
            answer = self._client.index(
                index=CURSORS, id=self._index, body=asdict(cursor), params=known
            )
        except ConflictError as error:
            raise TargetBusyError(self._name) from error
        self._stored = (answer["_seq_no"], answer["_primary_term"])

    def _read_cursor(self) -> Cursor | None:
        try:
            found = self._client.get(index=CURSORS, id=self._index)
        except NotFoundError:
            if self._count():
                text = f"{self._name} has documents and no cursor in {CURSORS}; {REBUILD}."
                raise TargetMismatchError(text) from None
            return None
        self._stored = (found["_seq_no"], found["_primary_term"])
        return Cursor(**found["_source"])

    def _forget_cursor(self, index: str) -> None:
        self._client.delete(index=CURSORS, id=index, params={"ignore": 404})

    def _behind_alias(self) -> str | None:
        """Return the index behind the alias; raises TargetMismatchError if it is no alias."""
        if self._client.indices.exists_alias(name=self._alias):
            found = sorted(self._client.indices.get_alias(name=self._alias))
            if len(found) == 1 and re.fullmatch(rf"{re.escape(self._alias)}-\d+", found[0]):
                return str(found[0])
        elif not self._client.indices.exists(index=self._alias):
            return None
        raise TargetMismatchError(
            f"{self._name} is no index of scrapy sync; give another name, which is made."
        )

    def _numbered(self) -> dict[str, Mapping[str, Any]]:
        found = self._client.indices.get_mapping(index=f"{self._alias}-*")
        pattern = re.compile(rf"{re.escape(self._alias)}-\d+")
        return {name: each["mappings"] for name, each in found.items() if pattern.fullmatch(name)}

    def _made(self) -> set[str]:
        """Return the indexes behind the alias, of rebuilds that were killed and that still run."""
        return {name for name, found in self._numbered().items() if found.get("_meta") == MADE_BY}

    def _create(self, aliases: Mapping[str, Any]) -> str:
        numbers = [int(name.rpartition("-")[2]) for name in self._numbered()]
        index = f"{self._alias}-{max(numbers, default=0) + 1}"
        body = {**self._body(), "aliases": {**aliases, _written_through(index): {}}}
        try:
            self._client.indices.create(index=index, body=body)
        except RequestError as error:
            if error.error == "resource_already_exists_exception":
                raise TargetBusyError(self._name) from error
            raise
        self._forget_cursor(index)
        return index

    def _body(self) -> dict[str, Any]:
        named = self._named
        properties: dict[str, Any] = {named(name): TEXT for name in TEXTS}
        properties |= {named(name): {"type": "date", "ignore_malformed": True} for name in DATES}
        properties |= {named(name): {"type": "object", "enabled": False} for name in STORED}
        properties[named("title")] = {**TEXT, "fields": {"keyword": KEYWORD}}
        properties[named("headings")] = HEADINGS
        properties[named("definitions")] = DEFINITIONS
        properties[CHANGE] = {"type": "keyword"}
        properties[NAMES] = {"type": "keyword", "normalizer": "name"}
        if self._options.documents.preset == "elastic":  # its headings and links are texts
            properties[named("headings")] = TEXT
            del properties[named("links")]
        return {
            "settings": {"index": {"gc_deletes": "7d"}, "analysis": ANALYSIS},
            "mappings": {
                "_meta": MADE_BY,
                "_source": {"excludes": [LOCALIZED, NAMES]},
                "dynamic_templates": [*BY_LANGUAGE, STRINGS],
                "properties": properties,
            },
        }

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert failures of the client to one line without the password."""
        try:
            yield
        except (AuthenticationException, AuthorizationException) as error:
            raise SyncError(
                f"{self._name} refuses the name and password (status {error.status_code}); set "
                f"{USER} and {PASSWORD}, or {API_KEY}."
            ) from error
        except SSLError as error:
            raise SyncError(
                f"{self._name} has no certificate that can be trusted; name the file of its "
                "authority in SSL_CERT_FILE."
            ) from error
        except ConnectionError as error:
            raise TargetUnreachableError(f"{self._name} does not answer: {error.error}.") from error
        except TransportError as error:
            text = f"{self._name} answered with status {error.status_code}: {_line(error.error)}."
            kind = TargetUnreachableError if error.status_code in BUSY else SyncError
            raise kind(text) from error
        except OpenSearchException as error:
            raise SyncError(f"{self._name}: {_line(error)}.") from error


def _written_through(index: str) -> str:
    """Return the alias that only this index has."""
    return f"{index}-writes"


def _alias(uri: str) -> str:
    name = urlsplit(uri).path.strip("/")
    if not INDEX_NAME.fullmatch(name):
        scheme = uri.partition(":")[0]
        raise TargetUriError(
            f"{shown_target(uri)!r} names no index; write {scheme}://HOST:9200/NAME, in small "
            "letters, digits, - and _"
        )
    return name


def _client(uri: str) -> OpenSearch:
    try:
        parts = urlsplit(uri)
        port = parts.port or 9200
    except ValueError as error:
        raise TargetUriError(
            f"{shown_target(uri)!r} is no address; in a name and a password, write %2F for / and "
            "%40 for @"
        ) from error
    if not parts.hostname:
        raise TargetUriError(f"{shown_target(uri)!r} names no host")
    user = unquote(parts.username or "") or os.environ.get(USER, "")
    password = unquote(parts.password or "") or os.environ.get(PASSWORD, "")
    key = os.environ.get(API_KEY)
    return OpenSearch(
        hosts=[{"host": parts.hostname, "port": port}],
        use_ssl=parts.scheme.endswith("+https"),
        verify_certs=True,
        ca_certs=os.environ.get("SSL_CERT_FILE"),
        http_auth=(user, password) if user else None,
        headers={"Authorization": f"ApiKey {key}"} if key and not user else None,
        timeout=SECONDS,
        max_retries=0,
    )


def _results(answer: Any) -> list[tuple[str, Mapping[str, Any]]]:
    items = answer.get("items") if isinstance(answer, Mapping) else None
    found = [pair for item in items or () if isinstance(item, Mapping) for pair in item.items()]
    return [
        (action, result)
        for action, result in found
        if isinstance(result, Mapping) and "status" in result
    ]


def _reason(result: Mapping[str, Any]) -> str:
    error = result.get("error") or {}
    if not isinstance(error, Mapping):
        return str(error)[:MAX_REASON]
    reason = f"{error.get('type')}: {error.get('reason')}"
    caused = error.get("caused_by") or {}
    return (f"{reason} ({caused['reason']})" if caused.get("reason") else reason)[:MAX_REASON]


def _line(text: object) -> str:
    return " ".join(str(text).split())[:MAX_REASON]


def _text(value: Any) -> str:
    """Return a field's text; of a list, the text of its entries, one per line."""
    if isinstance(value, Mapping):
        return str(value.get("text") or "")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(map(_text, value))
    return str(value)
