"""Links that an HTML parser drops: frames outside a frameset, and content beside one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.html.actions import action_tables, enter_named
from sitecrawl.web.html.elements import root_number
from sitecrawl.web.html.head import read_head
from sitecrawl.web.html.links import link_patterns
from sitecrawl.web.html.walk import Enter, Leave, Tables, Walk, first_node

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.read_options import ReadOptions


_FRAME = re.compile(rb"<frame(set)?(?=[\s/>])", re.IGNORECASE)
# HTML, 13.2.6.4.7: a param is a void element, and is kept anywhere in a body.
_PLACEHOLDER_TAG, _MARK = "param", "frame-stood-here"
_REPLACEMENTS = {True: b"<param", False: b"<param frame-stood-here"}


def read_dropped_links(markup: bytes, walk: Walk) -> Walk:
    """Return a walk with the links of the whole markup; ``walk`` itself if there are no frames.

    The parser drops either the content beside a frameset, or the frameset with its frames
    (HTML, 13.2.6.4.7 and 19). So the markup is read once more with frames and framesets replaced.
    """
    if _FRAME.search(markup) is None:
        return walk
    plain = _FRAME.sub(lambda tag: _REPLACEMENTS[tag[1] is not None], markup)
    root = LexborHTMLParser(plain, scripting=True).root
    if root is None:
        return walk
    again = Walk(_tables(walk.options), enter_named, walk.options)
    again.host = walk.host
    again.text.mute()
    read_head(root, again)
    again.read(first_node(root))
    return again


@lru_cache(maxsize=64)
def _tables(options: ReadOptions) -> Tables:
    """Action tables that treat the placeholders of frames as frames."""
    table, plain, runs = action_tables(options)
    patterns = link_patterns(options).get("frame", ())
    number = root_number(f"<{_PLACEHOLDER_TAG}>")
    inner: Enter | None = table[number]

    def enter_stand_in(walk: Walk, node: LexborNode) -> Leave | None:
        if _MARK not in node.attributes:
            return inner(walk, node) if inner is not None else None
        if not walk.nofollow:
            walk.found.append((node, patterns, walk.via))
        return None

    return {**table, number: enter_stand_in}, plain, runs
