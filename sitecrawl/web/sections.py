"""Sections of a page whose text is left out: by element, by class, or between comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.markers import Mark, marker_table, read_marker
from sitecrawl.web.walk import Enter, Leave, Walk, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def removed(inner: Enter | None) -> Enter:
    """An action that drops the text of an element and still finds its links."""

    def enter_removed(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if leave is skip:
            return skip
        walk.text.mute()

        def leave_removed(walk: Walk, node: LexborNode) -> None:
            walk.text.unmute()
            if leave is not None:
                leave(walk, node)

        return leave_removed

    return enter_removed


def enter_comment(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin or end a section at a comment that marks one."""
    table = marker_table(walk.options.noindex_markers)
    mark = read_marker(node.comment_content or "", table)
    if mark is not None and mark.opens:
        walk.marks.setdefault(mark.form, []).append(mark)
        apply_mark(walk, mark, 1)
    elif mark is not None and walk.marks.get(mark.form):
        apply_mark(walk, walk.marks[mark.form].pop(), -1)
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
    if any(walk.marks.values()):
        walk.cuts.append("unclosed_section")
