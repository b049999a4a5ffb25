"""Comments that exclude sections of a page from indexing or link following."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import tag_number
from sitecrawl.web.html.walk import Enter, Leave, Mark, Walk, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


MAX_LENGTH = 200


# Opening and closing comment of each form that search engines document, in lower case with
# single spaces; googleoff and robots have their own grammar below.
FORMS = (
    ("noindex", "/noindex"),
    ("start noindex", "end noindex"),
    ("begin noindex", "end noindex"),
    ("noindex start", "noindex end"),
    ("noindex_start", "noindex_end"),
    ("htdig_noindex", "/htdig_noindex"),
    ("sphider_noindex", "/sphider_noindex"),
    ("udmcomment", "/udmcomment"),
    ("stopindex", "startindex"),
    ("eri-no-index", "/eri-no-index"),
    ("freefind begin no index", "freefind end no index"),
    ("zoomstop", "zoomrestart"),
)
NOFOLLOW_FORMS = (("zoomstopfollow", "zoomrestartfollow"), ("nofollow", "/nofollow"))
_ROBOTS = re.compile(r"(/?)\s*robots\b[\s:]*(?:content\s*=\s*)?[\"']?([a-z, ]*)[\"']?\s*/?")
_GOOGLE = re.compile(r"google(on|off)\s*:\s*(\w+)")


@lru_cache(maxsize=16)
def marker_table(added: tuple[str, ...]) -> dict[str, Mark]:
    """Marks by comment text; ``added`` has further forms as ``opening|closing``."""
    table: dict[str, Mark] = {}
    pairs = [(normal(opening), normal(closing)) for opening, _, closing in map(_parted, added)]
    for opening, closing in (*FORMS, *pairs):
        table[opening] = Mark(closing, opens=True)
        table[closing] = Mark(closing, opens=False)
    for opening, closing in NOFOLLOW_FORMS:
        table[opening] = Mark(closing, opens=True, noindex=False, nofollow=True)
        table[closing] = Mark(closing, opens=False, noindex=False, nofollow=True)
    return table


def _parted(marker: str) -> tuple[str, str, str]:
    return marker.partition("|")


def normal(comment: str) -> str:
    """A comment in the normal form that the tables use."""
    return " ".join(comment.lower().split()).replace("/ ", "/")


def read_marker(comment: str, table: dict[str, Mark]) -> Mark | None:
    """Return the mark of a comment; None for ordinary comments."""
    if len(comment) > MAX_LENGTH:
        return None
    text = normal(comment)
    return table.get(text) or _google(text) or _robots(text)


def _google(text: str) -> Mark | None:
    """Read ``googleoff: index`` and ``all``; ``anchor`` and ``snippet`` forbid nothing here."""
    matched = _GOOGLE.fullmatch(text)
    if matched is None or matched[2] not in {"index", "all"}:
        return None
    return Mark("google", opens=matched[1] == "off")


def _robots(text: str) -> Mark | None:
    """Read ``robots content="noindex"`` ... ``/robots``, the form of FDSE."""
    matched = _ROBOTS.fullmatch(text)
    if matched is None:
        return None
    values = set(re.split(r"[\s,]+", matched[2]))
    if matched[1]:
        return Mark("robots", opens=False)
    noindex = bool(values & {"noindex", "none"})
    nofollow = bool(values & {"nofollow", "none"})
    return (
        Mark("robots", opens=True, noindex=noindex, nofollow=nofollow)
        if noindex or nofollow
        else None
    )


# Elements whose content is read at their start: ALT, or markup stored as text in the tree.
_TEXT_AT_START = frozenset(map(tag_number, ("img", "area", "noscript", "noframes", "script")))


def removed(inner: Enter | None) -> Enter:
    """An action that drops the text of an element but keeps its links."""

    def enter_removed(walk: Walk, node: LexborNode) -> Leave | None:
        at_start = node.tag_id in _TEXT_AT_START
        if at_start:
            walk.text.mute()
        leave = inner(walk, node) if inner is not None else None
        if leave is skip:
            if at_start:
                walk.text.unmute()
            return skip
        if not at_start:  # mute only now: a block first ends the line before it
            walk.text.mute()

        def leave_removed(walk: Walk, node: LexborNode) -> None:
            walk.text.unmute()
            if leave is not None:
                leave(walk, node)

        return leave_removed

    return enter_removed


def enter_comment(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin or end a section at a comment that marks one.

    Sections of one form do not nest: one closing comment ends a section opened twice.
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
    """Apply (1) or revert (-1) the effects of a mark."""
    if mark.noindex and step > 0:
        walk.text.mute()
    elif mark.noindex:
        walk.text.unmute()
    walk.nofollow += step if mark.nofollow else 0


def close_sections(walk: Walk) -> None:
    """Report sections that are still open at the end of the page."""
    if walk.marks:
        walk.cuts.append("unclosed_section")
