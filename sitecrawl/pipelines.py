"""Item pipelines: from a page to its stored document."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager

from sitecrawl.components import Component, params_of
from sitecrawl.crawl.visit import ContentHashes, Visit
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.items import Document, DropDocument, line_of
from sitecrawl.policy.documents.binary_content import check_text
from sitecrawl.policy.documents.content_hash import (
    content_hash,
    stable_links,
    stable_text,
    text_hash,
)
from sitecrawl.policy.documents.fields import (
    DOCUMENT,
    ENVELOPE,
    VOLATILE,
    FetchFacts,
    fetch_fields,
    filled,
    page_fields,
)
from sitecrawl.policy.documents.metadata_mapping import mapped_fields
from sitecrawl.policy.documents.output_shapes import serialized, serialized_parts
from sitecrawl.policy.outcomes import PAGE_FAULTS, Outcome
from sitecrawl.web.html.page import Page
from sitecrawl.web.urls.identity import document_id

BODY = "body"
KEPT = "\0site names in titles"
"""Part of the version of documents whose titles keep the site name, as they differ only by it."""
BEFORE = "it gets documents that are not complete"
BEHIND = "what it makes is neither stored nor exported, and it does not see every line"
SECOND = "its page already has a document"
MISPLACED = "The pipeline %s has a number outside 0 to 1000: %s."

logger = logging.getLogger(__name__)

current_document: ContextVar[Document | None] = ContextVar("current_document", default=None)
"""Key of the document in the pipelines, even after one has returned another item."""


class DocumentPipeline(Component):
    """Process documents; pass the items of a project's own spiders unchanged."""

    def process_item(self, item: Any) -> Any:
        """Process a document; raise DropItem if it is not to be written."""
        if isinstance(item, Document):
            self.process_document(item)
        return item

    def process_document(self, document: Document) -> None:
        """Change the document in place."""


class NoindexPipeline(DocumentPipeline):
    """Apply noindex, unavailable_after and usage, as judged by the meta-robots middleware.

    A start that does not match the patterns of wanted pages is read only for its links.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._rules = crawl_of(crawler).discovery.rules

    def process_document(self, document: Document) -> None:
        """Drop a page that must not be indexed; add the ``usage`` field to others."""
        due = document.visit.due
        if not self._rules.admit(due.url, depth=due.depth, via=due.via).indexed:
            raise DropDocument(Outcome.NOINDEX, "start_for_links")
        if document.robots.noindex:
            raise DropDocument(Outcome.NOINDEX, document.robots.noindex)
        if forbidden := document.robots.forbidden:
            raise DropDocument(Outcome.USAGE_FORBIDDEN, *forbidden)
        if document.robots.usage:
            document["usage"] = document.robots.usage


class CanonicalPipeline(DocumentPipeline):
    """Make a page's canonical URL a candidate; the frontier checks the claim.

    A claim that the crawl cannot check (another scheme, out of scope) has no effect, and none has
    with ``duplicates=keep``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._discovery = crawl_of(crawler).discovery
        self._merges = params_of(crawler).duplicates != "keep"

    def process_document(self, document: Document) -> None:
        """Record the canonical URL and outcome in the visit; the document is processed further."""
        canonical, visit = document.page.canonical, document.visit
        if canonical is None:
            return
        document["canonical_url"] = canonical
        if self._merges:
            visit.canonical_found(self._discovery.canonical(visit.due, canonical))


class MappingPipeline(DocumentPipeline):
    """Add the fields of the page and of its fetch to the document, as registered in ``fields``."""

    def __init__(self, crawler: Crawler) -> None:
        params, discovery = params_of(crawler), crawl_of(crawler).discovery
        self._options = params.document_options()
        self._realm = params.realm
        self._key = discovery.rules.key
        self._anchors = discovery.anchors

    def process_document(self, document: Document) -> None:
        """Add the fields; drop pages that are not text."""
        page, visit = document.page, document.visit
        if page.fault:
            fault = PAGE_FAULTS[page.fault]
            raise DropDocument(fault.outcome, page.fault, page.fault_detail)
        decision = check_text(page.whole_text, self._options)
        if not decision.allowed:
            raise DropDocument(Outcome.UNWANTED_TYPE, decision.reason, decision.rule)
        facts = self._fetch_facts(visit, page)
        fields = page_fields(page, self._options, document_id=facts.id, url=facts.url)
        page.content = ()  # the fields have it; twice, it takes 20 MB in a page of 10 MB
        mapped = mapped_fields(page, self._options.metadata, self._options.extra_fields)
        for name, value in (fields | mapped).items():
            document.setdefault(name, value)
        of_fetch = fetch_fields(facts)
        document.envelope = {name: of_fetch[name] for name in of_fetch.keys() & ENVELOPE}
        document.update(of_fetch)

    def _fetch_facts(self, visit: Visit, page: Page) -> FetchFacts:
        """Return the facts of a visit; a document's URL may differ from the one that was fetched.

        The time of the last change is the visit's, until the frontier compares the document with
        the previous one.
        """
        due = visit.due
        return FetchFacts(
            id=document_id(self._key(due.url), self._realm),
            realm=self._realm,
            url=page.location or due.url,
            referrer=due.referrer,
            via=due.via,
            depth=due.depth,
            status=visit.response.status,
            content_type=page.content_type,
            size=page.size,
            etag=visit.response.etag,
            last_modified=visit.response.last_modified,
            first_seen_at=due.first_seen_at or visit.started_at,
            started_at=visit.started_at,
            anchors=self._anchors.pop(due.fingerprint),
        )


