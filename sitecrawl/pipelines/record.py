"""Writes each document to the crawl database, and passes on what is new in it."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from sitecrawl.extensions.crawl import Crawl
from sitecrawl.frontier.base import Outcome
from sitecrawl.items import DOCUMENT_FIELDS, SCHEMA_VERSION, Record
from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.dates import is_plausible, rfc3339
from sitecrawl.policy.documents.serialized import serialized
from sitecrawl.policy.queries.dynamic import is_dynamic
from sitecrawl.web.identity import document_id
from sitecrawl.web.urls import split

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from sitecrawl.crawl.anchors import AnchorTexts
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Visit
    from sitecrawl.items import Document
    from sitecrawl.web.page import Page

# What may differ between two visits without the document being another one.
VOLATILE = frozenset(
    {
        *("body", "content_hash", "content_length", "etag", "last_modified", "modified_at"),
        *("last_crawled_at", "first_seen_at", "last_changed_at", "date_reliable"),
        *("source_url", "discovered_via", "depth", "status_code", "published_at"),
        "anchors",
    }
)
EMPTY: tuple[Any, ...] = (None, "", (), [], {})


class RecordPipeline(DocumentPipeline):
    """Completes a document's envelope and waits for its row in the outbox.

    A page counts as done only together with that row, so nothing reaches a feed that the
    crawl database does not hold.
    """

    def __init__(
        self, recorder: Recorder, key: Callable[[str], str], realm: str, anchors: AnchorTexts
    ) -> None:
        self._recorder = recorder
        self._key = key
        self._realm = realm
        self._anchors = anchors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RecordPipeline:
        """Shares the recorder with whatever else ends a visit."""
        crawl = crawler.get_extension(Crawl)
        assert crawl is not None
        spider: Any = crawler.spider
        realm = spider.configuration.params.realm
        return cls(crawl.recorder, spider.rules.key, realm, crawl.discovery.anchors)

    async def process_document(self, document: Document) -> Record:
        """Record the document; raises DropItem when it is unchanged or a duplicate."""
        visit = document.visit
        visit.document = self._complete(document)
        visit.document_hash = document_hash(visit.document, visit.document_hash or "")
        if visit.outcome is None:
            visit.outcome, visit.reason = Outcome.FILE_INGESTED, "ok"
        document.recorded = True
        change = await self._recorder.record(visit)
        if change is None:
            raise DropItem("nothing to write", log_level="DEBUG")
        return Record(change.seq, change.record)

    def _complete(self, document: Document) -> dict[str, Any]:
        visit = document.visit
        fields = {
            **document,
            **self._envelope(visit),
            **where(visit, document.page.location),
            **how(visit, document.page),
            "anchors": self._anchors.pop(visit.due.fingerprint),
        }
        ordered = {name: fields[name] for name in DOCUMENT_FIELDS if name in fields} | fields
        return {name: value for name, value in ordered.items() if value or value not in EMPTY}

    def _envelope(self, visit: Visit) -> dict[str, Any]:
        return {
            "id": document_id(self._key(visit.due.url), self._realm),
            "schema_version": SCHEMA_VERSION,
        }


def where(visit: Visit, location: str = "") -> dict[str, Any]:
    """The fields that say where a document is, by its own ``location`` if it gives one, and how
    it was found.
    """
    due, url = visit.due, location or visit.due.url
    parts = split(url)
    folders = [folder for folder in parts.path.split("/")[1:-1] if folder]
    return {
        "url": url,
        "url_scheme": parts.scheme,
        "url_host": parts.host,
        "url_port": parts.port,
        "url_path": parts.path,
        **{f"url_path_dir{n}": folder for n, folder in enumerate(folders[:3], start=1)},
        "url_dynamic": is_dynamic(url) or None,
        "source_url": due.referrer,
        "discovered_via": due.via,
        "depth": due.depth,
    }


def how(visit: Visit, page: Page) -> dict[str, Any]:
    """The fields that say how and when a document was fetched.

    When it changed last is for the frontier to say, which knows what it was before.
    """
    fetched_at = rfc3339(visit.started_at)
    return {
        "status_code": visit.status,
        "content_type": page.content_type,
        "content_length": page.size,
        "etag": visit.etag,
        "last_modified": visit.last_modified,
        "first_seen_at": rfc3339(visit.due.first_seen_at or visit.started_at),
        "last_crawled_at": fetched_at,
        "last_changed_at": fetched_at,
        "content_hash": visit.content_hash,
        "date_reliable": reliable(visit),
    }


def reliable(visit: Visit) -> bool | None:
    """False where the server's date cannot be right, None where there is nothing to say."""
    if not visit.last_modified or is_plausible(visit.last_modified, visit.started_at):
        return None
    return False


def document_hash(fields: dict[str, Any], page_hash: str) -> str:
    """A hash of all that is worth writing; ``page_hash`` stands for text and links."""
    lasting = {name: fields[name] for name in sorted(fields.keys() - VOLATILE)}
    return blake2b(page_hash.encode() + serialized(lasting), digest_size=16).hexdigest()
