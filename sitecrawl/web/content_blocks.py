"""Blocks of a document's main content, independent of the format it was read from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class ContentBlock:
    """A heading, paragraph, list item, table row or listing, in reading order.

    ``text`` holds the lines as they appear in the body, ``markdown`` the same lines as Markdown, or
    nothing if both are equal. ``level`` is the level of a heading, 0 for any other block;
    ``anchor`` is the id by which a heading can be linked. ``page`` is the page number in a file,
    from 1, or 0 if the format has no pages. In Markdown, a ``tight`` block begins on the next line,
    as items and rows do; other blocks follow an empty line. ``lead`` is Markdown to write first if
    a text begins with this block: the head of its table.
    """

    text: str
    markdown: str = ""
    level: int = 0
    anchor: str = ""
    page: int = 0
    tight: bool = False
    lead: str = ""

    @property
    def shown(self) -> str:
        """The block as Markdown."""
        return self.markdown or self.text
