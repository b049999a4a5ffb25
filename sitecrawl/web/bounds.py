"""Bounds on what a parser is given, so that its time stays linear in a page's size.

Lexbor, as browsers do, looks through the open elements at many tags and compares the names
of all attributes of a tag: nesting and attributes without end cost their square.
"""

from __future__ import annotations

import re

from sitecrawl.web.budget import MAX_TREE, fitting, without_new_names
from sitecrawl.web.nesting import FOREIGN, FORMATS, HARMLESS_COPIES, SHALLOW, TAG, Nesting

MAX_TAG_LENGTH = 20_000
MAX_ATTRIBUTES = 500
CHUNK = 8_192
HARMLESS = 12_288  # bytes; nothing so short takes a parser more than a fraction of a second
HARMLESS_TAGS = 8_192  # all of them open at once take it 80 ms; most pages have fewer
MANY_TAGS = 32_768  # from here on their ends may be for show: half a second, and its square
# What holds no tags, as far as it goes: what else is within is counted.
_ASIDE = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!doctype[^<>]*>|<script(?=[\s>])[^<>]*>.*?(?:</script>|\Z)"
    rb"|<style[^<>]*>[^<]*</style>",
    re.DOTALL | re.IGNORECASE,
)
_CLEAN = re.compile(  # a tag that cannot be misread: no other sign stands in it
    rb"<(/?[a-z][\w:.-]*+)"
    rb"(?:[\t\n\f\r ]++[^\s\"'<>=/]++(?:=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))?+)*+"
    rb"[\t\n\f\r ]*+/?>"
)
_PASSED = SHALLOW - frozenset(b"script style title".split())
_PASSED |= frozenset(b"/" + name for name in _PASSED)
# Drawings by the hundred are no nesting; a parser closes these so in HTML, too.
_DRAWN = re.compile(
    rb"<(path|use|circle|ellipse|image|line|polygon|polyline|rect|stop)(\s[^<>]*)?/>", re.IGNORECASE
)
# One that does not end where its words do, past nothing but spans; most of authors' do. The
# first classes tell most tags at two bytes. What is no attribute as authors write them could
# hide an end in a value.
_OPEN_FORMAT = re.compile(
    rb"<(?=[biuscefnt][\s>/mtio])([bius]|em|tt|big|font|code|nobr|small|strike|strong)(?=[\s>/])"
    rb"(?!(?:\s[\w-]++=(?:\"[^\"<>]*+\"|[\w#]++))*+>[^<]*+(?:</?span[^<]*+)*+</\1[\s>])",
    re.IGNORECASE,
)
_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}>" % MAX_TAG_LENGTH)
_ATTRIBUTE = re.compile(rb"[\s/\"'][^\s=\"'<>/]+")
_NAME = re.compile(rb"<[^\s<>/]+")


def bounded(
    markup: bytes, max_bytes: int, max_depth: int, max_tree: int = MAX_TREE
) -> tuple[bytes, tuple[str, ...]]:
    """Markup that a parser reads in linear time, and the words for what was cut.

    ``too_long``: the end is missing; ``too_many_elements``: so it is, because its tree would
    take more than ``max_tree`` bytes; ``names``: elements and attributes of thousands of
    different names have lost theirs; ``too_deep``: tags of elements within ``max_depth``
    others are missing, their content is not; ``attributes``: tags with more attributes
    than any author writes have none.
    """
    cuts = ["too_long"] if len(markup) > max_bytes else []
    markup = markup[:max_bytes]
    if _may_have_long_tag(markup):
        plain = _LONG_TAG.sub(_without_attributes, markup)
        cuts += ["attributes"] if plain != markup else []
        markup = plain
    markup = fitting(whole := markup, max_tree)
    if len(markup) < len(whole):
        cuts.append("too_many_elements")
    named = without_new_names(markup)
    if named is not markup:
        markup = named
        cuts.append("names")
    del whole, named
    if _may_be_deep(markup, max_depth):
        markup = _DRAWN.sub(rb"<\1\2></\1>", markup)
        if Nesting.is_too_deep(markup, max_depth):
            markup = _Flattening(max_depth).apply(markup)
            cuts.append("too_deep")
    return markup, tuple(cuts)


def _may_be_deep(markup: bytes, max_depth: int) -> bool:
    """Whether so many elements could be open at once, or be opened again too often."""
    tags = markup.count(b"<") if len(markup) >= HARMLESS else 0
    if tags > HARMLESS_TAGS and _runs_deep(markup, max_depth):
        return True
    if tags > MANY_TAGS and not _is_tidy(markup, max_depth):
        return True
    if tags * tags <= HARMLESS_COPIES * 4:  # half of them formats, half of them blocks
        return False
    starts = tags - markup.count(b"</")
    if starts * starts <= HARMLESS_COPIES * 4:
        return False
    return len(_OPEN_FORMAT.findall(markup)) * starts > HARMLESS_COPIES


def _runs_deep(markup: bytes, max_depth: int) -> bool:
    """Whether there are so many more starts than ends somewhere; counts by chunks, for speed."""
    depth = 0
    for start in range(0, len(markup), CHUNK):
        ends = markup.count(b"</", start, start + CHUNK)
        starts = markup.count(b"<", start, start + CHUNK) - ends
        if depth + starts > max_depth:
            return True
        depth = max(0, depth + starts - ends)
    return False


def _is_tidy(markup: bytes, max_depth: int) -> bool:
    """Whether it is plain that few elements are open at once: each end tag closes the last one.

    A fifth of what the whole look takes. What is set aside is little, or could hide tags.
    """
    tags = _ASIDE.sub(b"", markup.lower())
    count = tags.count(b"<")
    names = _CLEAN.findall(tags)
    if len(names) < count or markup.count(b"<") - count > max_depth // 2:
        return False
    return FOREIGN.isdisjoint(names) and _is_shallow(names, max_depth // 2)


def _is_shallow(names: list[bytes], max_depth: int) -> bool:
    ends: list[bytes] = []
    for name in names:
        if name in _PASSED:
            continue
        if not name.startswith(b"/"):
            ends.append(b"/" + name)
            if len(ends) > max_depth:
                return False
        elif not ends or ends.pop() != name:
            return False
    return True


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
    """Takes away the tags of elements that lie too deep, as browsers do beyond 512.

    Formats go as well, once blocks have opened too many of them again.
    """

    __slots__ = ("_max_depth", "_nesting")

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._nesting = Nesting()

    def apply(self, markup: bytes) -> bytes:
        """The markup with words still parted where tags were."""
        return TAG.sub(self._replace, markup)

    def _replace(self, tag: re.Match[bytes]) -> bytes:
        nesting = self._nesting
        if tag["name"] is None:
            nesting.pass_over(tag)
            return tag[0] if len(nesting.open) <= self._max_depth else b" "
        name = tag["name"].lower()
        if tag["end"]:
            place = nesting.leave(name)
            around = len(nesting.open) if place is None else place
            return tag[0] if around < self._max_depth else b" "
        ends = b""
        if nesting.copies > HARMLESS_COPIES:
            ends = nesting.end_formats()
            if name in FORMATS:
                return ends
        holds = nesting.enter(name, tag[0])
        return ends + (b" " if holds and len(nesting.open) > self._max_depth else tag[0])


def _without_attributes(tag: re.Match[bytes]) -> bytes:
    """A long tag as it is (a data URL, for one), or without its too many attributes."""
    count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
    name = _NAME.match(tag[0])
    return name[0] + b">" if count > MAX_ATTRIBUTES and name else tag[0]
