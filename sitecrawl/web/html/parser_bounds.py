"""Bounds that keep parsing linear in time and memory: nesting, names, attributes, tree size.

An end tag that a parser may ignore closes nothing here. Otherwise such tags could hide open
elements, and parsing would take quadratic time.
"""

from __future__ import annotations

import random
import re

HARMLESS_COPIES = 100_000  # elements that HTML reopens in each block, 420 bytes each
REACH = 64  # open elements searched for the one that an end tag closes
# Elements that end by themselves, never have content, or must be kept at any depth.
SHALLOW = frozenset(
    b"a area base body br col colgroup dd dt embed frame frameset head hr html img input li link"
    b" meta option p param script source style tbody td tfoot th thead title tr track wbr".split()
)
# HTML, 13.2.4.3: if left open, even by the end of a block, these are reopened in all that follow.
FORMATS = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
FOREIGN = frozenset({b"svg", b"math"})
_COUNTED = FORMATS | FOREIGN | {b"select"}
# HTML, 13.2.6.4.7: their end tags close all elements open within them.
_BLOCKS = frozenset(
    b"address applet article aside blockquote button center details dialog dir div dl fieldset"
    b" figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav"
    b" object ol pre search section summary table template ul".split()
)
# "Special" elements: the end tag of any other element is ignored while one of these is open
# within it.
_SPECIAL = _BLOCKS | frozenset(b"caption form plaintext select".split())
# No end tag of an enclosing element takes effect within these (13.2.4.2; 13.2.6.4.16 for select;
# a noscript is text if scripting is on).
_BARRIERS = frozenset(
    b"table object applet marquee template caption select noscript svg math".split()
)
# 13.2.6.5: HTML elements that end the SVG or MathML around them, except within the elements of
# _INTEGRATING.
_BREAKING = (_BLOCKS | FORMATS | frozenset(b"p span li dd dt".split())) - frozenset(
    b"applet article aside button details dialog fieldset figcaption figure footer header hgroup"
    b" main marquee nav object search section summary template".split()
)
_INTEGRATING = frozenset(
    b"foreignobject desc title annotation-xml mi mo mn ms mtext template".split()
)
_SPACE = rb"\t\n\f\r "
_COMMENT = rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
# HTML, 13.2.5.32 to 39: a quoted value may contain ">" and text that looks like tags.
_ATTRIBUTES = (
    rb"(?:[%(s)s/]++|=?+[^%(s)s/>=]++"
    rb"(?:[%(s)s]*+=[%(s)s]*+(?:\"[^\"]*+\"|'[^']*+'|[^%(s)s>\"'][^%(s)s>]*+)?+)?+|=)*+"
) % {b"s": _SPACE}
_RAW = rb"script|style|textarea|title|xmp|iframe|noembed|noframes"  # their content is text
TAG = re.compile(
    rb"%(comment)s|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)|<(?:[!?]|/[^a-zA-Z>])[^>]*+"
    rb"|<(?=[stxin])(?P<raw>%(raw)s)(?=[%(s)s/>])%(attributes)s(?:>|\Z)"
    rb"(?P<text>.*?)(?:</(?P=raw)(?=[%(s)s/>])%(attributes)s>|\Z)"
    rb"|<(?P<end>/?)(?P<name>[a-zA-Z][^%(s)s/>]*+)%(attributes)s(?:>|\Z)"
    % {b"comment": _COMMENT, b"s": _SPACE, b"attributes": _ATTRIBUTES, b"raw": _RAW},
    re.DOTALL | re.IGNORECASE,
)
_START = re.compile(rb"<([a-zA-Z][^%b/>]*+)" % _SPACE)
# Size of lexbor's nodes in bytes, measured as resident memory over 200,000 of each.
ELEMENT, TEXT, ATTRIBUTE, VALUE = 190, 140, 230, 40
NOTED = 300  # bytes that the walk adds for an element with links, a label, a language or a sign
BLOCK = 150  # bytes that the walk adds for the line of a block and its place in the outline
MAX_TREE = 122_000_000  # bytes; the largest of Debian's manuals, of 8.4 MB, takes some 118 MB
MAX_TAGS = 1_000_000  # which take 2 s, even unmatched end tags; the same manual has 364,000
CHUNK = 65_536
MAX_NAMES = 20_000  # of elements or attributes; authored pages have up to 5,100
FEW_NAMES = 150_000  # bytes; names in shorter markup cost at most a tenth of a second
SAMPLE = 4_096  # bytes of each chunk in which names are counted first
_NOTED = re.compile(
    rb"<(?:a|area|i?frame|img|label|mfrac|option|object|pre|su[bp])[\s/>]", re.IGNORECASE
)
_LINES = re.compile(
    rb"<(?:blockquote|d[dlt]|div|h[1-6]|li|[ou]l|p|pre|section|table|t[dhr])[\s>]", re.IGNORECASE
)
_TAGS = re.compile(rb"<[a-zA-Z][^<>]*")
_IMPLYING = re.compile(rb"<(?:table|template)[\s>]", re.IGNORECASE)
_VALUES = re.compile(rb"=[\t\n\f\r ]*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s\"'>]*)")
_PARTS = re.compile(rb"[^\s/\"'<>=]+")
MAX_TAG_LENGTH = 20_000
MAX_ATTRIBUTES = 500
DEPTH_SCAN_CHUNK, FINE_CHUNK = 8_192, 512
HARMLESS = 12_288  # bytes; markup so short takes a parser a fraction of a second at most
HARMLESS_TAGS = 8_192  # if all are open at once, parsing takes 80 ms; most pages have fewer
MANY_TAGS = 32_768  # from here on, ignored end tags cost half a second, growing quadratically
# Self-closing SVG shapes are not nesting, even by the hundred; with explicit end tags, a parser
# closes them outside SVG as well.
_DRAWN = re.compile(
    rb"<(path|use|circle|ellipse|image|line|polygon|polyline|rect|stop)(\s[^<>]*)?/>", re.IGNORECASE
)
# A format that does not end right after its words, other formats, links and spans aside; most of
# authors' formats do. The first lookahead rejects most tags by two characters. Only plainly written
# attributes are accepted, because others could hide an end tag in a value.
_OPEN_FORMAT = re.compile(
    rb"<(?=[biuscefnt][\s>/mtio])([bius]|em|tt|big|font|code|nobr|small|strike|strong)(?=[\s>/])"
    rb"(?!%(plain)s(?:</?(?!\1[\s>])(?:span|code|a|em|[bius]|tt|small|strong)%(plain)s)*+</\1[\s>])"
    % {b"plain": rb"(?:\s[\w-]++=(?:\"[^\"<>]*+\"|[\w#]++))*+>[^<]*+"},
    re.IGNORECASE,
)
_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}>" % MAX_TAG_LENGTH)
_ATTRIBUTE = re.compile(rb"[\s/\"'][^\s=\"'<>/]+")
_NAME = re.compile(rb"<[^\s<>/]+")


