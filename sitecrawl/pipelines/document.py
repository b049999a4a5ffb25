"""Base class of the pipelines that process documents."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from sitecrawl.items import Document

current_document: ContextVar[Document | None] = ContextVar("current_document", default=None)
"""Key of the document in the pipelines, even after one has returned another item."""


class DocumentPipeline:
    """Process documents; pass the items of a project's own spiders unchanged."""

    def process_item(self, item: Any) -> Any:
        """Process a document; raise DropItem if it is not to be written."""
        if isinstance(item, Document):
            self.process_document(item)
        return item

    def process_document(self, document: Document) -> None:
        """Change the document in place."""
