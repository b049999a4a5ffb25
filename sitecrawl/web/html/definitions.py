"""Definitions: terms, table rows and paragraphs that have an anchor of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import ANCHOR
from sitecrawl.web.html.page import Definition
from sitecrawl.web.html.text import cleaned
from sitecrawl.web.html.text_elements import anchor_within, enter_term
from sitecrawl.web.html.walk import Leave, Walk, leave_block

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DEFINITIONS = 20_000  # of one page, as of headings
MAX_TERM = 300  # characters
NAMES = frozenset({"code", "dfn", "strong", "b"})
"""Elements in which a paragraph names what it defines, at its start."""


def enter_definition_term(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a term; each of its lines is one, as of ``-v<br>--verbose``."""
    anchor = node.id or anchor_within(node)
    leave = enter_term(walk, node)
    return _leaving(walk, anchor) if anchor else leave


def enter_row(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a row; if it has an anchor, its first cell is the term."""
    walk.text.flush()
    return _leaving(walk, node.id, lines=1) if node.id else leave_block


def enter_paragraph(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a paragraph; if it has an anchor, the name that it begins with is the term."""
    walk.text.flush()
    first, anchor = node.first_child, None
    while first is not None and (first.tag_id == ANCHOR or not first.is_element_node):
        if (first.text() if first.is_element_node else first.text_content or "").strip():
            return leave_block
        anchor = anchor or first.attributes.get("id")
        first = first.next
    if first is None or first.tag not in NAMES:  # true of nearly all, whose id is not read
        return leave_block
    anchor = node.id or anchor
    return _leaving(walk, anchor, " ".join(first.text().split())) if anchor else leave_block


def _leaving(walk: Walk, anchor: str, name: str = "", *, lines: int | None = None) -> Leave:
    start = len(walk.text.lines)
    return partial(_leave, start=start, anchor=anchor, name=name, lines=lines)


def _leave(
    walk: Walk, node: LexborNode, *, start: int, anchor: str, name: str, lines: int | None
) -> None:
    """End the element; drop a definition without text."""
    walk.text.flush()
    if len(walk.definitions) >= MAX_DEFINITIONS:
        walk.cut("too_many_definitions")
        return
    text = walk.text.lines[start:][:lines]
    # A function's signature is one term, a parameter a line; the search takes 2 µs.
    is_one = name or (len(text) > 1 and node.css_first("dl") is not None)
    terms = [name or " ".join(text)] if is_one else text
    for number, term in enumerate(terms if text else (), start):
        if kept := cleaned(term[:MAX_TERM]):
            walk.definitions.append((number, Definition(kept, anchor)))
