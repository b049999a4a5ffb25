"""Regions of a page: lines of elements with a meaning."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

CONTENT, MAIN, ARTICLE, LANDMARK, COOKIES = "content", "main", "article", "landmarks", "cookies"
BLOCK, LIST, FORM, CONTROL, MENU = "block", "list", "forms", "controls", "menu"
NOTE = "note"  # an aside within a main element or article
LABEL = "label"  # words of a drawing
TOLD = "told"  # code, a quotation or a caption, which tells something however short it is
ENTRY = "entry"  # a form that asks for an address, a number, a password or a message


class Region(NamedTuple):
    """Lines of one element: its kind, the index of the first line, and the exclusive end.

    ``links`` is the number of links in a block, and ``classes`` its class attribute.
    """

    kind: str
    start: int
    end: int
    links: int = 0
    classes: str = ""


def sums(values: Iterable[int]) -> array[int]:
    """The sum of the values before each, and of all: numbers of a list take four times the memory."""
    return array("q", accumulate(values, initial=0))


def covered(regions: Iterable[Region], count: int) -> bytearray:
    """A byte for each of ``count`` lines, 1 if it stands in one of the regions, else 0."""
    marks = bytearray(count)
    for each in regions:
        marks[each.start : each.end] = b"\1" * (each.end - each.start)
    return marks


def merged(regions: Iterable[Region]) -> list[Region]:
    """The outermost regions in order, without those nested in others."""
    found: list[Region] = []
    for region in sorted(regions, key=lambda each: (each.start, -each.end)):
        if not found or region.start >= found[-1].end:
            found.append(region)
    return found
