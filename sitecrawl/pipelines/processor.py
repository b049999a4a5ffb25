"""Scrapy's pipeline manager, which also checks that every document is recorded."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager

from sitecrawl.items import Document
from sitecrawl.pipelines.change import ChangePipeline
from sitecrawl.pipelines.document import DocumentPipeline, current_document
from sitecrawl.pipelines.output import OutputPipeline

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

BEFORE = "it gets documents that are not complete"
BEHIND = "what it makes is neither stored nor exported, and it does not see every line"
SECOND = "its page already has a document"
MISPLACED = "The pipeline %s has a number outside 0 to 1000: %s."

logger = logging.getLogger(__name__)


class DocumentProcessor(ItemPipelineManager):
    """Pass each document through all pipelines to the crawl database.

    A project's pipeline may replace the document with an item of its own: the output pipeline still
    finds the visit. A document that does not arrive there counts as failed, so that its visit ends.
    """

    def __init__(self, *pipelines: Any, crawler: Crawler | None = None) -> None:
        super().__init__(*pipelines, crawler=crawler)
        for name, why in misplaced(pipelines):
            logger.warning(MISPLACED, name, why)

    async def process_item_async(self, item: Any) -> Any:
        """Process an item; raises DropItem, and RuntimeError for a document that was lost."""
        document = item if isinstance(item, Document) else None
        if document is not None and document.visit.has_ended:
            raise DropItem(SECOND, log_level="WARNING")
        token = current_document.set(document)
        try:
            result = await super().process_item_async(item)
        finally:
            current_document.reset(token)
        if document is not None and not document.visit.has_ended:
            raise RuntimeError("OutputPipeline has not seen this document")
        return result


def misplaced(pipelines: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield pipelines of the project that run before documents are complete, and the effect."""
    complete = stored = False
    for each in pipelines:
        if isinstance(each, OutputPipeline):
            stored = True
        elif isinstance(each, DocumentPipeline):
            complete = complete or isinstance(each, ChangePipeline)
        elif stored or not complete:
            yield type(each).__qualname__, BEHIND if stored else BEFORE
