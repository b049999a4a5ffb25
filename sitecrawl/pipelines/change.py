"""Finds out whether a page's content differs from what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.policy.documents.content_hash import (
    content_hash,
    stable_links,
    stable_text,
    text_hash,
)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.items import Document
    from sitecrawl.policy.engine import Rules


class ChangePipeline(DocumentPipeline):
    """Gives the visit two hashes: of the text, and of text, links and own images.

    The frontier compares them with the last ones, and the first with those of other
    pages, in the transaction that writes the visit.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChangePipeline:
        """Compares links as the rules write them, without session ids."""
        spider: Any = crawler.spider
        return cls(spider.rules)

    def process_document(self, document: Document) -> Document:
        """Add the hashes."""
        page = document.page
        links = [self._rules.admit(link).key or link for link in stable_links(page)]
        text = stable_text(page)
        document.visit.content_hash = text_hash(page.title, text)
        document.visit.document_hash = content_hash(text, links, page.images)
        return document
