"""Keeps out pages that ask not to be indexed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sitecrawl.frontier.base import Outcome
from sitecrawl.pipelines.document import DocumentPipeline, drop

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.items import Document
    from sitecrawl.policy.engine import Rules
    from sitecrawl.policy.obedience import Obedience


class NoindexPipeline(DocumentPipeline):
    """Obeys noindex and unavailable_after, from the page or its headers, as configured.

    A start that the patterns of wanted pages do not match is read for its links alone.
    """

    def __init__(self, rules: Rules, obedience: Obedience) -> None:
        self._rules = rules
        self._obedience = obedience

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NoindexPipeline:
        """Asks the spider's rules about starts that are only there for their links."""
        spider: Any = crawler.spider
        return cls(spider.rules, spider.configuration.params.obedience())

    def process_document(self, document: Document) -> Document:
        """Drop what must not be indexed."""
        due = document.visit.due
        if not self._rules.recheck(due.url, depth=due.depth, via=due.via).indexed:
            raise drop(document, Outcome.NOINDEX, "start_for_links")
        reason = self._obedience.refusal(document.page.directives, datetime.now(UTC))
        if reason:
            raise drop(document, Outcome.NOINDEX, reason)
        return document
