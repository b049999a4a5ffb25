"""Preformatted text, and the numbers of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitecrawl.web.elements import SPAN, TEXT
from sitecrawl.web.walk import Leave, Walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# The spans in which Pygments and Chroma (Hugo) write the number of a line before the line.
NUMBERS = frozenset({"linenos", "ln", "lineno"})
MAX_WRAPPERS = 4  # around the first number: code, and a span for the line


def enter_pre(walk: Walk, node: LexborNode) -> Leave | None:
    """Keep the lines of preformatted text, and part the numbers of lines from them."""
    walk.text.flush()
    for number in _numbers(node):
        number.insert_after(" ")
    return leave_pre


def leave_pre(walk: Walk, _node: LexborNode) -> None:
    """End the lines of preformatted text."""
    walk.text.flush_lines(keep_space=walk.options.keep_pre)


def _numbers(pre: LexborNode) -> list[LexborNode]:
    """The numbers of lines: beside one another (Pygments), or first in each line (Chroma)."""
    number = _first_number(pre)
    line = number.parent if number is not None else None
    if number is None or line is None:
        return []
    if line.tag_id == SPAN:
        starts = [child for node in _from(line) if (child := node.first_child) is not None]
    else:
        starts = list(_from(number))
    return [node for node in starts if _is_number(node)]


def _first_number(pre: LexborNode) -> LexborNode | None:
    """The number of a line that preformatted text begins with."""
    node = pre.first_child
    for _ in range(MAX_WRAPPERS):
        if node is not None and node.tag_id == SPAN and node.first_child is None:
            node = node.next  # Pygments begins with an empty one
        if node is None or node.tag_id == TEXT:
            return None
        if _is_number(node):
            return node
        node = node.first_child
    return None


def _is_number(node: LexborNode) -> bool:
    """Whether an element holds the number of a line."""
    return node.tag_id == SPAN and node.attributes.get("class") in NUMBERS


def _from(node: LexborNode | None) -> Iterator[LexborNode]:
    """A node and what stands beside it, to the end."""
    while node is not None:
        yield node
        node = node.next
