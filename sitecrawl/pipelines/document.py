"""What the pipelines of this project have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from sitecrawl.items import Document

if TYPE_CHECKING:
    from sitecrawl.frontier.base import Outcome


class DocumentPipeline:
    """Sees documents on their way to the crawl database.

    Everything else passes untouched: records that come back from the outbox, and the
    items of a project's own spiders.
    """

    def process_item(self, item: Any) -> Any:
        """Process a document; raise DropItem for what is not to be written."""
        return self.process_document(item) if isinstance(item, Document) else item

    def process_document(self, document: Document) -> Any:
        """The document to go on with."""
        return document


def drop(document: Document, outcome: Outcome, reason: str) -> DropItem:
    """The exception that keeps a document out, its visit having the outcome for it."""
    document.visit.outcome = outcome
    document.visit.reason = reason
    return DropItem(reason, log_level="DEBUG")