class ChangePipeline(DocumentPipeline):
    """Drop unchanged documents; add hashes to the others.

    ``content_hash`` is that of the text, ``document_hash`` that of the text, links, own images and
    fields. The frontier compares the first with those
    of other pages, in the transaction that writes the visit. Both are computed before a project's
    pipelines: their results are renewed when the page or ``version`` changes.
    """

    def __init__(self, crawler: Crawler) -> None:
        params = params_of(crawler)
        kept = KEPT if "site_name" not in params.title_repairs else ""
        self._version = params.pipeline_version + params.outline_version + kept
        self._rules = crawl_of(crawler).discovery.rules

    def process_document(self, document: Document) -> None:
        """Add the hashes; drop a document that did not change since the stored one was made."""
        page, visit = document.page, document.visit
        visit.left_out = "\n".join(map(str, page.left_out))
        links = stable_links(page)
        if len(links) <= self._rules.memory:  # more would not stay cached: a second for 50,000
            links = [self._rules.admit(link).key or link for link in links]
        own = text_hash(page.title, stable_text(page))
        page_hash = content_hash(own or "", links, page.images) + self._version
        is_hashed = document.get(BODY) is page.text and not page.stable_text
        fields = {**document, BODY: ""} if is_hashed else document
        hashes = ContentHashes(own, document_hash(fields, page_hash))
        if is_unchanged(visit, hashes):
            visit.hashes = replace(hashes, unchanged=True)
            raise DropDocument(Outcome.FILE_INGESTED, "ok")
        if hashes.content is not None:
            document["content_hash"] = hashes.content
        visit.hashes = hashes


def is_unchanged(visit: Visit, hashes: ContentHashes) -> bool:
    """Return True if the document would be written again unchanged."""
    due = visit.due
    return (
        due.document_id is not None
        and visit.conclusion is None  # a page that names another as canonical is judged again
        and hashes.content == due.content_hash
        and hashes.document == due.document_hash
    )


def document_hash(fields: Mapping[str, Any], page_hash: str) -> str:
    """Return a hash of all fields that are not volatile; ``page_hash`` covers text and links."""
    lasting = {name: fields[name] for name in sorted(fields.keys() - VOLATILE)}
    return blake2b(page_hash.encode() + serialized(lasting), digest_size=16).hexdigest()


class OutputPipeline(Component):
    """Store the documents that leave the pipelines, and wait for their outbox rows.

    A page counts as done only together with its row, so a feed never gets a line that is not in the
    crawl database. The line is written as ``preset`` and ``field_map`` say. Lines without a page of
    this run (deletions, promoted copies, lines left by an earlier run) went through the pipelines
    when their page was read: they go to the feeds directly.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._recorder = crawl_of(crawler).recorder
        self._options = params_of(crawler).document_options()

    async def process_item(self, item: Any) -> Any:
        """Record a document and return its line; raises DropItem if there is no line to write.

        Other items of a project's own spiders pass unchanged.
        """
        document = current_document.get()
        if document is None:
            return item
        stored = finished(item, document)
        result = document.visit.end_concluded(Outcome.FILE_INGESTED, "ok", document=stored)
        change = await self._recorder.record(result)
        if change is None:
            raise DropItem("nothing to write", log_level="DEBUG")
        return line_of(change, self._options)


def finished(item: Any, document: Document) -> dict[str, Any]:
    """Return the fields to store: those of the item that the pipelines made of the document.

    Raises TypeError for anything but an item, and TypeError or ValueError for values that JSON
    cannot represent.
    """
    if not (isinstance(item, dict) or ItemAdapter.is_item(item)):
        raise TypeError(f"a pipeline returned {type(item).__name__} in place of an item")
    made = item if isinstance(item, dict) else ItemAdapter(item).asdict()
    fields = {name: value for name, value in made.items() if name not in ENVELOPE}
    fields |= document.envelope
    ordered = {name: fields[name] for name in DOCUMENT if name in fields} | fields
    stored = filled(ordered)
    values = {name: value for name, value in stored.items() if not isinstance(value, str)}
    for _ in serialized_parts(values):  # raises for a value that JSON cannot represent
        pass
    return stored


class DocumentProcessor(ItemPipelineManager):
    """Pass each document through all pipelines to the crawl database.

    A project's pipeline may replace the document with an item of its own: the output pipeline still
    finds the visit. A document that does not arrive there counts as failed, so that its visit ends.
    """

    def __init__(self, *pipelines: Any, crawler: Crawler | None = None) -> None:
        super().__init__(*pipelines, crawler=crawler)
        for name, why in misplaced(pipelines):
            logger.warning(MISPLACED, name, why)

    async def process_item_async(self, item: Any) -> Any:
        """Process an item; raises DropItem, and RuntimeError for a document that was lost."""
        document = item if isinstance(item, Document) else None
        if document is not None and document.visit.has_ended:
            raise DropItem(SECOND, log_level="WARNING")
        token = current_document.set(document)
        try:
            result = await super().process_item_async(item)
        finally:
            current_document.reset(token)
        if document is not None and not document.visit.has_ended:
            raise RuntimeError("OutputPipeline has not seen this document")
        return result


def misplaced(pipelines: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield pipelines of the project that run before documents are complete, and the effect."""
    complete = stored = False
    for each in pipelines:
        if isinstance(each, OutputPipeline):
            stored = True
        elif isinstance(each, DocumentPipeline):
            complete = complete or isinstance(each, ChangePipeline)
        elif stored or not complete:
            yield type(each).__qualname__, BEHIND if stored else BEFORE