class Nesting:
    """Stack of open elements, tracked by their tags.

    ``copies`` counts the elements that blocks reopen.
    """

    __slots__ = ("_foreign", "_formats", "_left", "_selects", "copies", "open")

    def __init__(self) -> None:
        self.open: list[bytes] = []
        self.copies = 0
        self._left: list[bytes] = []  # formats that ended with others
        self._foreign = self._formats = self._selects = 0

    @classmethod
    def is_too_deep(cls, markup: bytes, max_depth: int) -> bool:
        """Return True if a parser would have too many elements open, or copy too many."""
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
        """Skip content that may be text to the parser: count its start tags, but no end tags."""
        text = tag["data"] or tag["text"]
        if text and (tag["data"] or self._foreign or self._selects):
            for start in _START.finditer(text):
                self.enter(start[1].lower(), start[0])

    def enter(self, name: bytes, tag: bytes) -> bool:
        """Begin an element; return True if it can contain others."""
        if name not in FORMATS:
            self.copies += self._formats + len(self._left)
        if self._foreign and name in _BREAKING:
            self._break_out()
        if name in SHALLOW and (not self._foreign or tag.endswith(b"/>")):
            return False
        self.open.append(name)
        self._count(name, 1)
        return True

    def leave(self, name: bytes) -> int | None:
        """End an element; return the number of elements around it, or None if none ends."""
        if self.open and self.open[-1] == name:  # true for most end tags
            self._close(len(self.open) - 1)
            return len(self.open)
        if name not in self.open[-2 * REACH - 2 :] and name not in FOREIGN:
            if self._left[-1:] == [name]:
                self._left.pop()
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
        """End the formats that blocks would reopen; return their end tags."""
        if not self._formats and not self._left:
            return b""
        ended = self._left + [name for name in self.open if name in FORMATS]
        self.open = [name for name in self.open if name not in FORMATS]
        self._left, self._formats = [], 0
        return b"".join(b"</%b>" % name for name in reversed(ended))

    def _break_out(self) -> None:
        """End the SVG or MathML element at an HTML element within it."""
        for place in range(len(self.open) - 1, -1, -1):
            if self.open[place] in _INTEGRATING:
                return
            if self.open[place] in FOREIGN:
                self._close(place)
                if not self._foreign:
                    return

    def _close(self, place: int) -> None:
        inner = self.open[place:]
        for name in inner:
            self._count(name, -1)
        self._left += [name for name in inner[1:] if name in FORMATS]
        del self.open[place:]

    def _lift(self, name: bytes, below: int) -> int | None:
        """End an element, but not those open within it (13.2.6.4.7, form and formats)."""
        for place in range(below - 1, max(-1, below - REACH), -1):
            if self.open[place] == name:
                self._count(name, -1)
                del self.open[place]
                return place
        return None

    def _count(self, name: bytes, step: int) -> None:
        if name not in _COUNTED:
            return
        self._foreign += step * (name in FOREIGN)
        self._formats += step * (name in FORMATS)
        self._selects += step * (name == b"select")


