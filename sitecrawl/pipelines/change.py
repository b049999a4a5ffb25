"""Finds out whether a page's content differs from what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.pipelines.document import DocumentPipeline
from sitecrawl.web.content_hash import content_hash

if TYPE_CHECKING:
    from sitecrawl.items import Document


class ChangePipeline(DocumentPipeline):
    """Gives the visit the hash of the page's text and links.

    The frontier compares it with the last one, and with those of other pages, in the
    transaction that writes the visit.
    """

    def process_document(self, document: Document) -> Document:
        """Add the hash."""
        document.visit.content_hash = content_hash(document.page)
        return document
