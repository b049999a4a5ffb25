"""The context of each line of text: its region of the page, and the element it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.elements import REGIONS
from sitecrawl.web.walk import Enter, Leave, Walk, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def in_context(inner: Enter) -> Enter:
    """An action that notes the element for the lines within it."""

    def enter_context(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        outer = walk.text.context
        tag = node.tag or ""
        region = tag if tag in REGIONS else outer[0] if outer else ""
        walk.text.context = (region, tag)

        def leave_context(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            walk.text.context = outer

        return leave_context

    return enter_context
