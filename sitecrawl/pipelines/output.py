"""Store each document in the crawl database, and pass its line to the feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import Outcome
from sitecrawl.items import line_of
from sitecrawl.pipelines.document import current_document
from sitecrawl.policy.documents.fields import DOCUMENT_FIELDS, ENVELOPE, filled
from sitecrawl.policy.documents.output_shapes import serialized_parts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.items import Document
    from sitecrawl.policy.documents.document_options import DocumentOptions


class OutputPipeline:
    """Store the documents that leave the pipelines, and wait for their outbox rows.

    A page counts as done only together with its row, so a feed never gets a line that is not in the
    crawl database. The line is written as ``preset`` and ``field_map`` say. Lines without a page of
    this run (deletions, promoted copies, lines left by an earlier run) went through the pipelines
    when their page was read: they go to the feeds directly.
    """

    def __init__(self, recorder: Recorder, options: DocumentOptions) -> None:
        self._recorder = recorder
        self._options = options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OutputPipeline:
        """Share the recorder with all other components that end a visit."""
        crawl = crawl_of(crawler)
        spider: Any = crawler.spider
        return cls(crawl.recorder, spider.configuration.params.document_options())

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
    ordered = {name: fields[name] for name in DOCUMENT_FIELDS if name in fields} | fields
    stored = filled(ordered)
    values = {name: value for name, value in stored.items() if not isinstance(value, str)}
    for _ in serialized_parts(values):  # raises for a value that JSON cannot represent
        pass
    return stored
