"""Links of headings that are none of their words: to themselves, and to edit what follows."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.web.elements import ANCHOR, SPAN, TEXT

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# What documentation tools write there. Read the Docs has a letter of its icon font (U+F0C1),
# Docusaurus and VitePress only a zero width space, with an icon from the style sheet.
PERMALINKS = frozenset("¶#§🔗∞⚓\uf0c1")
ZERO_WIDTH = "\u200b"
_AROUND = f"{ZERO_WIDTH} \n\t"
MAX_WRAPPERS = 3  # elements around the link: Node.js has a span
EDIT_LINKS = "mw-editsection"  # MediaWiki's [edit], in headings up to its version 1.43
MOST_NODES = 64  # of such links that are looked at


def take_permalink(heading: LexborNode) -> str | None:
    """Take the sign out of a heading's link to itself; the anchor it names, None without one."""
    only = heading.first_child
    if only is not None and only.next is None and only.tag_id == TEXT:  # most are words alone
        return None
    _drop_edit_links(heading.last_child)
    for side in ("last", "first"):
        link = _link_at(heading, side)
        if link is None or not _is_sign(link.text()):
            continue
        href = link.attributes.get("href") or ""
        if side == "last" or href.startswith("#"):
            while (part := link.first_child) is not None:
                part.decompose()
            return href[1:] if href.startswith("#") else ""
    return None


def _drop_edit_links(last: LexborNode | None) -> None:
    """Take the words out of what a heading ends with if these are links to edit; they stay links."""
    if last is None or last.tag_id != SPAN or last.attributes.get("class") != EDIT_LINKS:
        return
    for node in list(islice(last.traverse(include_text=True), MOST_NODES)):
        if node.is_text_node:
            node.decompose()


def _link_at(heading: LexborNode, side: str) -> LexborNode | None:
    """The link that a heading begins or ends with."""
    node = _child(heading, side)
    for _ in range(MAX_WRAPPERS):
        if node is None or node.is_text_node or node.tag_id == ANCHOR:
            break
        node = _child(node, side)
    return node if node is not None and node.tag_id == ANCHOR else None


def _child(node: LexborNode, side: str) -> LexborNode | None:
    """The first or last child that is to be seen."""
    is_last = side == "last"
    child = node.last_child if is_last else node.first_child
    while child is not None and _is_nothing(child):
        child = child.prev if is_last else child.next
    return child


def _is_nothing(node: LexborNode) -> bool:
    """Whether a node is white space, a comment or an anchor around nothing."""
    if node.is_element_node:
        return node.tag_id == ANCHOR and node.first_child is None
    return not (node.text_content or "").strip()


def _is_sign(text: str) -> bool:
    """Whether the text of a link is nothing but a sign."""
    sign = text.strip(_AROUND)
    return sign in PERMALINKS or (not sign and ZERO_WIDTH in text)