def fitting(markup: bytes, max_tree: int = MAX_TREE) -> bytes:
    """The longest beginning of markup whose tree takes an estimated ``max_tree`` bytes at most.

    It has at most ``MAX_TAGS`` tags; so has markup that the quick checks pass.
    """
    if len(markup) * ATTRIBUTE <= max_tree * 2 or _rough(markup) <= max_tree:
        return markup
    size = tags = end = 0
    while end < len(markup):
        start, end = end, _end_of_chunk(markup, end)
        size += _estimate(markup[start:end])
        tags += markup.count(b"<", start, end)
        if size > max_tree or tags > MAX_TAGS:
            return markup[:start]
    return markup


def without_new_names(markup: bytes) -> bytes:
    """Markup with at most ``MAX_NAMES`` different names; the others become ``x``."""
    if len(markup) <= FEW_NAMES or not _has_many_names(markup):
        return markup
    known: set[bytes] = set()

    def renamed(name: re.Match[bytes]) -> bytes:
        word = name[0].lower()
        if word in known or len(known) < MAX_NAMES:
            known.add(word)
            return name[0]
        return b"x"

    def simplified(tag: re.Match[bytes]) -> bytes:
        return _PARTS.sub(renamed, _VALUES.sub(b"", tag[0]))

    return _TAGS.sub(simplified, markup)


def _rough(markup: bytes) -> int:
    """An upper bound of the estimate, from counts of single bytes."""
    tags, ends = markup.count(b"<"), markup.count(b"</")
    separators = len(markup) - len(markup.translate(None, b" \n\t/\r\f\"'"))  # in one pass
    elements = tags - ends + markup.count(b"</p")
    attributes = max(0, separators - ends)
    return elements * (ELEMENT + NOTED + BLOCK) + tags * TEXT + attributes * (ATTRIBUTE + VALUE)


def _estimate(chunk: bytes) -> int:
    """The estimated bytes of a chunk's nodes, and of the walk's records of them."""
    tags = chunk.count(b"<")
    starts = _TAGS.findall(chunk)
    texts = tags - chunk.count(b"><")
    attributes = len(_PARTS.findall(_VALUES.sub(b" ", b" ".join(starts)))) - len(starts)
    others = tags - len(starts) - chunk.count(b"</")  # comments
    others += max(0, chunk.count(b"</p>") - chunk.count(b"<p"))  # a stray </p> creates an element
    others += len(_IMPLYING.findall(chunk))  # tbody, and the content of a template
    lowered = chunk.lower()
    noted = len(_NOTED.findall(chunk)) + lowered.count(b"lang=") + lowered.count(b"noindex")
    values = min(attributes, chunk.count(b"="))
    size = (len(starts) + others) * ELEMENT + texts * TEXT
    size += attributes * ATTRIBUTE + values * VALUE
    return size + noted * NOTED + len(_LINES.findall(chunk)) * BLOCK


