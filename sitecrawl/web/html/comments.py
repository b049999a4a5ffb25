"""Comments below an article and reviews of a product: what readers wrote, beside the page's own text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sitecrawl.web.html import page_types
from sitecrawl.web.html.furniture import ByKind, prose
from sitecrawl.web.html.part_names import ANSWER, COMMENTS, REVIEWS
from sitecrawl.web.html.regions import ARTICLE, CONTENT, Region, merged

if TYPE_CHECKING:
    from sitecrawl.web.html.walk import Walk

MIN_OWN_TEXT = 100  # characters of prose beside them; without, comments are what a page is about
MIN_OWN_SHARE = 0.25  # of the prose, but for products; below it, the page is a discussion
# Types of pages whose text readers wrote, unless these are questions and answers, with comments
# below them; and manuals, whose notes of users are a part of them.
_NONE = frozenset({page_types.THREAD, page_types.DOCUMENTATION})
# Parts of furniture that are left out of comments too: forms, buttons, and what stands apart.
OF_COMMENTS = frozenset({"forms", "controls", "apart", "furniture"})


def take_comments(walk: Walk, by_kind: ByKind, page_type: str, kept: bytearray) -> bytearray:
    """Return the lines of comments, a byte for each line, and drop them from those that are kept."""
    taken = bytearray(len(kept))
    if COMMENTS not in walk.options.keep_parts and CONTENT not in by_kind:
        for each in _regions(walk, by_kind, page_type, kept):
            taken[each.start : each.end] = kept[each.start : each.end]
            kept[each.start : each.end] = bytes(each.end - each.start)
    return taken


def _regions(walk: Walk, by_kind: ByKind, page_type: str, kept: bytearray) -> list[Region]:
    """The disjoint regions of comments, of reviews too on the page of a product.

    All of them or none: on a page that has hardly any other text they are the content. An element
    with the page's title may have a class that names them, but is none, and neither is one without
    sentences, such as the number of comments of a post in a list.
    """
    kinds = (COMMENTS, REVIEWS) if page_type == page_types.PRODUCT else (COMMENTS,)
    named = [each for kind in kinds for each in by_kind.get(kind, ())]
    if not named or (page_type in _NONE and ANSWER not in by_kind):
        return []
    lines = walk.text.lines
    sizes = [prose(line) if keep else 0 for line, keep in zip(lines, kept, strict=True)]
    titles = [start for start, _, each in walk.headings if each.level == 1]
    found = merged(
        each
        for each in named
        if any(sizes[each.start : each.end])
        and not any(each.start <= title < each.end for title in titles)
    )
    whole = sum(sizes)
    own = whole - sum(sum(sizes[each.start : each.end]) for each in found)
    share = 0 if page_type == page_types.PRODUCT else MIN_OWN_SHARE
    return found if own >= max(MIN_OWN_TEXT, whole * share) else []


def comment_lines(walk: Walk, comments: bytearray) -> list[str]:
    """The lines of comments, with an empty one before each comment but the first."""
    inside = [each for each in walk.regions if any(comments[each.start : each.end])]
    starts = {each.start for each in _single(inside)}
    lines: list[str] = []
    begins = False
    for number, keep in enumerate(comments):
        begins = begins or number in starts
        if keep:
            lines += (
                ["", walk.text.lines[number]] if begins and lines else [walk.text.lines[number]]
            )
            begins = False
    return lines


def _single(regions: Sequence[Region]) -> list[Region]:
    """The elements of single comments: articles, else the outermost that stand beside each other."""
    rest = [each for each in regions if each.kind in {COMMENTS, REVIEWS}]
    outer = merged(rest)
    articles = [each for each in regions if each.kind == ARTICLE and _is_within(each, outer)]
    while not articles and rest:
        found = merged(rest)
        if len(found) > 1:
            return found
        rest = [each for each in rest if each not in found]
    return articles


def _is_within(inner: Region, regions: Sequence[Region]) -> bool:
    return any(each.start <= inner.start and inner.end <= each.end for each in regions)
