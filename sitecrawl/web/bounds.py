"""Bounds on what a parser is given, so that its time stays linear in a page's size.

Lexbor, as browsers do, looks through the open elements at many tags and compares the names
of all attributes of a tag: nesting and attributes without end cost their square.
"""

from __future__ import annotations

import re
from collections import Counter

MAX_TAG_LENGTH = 20_000
MAX_ATTRIBUTES = 500
CHUNK = 8_192
HARMLESS = 12_288  # bytes; nothing so short takes a parser more than a fraction of a second
HARMLESS_TAGS = 8_192  # all of them open at once take it 80 ms; most pages have fewer
MANY_TAGS = 32_768  # from here on it pays to look whether their ends are those of others
HARMLESS_COPIES = 1_000_000  # of elements that HTML opens anew in each block, 360 bytes each
FEW_COMMENTS = 100  # in so many no tags can hide that count
REACH = 64  # open elements among which the one is looked for that an end tag closes
# These end by themselves, never hold anything, or must not be lost whatever the depth.
_SHALLOW = frozenset(
    b"a area base br col dd dt embed frame hr img input li link meta option p param script"
    b" source style tbody td tfoot th thead title tr track wbr".split()
)
# Drawings by the hundred are no nesting; a parser closes these so in HTML, too.
_DRAWN = re.compile(
    rb"<(path|use|circle|ellipse|image|line|polygon|polyline|rect|stop)(\s[^<>]*)?/>", re.IGNORECASE
)
_COMMENT = rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
# HTML, 13.2.5.32 to 39: a value in quotes may hold ">" and what looks like tags.
_ATTRIBUTES = (
    rb"(?:[\s/]++|=?+[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+|=)*+"
)
_TAG = re.compile(rb"%b|<(/?)([a-zA-Z][^\s<>/]*+)%b>" % (_COMMENT, _ATTRIBUTES), re.DOTALL)
_COMMENTS = re.compile(_COMMENT, re.DOTALL)
_NAMES = re.compile(rb"<(/?[a-zA-Z][^\s<>/]*+)")
# HTML, 13.2.4.3: left open, these are opened again in every block that follows.
_FORMATS = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
# One that does not end where its words do, past nothing but spans; most of authors' do. The
# first classes tell most tags at two bytes. What is no attribute as authors write them could
# hide an end in a value.
_OPEN_FORMAT = re.compile(
    rb"<(?=[biuscefnt][\s>/mtio])([bius]|em|tt|big|font|code|nobr|small|strike|strong)(?=[\s>/])"
    rb"(?!(?:\s[\w-]++=(?:\"[^\"<>]*+\"|[\w#]++))*+>[^<]*+(?:</?span[^<]*+)*+</\1[\s>])",
    re.IGNORECASE,
)
_FOREIGN = frozenset({b"svg", b"math"})
# No end tag of what is around them reaches through these (HTML, 13.2.4.2).
_BARRIERS = frozenset(b"table object applet marquee template caption svg math".split())
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
        if _Nesting.is_too_deep(markup, max_depth):
            markup = _Flattening(max_depth).apply(markup)
            cuts.append("too_deep")
    if _may_have_long_tag(markup):
        plain = _LONG_TAG.sub(_without_attributes, markup)
        cuts += ["attributes"] if plain != markup else []
        markup = plain
    return markup, tuple(cuts)


def _may_be_deep(markup: bytes, max_depth: int) -> bool:
    """Whether so many elements could be open at once, or be opened again too often."""
    tags = markup.count(b"<") if len(markup) >= HARMLESS else 0
    if tags > HARMLESS_TAGS and _runs_deep(markup, max_depth):
        return True
    if tags > MANY_TAGS and _unclosed(markup) > max_depth:
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


def _unclosed(markup: bytes) -> int:
    """How many elements have no end: the ends of others do not close them."""
    counts: Counter[bytes] = Counter()
    for name, count in Counter(_NAMES.findall(_uncommented(markup))).items():
        counts[name.lower()] += count
    nests_all = not _FOREIGN.isdisjoint(counts)
    return sum(
        max(0, count - counts[b"/" + name])
        for name, count in list(counts.items())
        if name[:1] != b"/" and (nests_all or name not in _SHALLOW)
    )


