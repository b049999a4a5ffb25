"""How many elements a parser has open, as far as the tags of a page tell; rather too many.

An end tag that a parser may not heed closes nothing here: what hides open elements behind it
would cost the square of a page's size.
"""

from __future__ import annotations

import re

HARMLESS_COPIES = 100_000  # of elements that HTML opens anew in each block, 420 bytes each
REACH = 64  # open elements among which the one is looked for that an end tag closes
# These end by themselves, never hold anything, or must not be lost whatever the depth.
SHALLOW = frozenset(
    b"a area base body br col colgroup dd dt embed frame frameset head hr html img input li link"
    b" meta option p param script source style tbody td tfoot th thead title tr track wbr".split()
)
# HTML, 13.2.4.3: left open, these are opened again in every block that follows.
FORMATS = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
FOREIGN = frozenset({b"svg", b"math"})
# HTML, 13.2.6.4.7: their end tags close what is open within them.
_BLOCKS = frozenset(
    b"address applet article aside blockquote button center details dialog dir div dl fieldset"
    b" figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav"
    b" object ol pre search section summary table template ul".split()
)
# The end tags of others are not heeded where one of these is open within: "special" elements.
_SPECIAL = _BLOCKS | frozenset(b"caption form plaintext select".split())
# No end tag of what is around them reaches through these (13.2.4.2; 13.2.6.4.16 of select;
# a noscript is text where scripts run).
_BARRIERS = frozenset(
    b"table object applet marquee template caption select noscript svg math".split()
)
# 13.2.6.5: HTML within a drawing ends it, but for what is within one of these.
_BREAKING = (_BLOCKS | FORMATS | frozenset(b"p span li dd dt".split())) - frozenset(
    b"applet article aside button details dialog fieldset figcaption figure footer header hgroup"
    b" main marquee nav object search section summary template".split()
)
_INTEGRATING = frozenset(
    b"foreignobject desc title annotation-xml mi mo mn ms mtext template".split()
)
_SPACE = rb"\t\n\f\r "
_COMMENT = rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
# HTML, 13.2.5.32 to 39: a value in quotes may hold ">" and what looks like tags.
_ATTRIBUTES = (
    rb"(?:[%(s)s/]++|=?+[^%(s)s/>=]++"
    rb"(?:[%(s)s]*+=[%(s)s]*+(?:\"[^\"]*+\"|'[^']*+'|[^%(s)s>\"'][^%(s)s>]*+)?+)?+|=)*+"
) % {b"s": _SPACE}
_RAW = rb"script|style|textarea|title|xmp|iframe|noembed|noframes"  # what is in them is text
TAG = re.compile(
    rb"%(comment)s|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)|<(?:[!?]|/[^a-zA-Z>])[^>]*+"
    rb"|<(?=[stxin])(?P<raw>%(raw)s)(?=[%(s)s/>])%(attributes)s(?:>|\Z)"
    rb"(?P<text>.*?)(?:</(?P=raw)(?=[%(s)s/>])%(attributes)s>|\Z)"
    rb"|<(?P<end>/?)(?P<name>[a-zA-Z][^%(s)s/>]*+)%(attributes)s(?:>|\Z)"
    % {b"comment": _COMMENT, b"s": _SPACE, b"attributes": _ATTRIBUTES, b"raw": _RAW},
    re.DOTALL | re.IGNORECASE,
)
_START = re.compile(rb"<([a-zA-Z][^%b/>]*+)" % _SPACE)


class Nesting:
    """The elements that are open, as far as their tags tell.

    ``copies`` counts the elements that blocks open again.
    """

    __slots__ = ("_foreign", "_formats", "_selects", "copies", "open")

    def __init__(self) -> None:
        self.open: list[bytes] = []
        self.copies = 0
        self._foreign = self._formats = self._selects = 0

    @classmethod
    def is_too_deep(cls, markup: bytes, max_depth: int) -> bool:
        """Whether a parser would have more elements open, or copy more, than is good."""
        nesting = cls()
        for tag in TAG.finditer(markup):
            if tag["name"] is None:
                nesting.pass_over(tag)
            elif tag["end"]:
                nesting.leave(tag["name"].lower())
            else:
                nesting.enter(tag["name"].lower(), tag[0])
            if len(nesting.open) > max_depth:
                return True
        return nesting.copies > HARMLESS_COPIES

    def pass_over(self, tag: re.Match[bytes]) -> None:
        """What is text to a parser, or not, depending on what is open: starts count, no ends."""
        text = tag["data"] or tag["text"]
        if text and (tag["data"] or self._foreign or self._selects):
            for start in _START.finditer(text):
                self.enter(start[1].lower(), start[0])

    def enter(self, name: bytes, tag: bytes) -> bool:
        """Begin an element; whether it can hold others."""
        if name not in FORMATS:
            self.copies += self._formats
        if self._foreign and name in _BREAKING:
            self._break_out()
        if name in SHALLOW and (not self._foreign or tag.endswith(b"/>")):
            return False
        self.open.append(name)
        self._count(name, 1)
        return True

    def leave(self, name: bytes) -> int | None:
        """End an element; how many were around it, None if the tag ends nothing."""
        if name not in self.open[-2 * REACH - 2 :] and name not in FOREIGN:
            return None
        reach = len(self.open) if name in FOREIGN and self._foreign else REACH
        ends = name in _BLOCKS
        for place in range(len(self.open) - 1, max(-1, len(self.open) - reach - 1), -1):
            each = self.open[place]
            if each == name:
                self._close(place)
                return place
            if each in _BARRIERS and name not in FOREIGN:
                break
            if not ends and each in _SPECIAL:
                return self._lift(name, place) if name in FORMATS or name == b"form" else None
        return None

    def end_formats(self) -> bytes:
        """End what blocks would open again; the tags that do so."""
        if not self._formats:
            return b""
        ended = [name for name in self.open if name in FORMATS]
        self.open = [name for name in self.open if name not in FORMATS]
        self._formats = 0
        return b"".join(b"</%b>" % name for name in reversed(ended))

    def _break_out(self) -> None:
        """HTML within a drawing: the drawing has ended."""
        for place in range(len(self.open) - 1, -1, -1):
            if self.open[place] in _INTEGRATING:
                return
            if self.open[place] in FOREIGN:
                self._close(place)
                if not self._foreign:
                    return

    def _close(self, place: int) -> None:
        for inner in self.open[place:]:
            self._count(inner, -1)
        del self.open[place:]

    def _lift(self, name: bytes, below: int) -> int | None:
        """End an element alone; what is open within stays (13.2.6.4.7, form and formats)."""
        for place in range(below - 1, max(-1, below - REACH), -1):
            if self.open[place] == name:
                self._count(name, -1)
                del self.open[place]
                return place
        return None

    def _count(self, name: bytes, step: int) -> None:
        self._foreign += step * (name in FOREIGN)
        self._formats += step * (name in FORMATS)
        self._selects += step * (name == b"select")
