"""Drop pages that ask not to be indexed, or forbid the purpose of the crawl."""

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
    """Apply noindex, unavailable_after and usage, as judged by the meta-robots middleware.

    A start that does not match the patterns of wanted pages is read only for its links.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NoindexPipeline:
        """Use the spider's rules to recognise starts that are read only for their links."""
        spider: Any = crawler.spider
        return cls(spider.rules)

    def process_document(self, document: Document) -> None:
        """Drop a page that must not be indexed; add the ``usage`` field to others."""
        due = document.visit.due
        if not self._rules.recheck(due.url, depth=due.depth, via=due.via).indexed:
            raise DropDocument(Outcome.NOINDEX, "start_for_links")
        if document.robots.noindex:
            raise DropDocument(Outcome.NOINDEX, document.robots.noindex)
        if forbidden := document.robots.forbidden:
            raise DropDocument(Outcome.USAGE_FORBIDDEN, *forbidden)
        if document.robots.usage:
            document["usage"] = document.robots.usage
