"""Gives a finished record the shape and the names that the user's index has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.items import Record
from sitecrawl.policy.documents.presets import written

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.policy.documents.options import DocumentOptions


class OutputPipeline:
    """Applies ``preset`` and ``field_map``; the crawl database keeps what the contract has."""

    def __init__(self, options: DocumentOptions) -> None:
        self._options = options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OutputPipeline:
        """Built with the spider's configuration."""
        spider: Any = crawler.spider
        return cls(spider.configuration.params.document_options())

    def process_item(self, item: Any) -> Any:
        """Write a record as the options say; other items pass."""
        return Record(item.seq, written(item, self._options)) if isinstance(item, Record) else item
