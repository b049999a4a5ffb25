"""Fills the document's fields from the facts of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.pipelines.document import DocumentPipeline

if TYPE_CHECKING:
    from sitecrawl.items import Document


class MappingPipeline(DocumentPipeline):
    """Title, text, language and headings."""

    def process_document(self, document: Document) -> Document:
        """Add the fields."""
        page = document.page
        document["title"] = page.title
        document["body"] = page.text
        document["language"] = page.language
        return document
