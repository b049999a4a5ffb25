"""Fill in the document's fields from its page and its visit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import Outcome
from sitecrawl.items import DropDocument
from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.binary_content import check_text
from sitecrawl.policy.documents.field_values import FetchFacts
from sitecrawl.policy.documents.fields import ENVELOPE, fetch_fields, page_fields
from sitecrawl.policy.documents.metadata_mapping import mapped_fields
from sitecrawl.policy.documents.page_faults import PAGE_FAULTS
from sitecrawl.web.urls.identity import document_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from sitecrawl.crawl.discovery import AnchorTexts
    from sitecrawl.crawl.visit import Visit
    from sitecrawl.items import Document
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Page


class MappingPipeline(DocumentPipeline):
    """Add the fields of the page and of its fetch to the document, as registered in ``fields``."""

    def __init__(
        self,
        options: DocumentOptions,
        key: Callable[[str], str],
        realm: str,
        anchors: AnchorTexts,
    ) -> None:
        self._options = options
        self._key = key
        self._realm = realm
        self._anchors = anchors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MappingPipeline:
        """Use the spider's configuration, and the link texts that discovery collects."""
        crawl = crawl_of(crawler)
        spider: Any = crawler.spider
        params = spider.configuration.params
        return cls(
            params.document_options(), spider.rules.key, params.realm, crawl.discovery.anchors
        )

    def process_document(self, document: Document) -> None:
        """Add the fields; drop pages that are not text."""
        page, visit = document.page, document.visit
        if page.fault:
            fault = PAGE_FAULTS[page.fault]
            raise DropDocument(fault.outcome, page.fault, page.fault_detail)
        decision = check_text(page.text, self._options)
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
