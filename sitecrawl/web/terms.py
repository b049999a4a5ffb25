"""Terms of definition lists, and what documentation tools write right behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.elements import ANCHOR, SPAN
from sitecrawl.web.permalinks import take_permalink
from sitecrawl.web.walk import Leave, Walk, leave_block

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def enter_term(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a line; part the term from its types (``axis``, ``int``), and drop its permalink.

    Docutils leaves it to the style sheet to write a colon between the two.
    """
    walk.text.flush()
    last = node.last_child
    if last is not None and last.tag_id == ANCHOR and last.text() == "#":  # ¶ goes with its line
        take_permalink(node)
    while last is not None and last.tag_id == SPAN:
        before = last.prev
        if before is None or not _is_classifier(last):
            break
        last.insert_before(" ")
        last = before
    return leave_block


def _is_classifier(node: LexborNode) -> bool:
    """Whether an element says of what type the term before it is."""
    return node.attributes.get("class") == "classifier"
