"""The words of a link, for the page that it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.elements import INLINE, SILENT, TEXT, tag_number
from sitecrawl.web.text import SOFT_HYPHEN

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE = frozenset(map(tag_number, INLINE))
# A noscript holds markup, the title of an icon is for its tooltip.
_SILENT = frozenset(map(tag_number, (*SILENT, "script", "noscript", "title")))
_SPACELESS = "\u0e00"  # from Thai on; alphabets with spaces come before, nearly all


def link_text(link: LexborNode) -> str:
    """The words that a link shows, in one line: parted by blocks, not by inline elements."""
    parts: list[str] = []
    around: list[LexborNode] = []
    node = link.first_child
    while node is not None or around:
        if node is None:
            node = around.pop()
            _part(parts, node)
        elif node.tag_id == TEXT:
            parts.append(node.text_content or "")
        elif node.is_element_node and node.tag_id not in _SILENT:
            _part(parts, node)
            around.append(node)
            node = node.first_child
            continue
        node = node.next
    return " ".join("".join(parts).replace(SOFT_HYPHEN, "").split())


def meet(before: LexborNode, link: LexborNode) -> bool:
    """Whether two links, one right behind the other, make one word of two.

    Not those of one address, which editors split within a word, nor in a script without spaces.
    """
    end, start = before.text()[-1:], link.text()[:1]
    if not (end.isalnum() and start.isalnum()) or max(end, start) >= _SPACELESS:
        return False
    hrefs = before.attributes.get("href"), link.attributes.get("href")
    return None not in hrefs and hrefs[0] != hrefs[1]


def _part(parts: list[str], node: LexborNode) -> None:
    """Part words at one end of a block."""
    if node.tag_id not in _INLINE:
        parts.append(" ")
