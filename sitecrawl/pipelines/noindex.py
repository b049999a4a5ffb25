"""Drop pages that ask not to be indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.frontier.base import Outcome
from sitecrawl.items import DropDocument
from sitecrawl.pipelines.document import DocumentPipeline

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.items import Document
    from sitecrawl.policy.urls.rule_engine import Rules


class NoindexPipeline(DocumentPipeline):
    """Obey noindex and unavailable_after by the verdict of the meta-robots middleware.

    A start that the patterns of wanted pages do not match is read for its links alone.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NoindexPipeline:
        """Ask the spider's rules about starts that are only there for their links."""
        spider: Any = crawler.spider
        return cls(spider.rules)

    def process_document(self, document: Document) -> None:
        """Drop what must not be indexed."""
        due = document.visit.due
        if not self._rules.recheck(due.url, depth=due.depth, via=due.via).indexed:
            raise DropDocument(Outcome.NOINDEX, "start_for_links")
        if document.robots.noindex:
            raise DropDocument(Outcome.NOINDEX, document.robots.noindex)
