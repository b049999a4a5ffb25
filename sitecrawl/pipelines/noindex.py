"""Keeps out pages that ask not to be indexed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.frontier.base import Outcome
from sitecrawl.pipelines.document import DocumentPipeline, drop

if TYPE_CHECKING:
    from sitecrawl.items import Document


class NoindexPipeline(DocumentPipeline):
    """Obeys noindex and unavailable_after, from the page or its headers."""

    def process_document(self, document: Document) -> Document:
        """Drop what must not be indexed."""
        directives = document.page.directives
        if directives.noindex:
            raise drop(document, Outcome.NOINDEX, "noindex")
        after = directives.unavailable_after
        if after is not None and after <= datetime.now(UTC):
            raise drop(document, Outcome.NOINDEX, "unavailable_after")
        return document
