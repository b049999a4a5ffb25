"""Gives the fields of a finished record the names that the user's index has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.items import Record
from sitecrawl.policy.documents.fields import rename

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class OutputPipeline:
    """Applies ``field_map`` to what goes out; the crawl database keeps the names of the contract."""

    def __init__(self, field_map: tuple[tuple[str, str], ...]) -> None:
        self._field_map = field_map

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OutputPipeline:
        """Built with the spider's configuration."""
        spider: Any = crawler.spider
        return cls(spider.configuration.params.document_options().field_map)

    def process_item(self, item: Any) -> Any:
        """Rename the fields of a record; other items pass."""
        if not self._field_map or not isinstance(item, Record):
            return item
        return Record(item.seq, rename(item, self._field_map))