def _may_have_long_tag(markup: bytes) -> bool:
    """Whether some stretch of the length of a long tag has no end of a tag."""
    start = 0
    while start + MAX_TAG_LENGTH < len(markup):
        end = markup.rfind(b">", start, start + MAX_TAG_LENGTH)
        if end < 0:
            return True
        start = end + 1
    return False


def _uncommented(markup: bytes) -> bytes:
    """Markup whose tags are all meant."""
    return _COMMENTS.sub(b"", markup) if markup.count(b"<!--") > FEW_COMMENTS else markup


class _Nesting:
    """The elements that are open, as far as their tags tell.

    An end tag closes the nearest element of its name. ``copies`` counts the elements that
    blocks open again.
    """

    __slots__ = ("_foreign", "_formats", "copies", "open")

    def __init__(self) -> None:
        self.open: list[bytes] = []
        self.copies = 0
        self._foreign = self._formats = 0

    @classmethod
    def is_too_deep(cls, markup: bytes, max_depth: int) -> bool:
        """Whether a parser would have more elements open, or copy more, than is good."""
        nesting = cls()
        for tag in _TAG.finditer(markup):
            name = (tag[2] or b"").lower()
            if not name:
                continue
            if tag[1]:
                nesting.leave(name)
            elif nesting.enter(name, tag[0]) and len(nesting.open) > max_depth:
                return True
        return nesting.copies > HARMLESS_COPIES

    def enter(self, name: bytes, tag: bytes) -> bool:
        """Begin an element; whether it can hold others."""
        if name not in _FORMATS:
            self.copies += self._formats
        if name in _SHALLOW and (not self._foreign or tag.endswith(b"/>")):
            return False
        self.open.append(name)
        self._count(name, 1)
        return True

    def leave(self, name: bytes) -> int | None:
        """End an element; how many were around it, None if the tag ends nothing."""
        reach = len(self.open) if name in _FOREIGN and self._foreign else REACH
        for place in range(len(self.open) - 1, max(-1, len(self.open) - reach - 1), -1):
            if self.open[place] == name:
                for inner in self.open[place:]:
                    self._count(inner, -1)
                del self.open[place:]
                return place
            if self.open[place] in _BARRIERS and name not in _FOREIGN:
                break
        return None

    def end_formats(self) -> bytes:
        """End what blocks would open again; the tags that do so."""
        ended = [name for name in self.open if name in _FORMATS]
        self.open = [name for name in self.open if name not in _FORMATS]
        self._formats = 0
        return b"".join(b"</%b>" % name for name in reversed(ended))

    def _count(self, name: bytes, step: int) -> None:
        self._foreign += step * (name in _FOREIGN)
        self._formats += step * (name in _FORMATS)


class _Flattening:
    """Takes away the tags of elements that lie too deep, as browsers do beyond 512.

    Formats go as well, once blocks have opened too many of them again.
    """

    __slots__ = ("_max_depth", "_nesting")

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._nesting = _Nesting()

    def apply(self, markup: bytes) -> bytes:
        """The markup with words still parted where tags were."""
        return _TAG.sub(self._replace, markup)

    def _replace(self, tag: re.Match[bytes]) -> bytes:
        name, nesting = (tag[2] or b"").lower(), self._nesting
        if not name:
            return tag[0]
        if tag[1]:
            place = nesting.leave(name)
            around = len(nesting.open) if place is None else place
            return tag[0] if around < self._max_depth else b" "
        ends = b""
        if nesting.copies > HARMLESS_COPIES:
            ends = nesting.end_formats()
            if name in _FORMATS:
                return ends
        holds = nesting.enter(name, tag[0])
        return ends + (b" " if holds and len(nesting.open) > self._max_depth else tag[0])


def _without_attributes(tag: re.Match[bytes]) -> bytes:
    """A long tag as it is (a data URL, for one), or without its too many attributes."""
    count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
    name = _NAME.match(tag[0])
    return name[0] + b">" if count > MAX_ATTRIBUTES and name else tag[0]
