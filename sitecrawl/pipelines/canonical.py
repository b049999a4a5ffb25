"""Mark pages that name another URL as their canonical one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.pipelines.document import DocumentPipeline

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.items import Document


class CanonicalPipeline(DocumentPipeline):
    """Make a page's canonical URL a candidate; the frontier checks the claim.

    A claim that the crawl cannot check (another scheme, out of scope) has no effect, and none has
    with ``duplicates=keep``.
    """

    def __init__(self, discovery: Discovery, *, merges: bool) -> None:
        self._discovery = discovery
        self._merges = merges

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CanonicalPipeline:
        """Use the rules through discovery."""
        spider: Any = crawler.spider
        merges = spider.configuration.params.duplicates != "keep"
        return cls(crawl_of(crawler).discovery, merges=merges)

    def process_document(self, document: Document) -> None:
        """Record the canonical URL and outcome in the visit; the document is processed further."""
        canonical, visit = document.page.canonical, document.visit
        if canonical is None:
            return
        document["canonical_url"] = canonical
        if self._merges:
            visit.canonical_found(self._discovery.canonical(visit.due, canonical))
