"""Fills the document's fields from the facts of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.frontier.base import Outcome
from sitecrawl.pipelines.document import DocumentPipeline, drop
from sitecrawl.policy.documents.fields import document_fields
from sitecrawl.policy.documents.guard import check_text

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.items import Document
    from sitecrawl.policy.documents.options import DocumentOptions


class MappingPipeline(DocumentPipeline):
    """Title, descriptions, text and metadata, as the options choose them."""

    def __init__(self, options: DocumentOptions) -> None:
        self._options = options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MappingPipeline:
        """Built with the spider's configuration."""
        spider: Any = crawler.spider
        return cls(spider.configuration.params.document_options())

    def process_document(self, document: Document) -> Document:
        """Add the fields; drop what is no text."""
        if document.page.fault:
            raise drop(document, Outcome.DID_NOT_UNDERSTAND_ANSWER, document.page.fault)
        decision = check_text(document.page.text, self._options)
        if not decision.allowed:
            document.visit.detail = decision.rule
            raise drop(document, Outcome.UNWANTED_TYPE, decision.reason)
        for name, value in document_fields(document.page, self._options).items():
            document.setdefault(name, value)
        return document
