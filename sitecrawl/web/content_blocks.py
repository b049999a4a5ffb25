"""Blocks of a document's main content, whatever format it was read from."""

from __future__ import annotations

from typing import NamedTuple


class ContentBlock(NamedTuple):
    """A heading, paragraph, list item, table row or listing, in reading order.

    ``text`` are its lines as the body has them, ``markdown`` the same as Markdown; empty where
    both are equal. ``level`` is that of a heading, 0 for any other block, ``anchor`` the id by
    which a heading can be linked. ``page`` is the number of the page in a file, from 1; 0 where
    there are none. In Markdown a ``tight`` block stands on the line after the one before it, as
    items and rows do, any other after an empty line. ``lead`` is Markdown that must come first
    where a text begins with this block: the head of its table.
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
