"""Finds out whether a page's content differs from what is known."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sitecrawl.pipelines.document import DocumentPipeline

if TYPE_CHECKING:
    from sitecrawl.items import Document


class ChangePipeline(DocumentPipeline):
    """Gives the visit the hash of the page's text and links.

    The frontier compares it with the last one, and with those of other pages, in the
    transaction that writes the visit.
    """

    def process_document(self, document: Document) -> Document:
        """Add the hash."""
        text = document.page.stable_text or document.page.text
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
        document.visit.content_hash = digest.hexdigest()
        return document
