"""Sections of a page whose text is left out: by element, by class, or between comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.elements import tag_number
from sitecrawl.web.markers import Mark, marker_table, read_marker
from sitecrawl.web.walk import Enter, Leave, Walk, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# All they have to tell is told when they begin: ALT, or markup that the tree has as text.
_TOLD_AT_ONCE = frozenset(map(tag_number, ("img", "area", "noscript", "noframes", "script")))


def removed(inner: Enter | None) -> Enter:
    """An action that drops the text of an element and still finds its links."""

    def enter_removed(walk: Walk, node: LexborNode) -> Leave | None:
        at_once = node.tag_id in _TOLD_AT_ONCE
        if at_once:
            walk.text.mute()
        leave = inner(walk, node) if inner is not None else None
        if leave is skip:
            if at_once:
                walk.text.unmute()
            return skip
        if not at_once:  # a block ends the line before it first
            walk.text.mute()

        def leave_removed(walk: Walk, node: LexborNode) -> None:
            walk.text.unmute()
            if leave is not None:
                leave(walk, node)

        return leave_removed

    return enter_removed


def enter_comment(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin or end a section at a comment that marks one.

    Sections of one form do not nest: an opening comment that stands twice is closed by one.
    """
    table = marker_table(walk.options.noindex_markers)
    mark = read_marker(node.comment_content or "", table)
    if mark is None:
        return skip
    begun = walk.marks.pop(mark.form, None)
    if not mark.opens:
        if begun is not None:
            apply_mark(walk, begun, -1)
        return skip
    if begun is None:
        walk.marks[mark.form] = mark
        apply_mark(walk, mark, 1)
    else:
        walk.marks[mark.form] = begun.joined(mark)
        apply_mark(walk, mark.beyond(begun), 1)
    return skip


def apply_mark(walk: Walk, mark: Mark, step: int) -> None:
    """Add (1) or take back (-1) what a mark forbids."""
    if mark.noindex and step > 0:
        walk.text.mute()
    elif mark.noindex:
        walk.text.unmute()
    walk.nofollow += step if mark.nofollow else 0


def close_sections(walk: Walk) -> None:
    """Count the sections that the end of the page closes."""
    if walk.marks:
        walk.cuts.append("unclosed_section")
