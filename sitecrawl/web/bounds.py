"""Bounds on what a parser is given, so that its time stays linear in a page's size.

Lexbor, as browsers do, looks through the open elements at many tags and compares the names
of all attributes of a tag: nesting and attributes without end cost their square.
"""

from __future__ import annotations

import re

MAX_TAG_LENGTH = 20_000
MAX_ATTRIBUTES = 500
CHUNK = 8_192
HARMLESS = 32_768  # bytes; nothing so short takes a parser more than a fraction of a second
HARMLESS_TAGS = 8_192  # all of them open at once take it 80 ms; most pages have fewer
# These end by themselves, never hold anything, or must not be lost whatever the depth.
_SHALLOW = frozenset(
    b"a area base br col dd dt embed frame hr img input li link meta option p param script"
    b" source style tbody td tfoot th thead title tr track wbr".split()
)
# Drawings by the hundred are no nesting; a parser closes these so in HTML, too.
_DRAWN = re.compile(
    rb"<(path|use|circle|ellipse|image|line|polygon|polyline|rect|stop)(\s[^<>]*)?/>", re.IGNORECASE
)
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s<>/]*)[^<>]*>")
_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}>" % MAX_TAG_LENGTH)
_ATTRIBUTE = re.compile(rb"[\s/\"'][^\s=\"'<>/]+")
_NAME = re.compile(rb"<[^\s<>/]+")


def bounded(markup: bytes, max_bytes: int, max_depth: int) -> tuple[bytes, tuple[str, ...]]:
    """Markup that a parser reads in linear time, and the words for what was cut.

    ``too_long``: the end is missing; ``too_deep``: tags of elements within ``max_depth``
    others are missing, their content is not; ``attributes``: tags with more attributes
    than any author writes have none.
    """
    cuts = ["too_long"] if len(markup) > max_bytes else []
    markup = markup[:max_bytes]
    if _may_be_deep(markup, max_depth):
        markup = _DRAWN.sub(rb"<\1\2></\1>", markup)
        if _depth(markup) > max_depth:
            markup = _Flattening(max_depth).apply(markup)
            cuts.append("too_deep")
    if _may_have_long_tag(markup):
        plain = _LONG_TAG.sub(_without_attributes, markup)
        cuts += ["attributes"] if plain != markup else []
        markup = plain
    return markup, tuple(cuts)


def _may_be_deep(markup: bytes, max_depth: int) -> bool:
    """Whether so many elements could be open at once; counts by chunks, for speed."""
    if len(markup) < HARMLESS or markup.count(b"<") <= HARMLESS_TAGS:
        return False
    depth = 0
    for start in range(0, len(markup), CHUNK):
        ends = markup.count(b"</", start, start + CHUNK)
        starts = markup.count(b"<", start, start + CHUNK) - ends
        if depth + starts > max_depth:
            return True
        depth = max(0, depth + starts - ends)
    return False


def _depth(markup: bytes) -> int:
    """An upper bound of the nesting of a document."""
    depth = deepest = 0
    for close, name in _TAG.findall(markup):
        if name.lower() not in _SHALLOW:
            depth = max(0, depth - 1) if close else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _may_have_long_tag(markup: bytes) -> bool:
    """Whether some stretch of the length of a long tag has no end of a tag."""
    start = 0
    while start + MAX_TAG_LENGTH < len(markup):
        end = markup.rfind(b">", start, start + MAX_TAG_LENGTH)
        if end < 0:
            return True
        start = end + 1
    return False


class _Flattening:
    """Takes away the tags of elements that lie too deep, as browsers do beyond 512."""

    __slots__ = ("_below", "_depth", "_max_depth")

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._depth = 0
        self._below = 0

    def apply(self, markup: bytes) -> bytes:
        """The markup with words still parted where tags were."""
        return _TAG.sub(self._replace, markup)

    def _replace(self, tag: re.Match[bytes]) -> bytes:
        if tag[2].lower() in _SHALLOW:
            return tag[0]
        if tag[1]:
            return self._close(tag[0])
        if self._depth >= self._max_depth:
            self._below += 1
            return b" "
        self._depth += 1
        return tag[0]

    def _close(self, tag: bytes) -> bytes:
        if self._below:
            self._below -= 1
            return b" "
        self._depth = max(0, self._depth - 1)
        return tag


def _without_attributes(tag: re.Match[bytes]) -> bytes:
    """A long tag as it is (a data URL, for one), or without its too many attributes."""
    count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
    name = _NAME.match(tag[0])
    return name[0] + b">" if count > MAX_ATTRIBUTES and name else tag[0]