def _end_of_chunk(markup: bytes, start: int) -> int:
    """Return the end of a chunk, between two tags if there are any nearby."""
    if start + CHUNK >= len(markup):
        return len(markup)
    end = markup.rfind(b"<", start + 1, start + CHUNK)
    return end if end > start else start + CHUNK


def _has_many_names(markup: bytes) -> bool:
    """Return True if there are more different names than in any authored page.

    All names are counted only if samples, from unpredictable positions, have many.
    """
    names: set[bytes] = set()
    for start in range(0, len(markup), CHUNK):
        place = start + random.randrange(CHUNK - SAMPLE)  # noqa: S311 -- no secret
        names.update(_names(markup[place : place + SAMPLE]))
    if len(names) * CHUNK <= MAX_NAMES * SAMPLE:
        return False
    for start in range(0, len(markup), CHUNK):
        names.update(_names(markup[start : start + CHUNK]))
        if len(names) > MAX_NAMES:
            return True
    return False


def _names(part: bytes) -> list[bytes]:
    """The names of elements and attributes in a part of the markup."""
    return _PARTS.findall(_VALUES.sub(b" ", b" ".join(_TAGS.findall(part))))


def bounded(
    markup: bytes, max_bytes: int, max_depth: int, max_tree: int = MAX_TREE
) -> tuple[bytes, tuple[str, ...]]:
    """Markup that a parser reads in linear time, and the names of the truncations applied.

    ``too_long``: the end is missing; ``too_many_elements``: the end is missing because the tree
    would take more than ``max_tree`` bytes; ``names``: names beyond thousands of different ones
    were replaced; ``too_deep``: the tags, but not the content, of elements within ``max_depth``
    others were removed; ``attributes``: all attributes were removed from tags with more of them
    than any author writes.
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
    """Return True if too many elements may be open at once, or reopened too often."""
    tags = markup.count(b"<") if len(markup) >= HARMLESS else 0
    if tags * tags <= HARMLESS_COPIES * 4:  # half of them formats, half of them blocks
        return False
    return (
        tags > MANY_TAGS
        or (tags > HARMLESS_TAGS and _runs_deep(markup, max_depth))
        or _may_copy(markup, tags)
    )


def _may_copy(markup: bytes, tags: int) -> bool:
    """Return True if formats may be reopened too often, with every format open in every block."""
    formats = len(_OPEN_FORMAT.findall(markup))
    if formats * tags <= HARMLESS_COPIES:
        return False
    starts = tags - markup.count(b"</")
    formats = min(formats, starts // 2)
    return formats * (starts - formats) > HARMLESS_COPIES


def _runs_deep(markup: bytes, max_depth: int) -> bool:
    """Return True if start tags outnumber end tags by too much; counted in chunks, for speed.

    A chunk with many start tags, as in highlighted code, is counted again in small parts.
    """
    depth = 0
    for start in range(0, len(markup), DEPTH_SCAN_CHUNK):
        end = start + DEPTH_SCAN_CHUNK
        ends = markup.count(b"</", start, end)
        starts = markup.count(b"<", start, end) - ends
        if depth + starts <= max_depth:
            depth = max(0, depth + starts - ends)
            continue
        for place in range(start, end, FINE_CHUNK):
            ends = markup.count(b"</", place, place + FINE_CHUNK)
            starts = markup.count(b"<", place, place + FINE_CHUNK) - ends
            if depth + starts > max_depth:
                return True
            depth = max(0, depth + starts - ends)
    return False


def _may_have_long_tag(markup: bytes) -> bool:
    """Return True if some stretch of ``MAX_TAG_LENGTH`` bytes has no ``>``."""
    start = 0
    while start + MAX_TAG_LENGTH < len(markup):
        end = markup.rfind(b">", start, start + MAX_TAG_LENGTH)
        if end < 0:
            return True
        start = end + 1
    return False


class _Flattening:
    """Remover of the tags of elements nested too deeply, as browsers do beyond 512.

    Formats are removed as well once blocks have reopened too many of them.
    """

    __slots__ = ("_max_depth", "_nesting")

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._nesting = Nesting()

    def apply(self, markup: bytes) -> bytes:
        """The markup with a space in place of each removed tag."""
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
    """A long tag without its attributes if they are too many, else unchanged (a data URL)."""
    count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
    name = _NAME.match(tag[0])
    return name[0] + b">" if count > MAX_ATTRIBUTES and name else tag[0]
