"""Regions of a page: lines of elements with a meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

CONTENT, MAIN, ARTICLE, LANDMARK, COOKIES = "content", "main", "article", "landmarks", "cookies"
BLOCK, LIST, FORM, CONTROL, MENU = "block", "list", "forms", "controls", "menu"
NOTE = "note"  # an aside within a main element or article
LABEL = "label"  # words of a drawing
TOLD = "told"  # code, a quotation or a caption, which tells something however short it is
ENTRY = "entry"  # a form that asks for an address, a number, a password or a message


class Region(NamedTuple):
    """Lines of one element: its kind, the index of the first line, and the exclusive end.

    ``links`` is the number of links in a block, and ``onward`` of those to pages in the order of the
    site, such as the next one. ``classes`` is its class attribute.
    """

    kind: str
    start: int
    end: int
    links: int = 0
    onward: int = 0
    classes: str = ""


def merged(regions: Iterable[Region]) -> list[Region]:
    """The outermost regions in order, without those nested in others."""
    found: list[Region] = []
    for region in sorted(regions, key=lambda each: (each.start, -each.end)):
        if not found or region.start >= found[-1].end:
            found.append(region)
    return found
