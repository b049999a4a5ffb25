"""Headings, and the anchor by which each can be linked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sitecrawl.web.page import Heading
from sitecrawl.web.permalinks import take_permalink
from sitecrawl.web.text import cleaned

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.walk import Leave, Walk

MOST_HEADINGS = 20_000  # of one page; the HTML standard has 2,000
LONGEST = 10_000  # characters of a heading; headings within headings each tell of all inside
SENTENCE_LENGTH = 60  # characters; lines of menus are shorter
_SECTIONS = frozenset({"section", "article", "div"})


def enter_heading(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a heading: its text is the lines until its end."""
    walk.text.flush()
    walk.heading_start = len(walk.text.lines)
    permalink = take_permalink(node)
    return partial(leave_heading, permalink=permalink) if permalink else leave_heading


def leave_heading(walk: Walk, node: LexborNode, permalink: str = "") -> None:
    """End a heading; one without text is none."""
    walk.text.flush()
    if len(walk.headings) >= MOST_HEADINGS:
        walk.cut("too_many_headings")
        return
    text = " ".join(walk.text.lines[walk.heading_start :])
    if text:
        level = int((node.tag or "h1")[1])
        heading = Heading(level, cleaned(text[:LONGEST]), _anchor(node, permalink))
        walk.headings.append((walk.heading_start, len(walk.text.lines), heading))


def _anchor(heading: LexborNode, permalink: str) -> str:
    """The id of the heading, its permalink, an anchor within, or its section's id."""
    return heading.id or permalink or _inner_anchor(heading) or _section_id(heading)


def _inner_anchor(heading: LexborNode) -> str:
    for child in heading.iter():
        attributes = child.attributes
        name = attributes.get("id") or (child.tag == "a" and attributes.get("name"))
        if name:
            return name
    return ""


def _section_id(heading: LexborNode) -> str:
    """The id of the section that the heading opens."""
    before = heading.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    if before is not None:
        attributes = before.attributes
        is_anchor = before.tag in {"a", "span"}
        return (attributes.get("id") or attributes.get("name") or "") if is_anchor else ""
    parent = heading.parent
    return (parent.id or "") if parent is not None and parent.tag in _SECTIONS else ""


def useful_start(walk: Walk) -> int:
    """The line of the heading from which on the text is useful.

    The first one with a sentence right after it: a site's name and menu come before that.
    Else the first heading; -1 where there is none.
    """
    lines = walk.text.lines
    for start, end, _ in walk.headings:
        if end < len(lines) and len(lines[end]) >= SENTENCE_LENGTH:
            return start
    return walk.headings[0][0] if walk.headings else -1
