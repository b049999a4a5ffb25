"""What the pipelines of this project have in common."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from sitecrawl.items import Document

current_document: ContextVar[Document | None] = ContextVar("current_document", default=None)
"""The document that is on its way through the pipelines, whatever item they made of it."""


class DocumentPipeline:
    """Acts on documents; the items of a project's own spiders pass untouched."""

    def process_item(self, item: Any) -> Any:
        """Process a document; raise DropItem for what is not to be written."""
        if isinstance(item, Document):
            self.process_document(item)
        return item

    def process_document(self, document: Document) -> None:
        """Change the document in place."""
