"""SVG and MathML: words that lie apart on the screen, though nothing parts them in the markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.walk import Leave, Walk, enter_block, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

FOREIGN = frozenset({"svg", "math"})
# HTML, 13.2.6: what stands in these is HTML again.
INTEGRATING = frozenset({"foreignobject", "desc", "mi", "mo", "mn", "ms", "mtext"})
MAX_GROUPS = 32  # elements that parts of a drawing lie in


def enter_formula(_walk: Walk, node: LexborNode) -> Leave | None:
    """Pass over the MathML that KaTeX hides: what it shows in its place is text as well."""
    parent = node.parent
    return skip if parent is not None and parent.attributes.get("class") == "katex-mathml" else None


def enter_span(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a line at a span of SVG text with a position of its own: how labels are wrapped."""
    return enter_block(walk, node) if "x" in node.attributes else None


def enter_fraction(walk: Walk, node: LexborNode) -> Leave | None:
    """Part numerator and denominator from each other, and from what stands around them."""
    above = node.first_child
    while above is not None and not above.is_element_node:
        above = above.next
    if above is not None:
        above.insert_after(" ")
    walk.text.pieces.append(" ")
    return leave_fraction


def leave_fraction(walk: Walk, _node: LexborNode) -> None:
    """End a fraction."""
    walk.text.pieces.append(" ")


def is_html(node: LexborNode) -> bool:
    """Whether an element is one of HTML, not of SVG or MathML around it as far up as one looks."""
    parent = node.parent
    for _ in range(MAX_GROUPS):
        if parent is None or parent.tag in INTEGRATING:
            break
        if parent.tag in FOREIGN:
            return False
        parent = parent.parent
    return True


def is_drawn(node: LexborNode) -> bool:
    """Whether an element is part of an SVG image, as far up as one looks."""
    parent = node.parent
    for _ in range(MAX_GROUPS):
        if parent is None or parent.tag == "svg":
            break
        parent = parent.parent
    return parent is not None and parent.tag == "svg"
