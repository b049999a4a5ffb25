"""The description of a document, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.policy.documents.summary import summary
from sitecrawl.policy.documents.words import cut_at_word

if TYPE_CHECKING:
    from sitecrawl.policy.documents.options import DocumentOptions
    from sitecrawl.web.page import Page

METAS = {
    "meta": ("description",),
    "dublin_core": ("dcterms.description", "dc.description", "dcterms.abstract"),
    "opengraph": ("og:description", "twitter:description"),
}
SOURCES = frozenset({*METAS, "json_ld", "heading", "top", "summary"})
_TOP = 2_000  # characters of text that an extract may be taken from, white space included


def document_description(page: Page, options: DocumentOptions) -> tuple[str, str]:
    """The first description in the order of the options, and the name of its source.

    A page that asks for no snippet has none.
    """
    if page.directives.nosnippet:
        return "", ""
    for source in options.description_order:
        written = source in METAS or source == "json_ld"
        limit = options.description_length if written else options.auto_description_length
        text = description_from(source, page, limit)
        if text:
            return cut_at_word(text, limit, page.language), source
    return "", ""


def description_from(source: str, page: Page, limit: int) -> str:
    """What one source gives, uncut; of the text enough to be cut at ``limit``.

    Advertisements are no part of it: with another one it would change at each visit.
    """
    if source in METAS:
        return next((page.metas[name][0] for name in METAS[source] if name in page.metas), "")
    if source == "json_ld":
        return next(iter(page.json_ld.get("description", ())), "")
    text = page.stable_text or page.text
    if source == "heading":
        return _line(text, page.heading_at, limit) if page.heading_at >= 0 else ""
    return summary(text) if source == "summary" else _line(text, 0, limit)


def _line(text: str, start: int, limit: int) -> str:
    """The text from ``start`` in one line, more than ``limit`` characters where it has them."""
    line = " ".join(text[start : start + min(2 * limit, _TOP)].split())
    return line if len(line) > limit else " ".join(text[start : start + _TOP].split())
