"""Elements with special text rules: permalinks, headings, listings, formulas, languages, terms."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import ANCHOR, SPAN, TEXT, tag_number
from sitecrawl.web.html.page import Heading
from sitecrawl.web.html.text import PERMALINKS, cleaned
from sitecrawl.web.html.walk import Enter, Leave, Walk, enter_block, leave_block, skip
from sitecrawl.web.languages import primary_language, read_language

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


ZERO_WIDTH = "\u200b"
_AROUND = f"{ZERO_WIDTH} \n\t"
MAX_WRAPPERS = 3  # elements around a permalink: Node.js has a span
EDIT_LINKS = "mw-editsection"  # MediaWiki's [edit], within headings up to version 1.43
MAX_PERMALINK_NODES = 64  # nodes of edit links that are examined


def take_permalink(heading: LexborNode) -> str | None:
    """Remove the sign of a heading's permalink; return its anchor, or None without a permalink."""
    only = heading.first_child
    if only is not None and only.next is None and only.tag_id == TEXT:  # most are text only
        return None
    _drop_edit_links(heading.last_child)
    for side in ("last", "first"):
        link = _link_at(heading, side)
        if link is None or not _is_sign(link.text()):
            continue
        href = link.attributes.get("href") or ""
        if side == "last" or href.startswith("#"):
            while (part := link.first_child) is not None:
                part.decompose()
            return href[1:] if href.startswith("#") else ""
    return None


def _drop_edit_links(last: LexborNode | None) -> None:
    """Remove the text of edit links at the end of a heading; the links stay."""
    if last is None or last.tag_id != SPAN or last.attributes.get("class") != EDIT_LINKS:
        return
    for node in list(islice(last.traverse(include_text=True), MAX_PERMALINK_NODES)):
        if node.is_text_node:
            node.decompose()


def _link_at(heading: LexborNode, side: str) -> LexborNode | None:
    """The link that a heading begins or ends with."""
    node = _child(heading, side)
    for _ in range(MAX_WRAPPERS):
        if node is None or node.is_text_node or node.tag_id == ANCHOR:
            break
        node = _child(node, side)
    return node if node is not None and node.tag_id == ANCHOR else None


def _child(node: LexborNode, side: str) -> LexborNode | None:
    """The first or last visible child."""
    is_last = side == "last"
    child = node.last_child if is_last else node.first_child
    while child is not None and _is_nothing(child):
        child = child.prev if is_last else child.next
    return child


def _is_nothing(node: LexborNode) -> bool:
    """Return True if a node is white space, a comment or an empty anchor."""
    if node.is_element_node:
        return node.tag_id == ANCHOR and node.first_child is None
    return not (node.text_content or "").strip()


def _is_sign(text: str) -> bool:
    """Return True if the text of a link is only a permalink sign."""
    sign = text.strip(_AROUND)
    return sign in PERMALINKS or (not sign and ZERO_WIDTH in text)


MAX_HEADINGS = 20_000  # of one page; the HTML standard has 2,000
LONGEST = 10_000  # characters of a heading; a heading includes the text of headings nested in it
SENTENCE_LENGTH = 60  # characters; lines of menus are shorter
SECTIONS = frozenset({"section", "article", "div", "header", "hgroup"})
ANCHORS = frozenset({"a", "span"})
MAX_SECTION_WRAPPERS = 5  # elements between a heading and its section: DocBook has three


def enter_heading(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a heading; the lines until its end are its text."""
    walk.text.flush()
    walk.heading_start = len(walk.text.lines)
    permalink = take_permalink(node)
    return partial(leave_heading, permalink=permalink) if permalink else leave_heading


def leave_heading(walk: Walk, node: LexborNode, permalink: str = "") -> None:
    """End a heading; drop one without text."""
    walk.text.flush()
    if len(walk.headings) >= MAX_HEADINGS:
        walk.cut("too_many_headings")
        return
    text = " ".join(walk.text.lines[walk.heading_start :])
    if text:
        level = int((node.tag or "h1")[1])
        heading = Heading(level, cleaned(text[:LONGEST]), _anchor(node, permalink))
        walk.headings.append((walk.heading_start, len(walk.text.lines), heading))


def _anchor(heading: LexborNode, permalink: str) -> str:
    """The id of the heading, else its permalink, an anchor within, or its section's id."""
    return heading.id or permalink or anchor_within(heading) or _section_id(heading)


def anchor_within(node: LexborNode) -> str:
    """The first id or anchor name among the children of an element."""
    for child in node.iter():
        attributes = child.attributes
        name = attributes.get("id") or (child.tag == "a" and attributes.get("name"))
        if name:
            return name
    return ""


def _section_id(heading: LexborNode) -> str:
    """The id of the section that the heading begins, or of an anchor right before it."""
    node = heading
    for _ in range(MAX_SECTION_WRAPPERS):
        before = node.prev
        while before is not None and not before.is_element_node and _is_nothing(before):
            before = before.prev
        if before is not None:
            return _anchor_name(before) if before.tag in ANCHORS else ""
        parent = node.parent
        if parent is None or parent.tag not in SECTIONS:
            return ""
        if parent.id:
            return str(parent.id)
        node = parent
    return ""


def _anchor_name(node: LexborNode) -> str:
    attributes = node.attributes
    return attributes.get("id") or attributes.get("name") or ""


def useful_start(walk: Walk) -> int:
    """The line of the heading at which the useful text starts.

    It is the first heading with a sentence right after it, which skips a site's name and menu;
    else the first heading; -1 if there is none.
    """
    lines = walk.text.lines
    for start, end, _ in walk.headings:
        if end < len(lines) and len(lines[end]) >= SENTENCE_LENGTH:
            return start
    return walk.headings[0][0] if walk.headings else -1


# Classes of the spans in which Pygments and Chroma (Hugo) write line numbers.
NUMBERS = frozenset({"linenos", "ln", "lineno"})
# Classes of the cell of line numbers beside a listing: of the same, SyntaxHighlighter, cgit, Highlight.js.
GUTTERS = frozenset(
    {"linenos", "gutter", "line-numbers", "linenumbers", "lineno", "hljs-ln-numbers"}
)
_NUMBERS = ", ".join(f"span[class={name}]" for name in sorted(NUMBERS))
_CELL, _DIV = tag_number("td"), tag_number("div")
MAX_NUMBER_WRAPPERS = 4  # around the first number: code, and a span for the line


def enter_pre(walk: Walk, node: LexborNode) -> Leave | None:
    """Keep the lines of preformatted text, and leave out their numbers, beside or within them."""
    walk.text.flush()
    if _in_gutter(node):
        return skip
    if _first_number(node) is not None:
        for number in node.css(_NUMBERS):
            number.decompose()
    return leave_pre


def leave_pre(walk: Walk, _node: LexborNode) -> None:
    """End the lines of preformatted text."""
    walk.text.flush_lines()


def _in_gutter(pre: LexborNode) -> bool:
    """Return True for the column of line numbers beside a listing, in a cell or a block of one."""
    around = pre.parent
    if around is not None and around.tag_id == _DIV:
        around = around.parent
    if around is None or around.tag_id != _CELL:
        return False
    return not GUTTERS.isdisjoint((around.attributes.get("class") or "").split())


def _first_number(pre: LexborNode) -> LexborNode | None:
    """The line number at the start of preformatted text."""
    node = pre.first_child
    for _ in range(MAX_NUMBER_WRAPPERS):
        if node is not None and node.tag_id == SPAN and node.first_child is None:
            node = node.next  # Pygments begins with an empty span
        if node is None or node.tag_id == TEXT:
            return None
        if _is_number(node):
            return node
        node = node.first_child
    return None


def _is_number(node: LexborNode) -> bool:
    """Return True if an element holds a line number."""
    return node.tag_id == SPAN and node.attributes.get("class") in NUMBERS


FOREIGN = frozenset({"svg", "math"})
# HTML, 13.2.6: the content of these is HTML again.
INTEGRATING = frozenset({"foreignobject", "desc", "mi", "mo", "mn", "ms", "mtext"})
MAX_GROUPS = 32  # ancestors examined within SVG or MathML


def enter_formula(walk: Walk, node: LexborNode) -> Leave | None:
    """Read a formula as TeX if it has an annotation in TeX, as KaTeX and MediaWiki write it.

    Without one, skip the MathML that KaTeX hides: its visible replacement is text as well.
    """
    parent = node.parent
    is_katex = parent is not None and parent.attributes.get("class") == "katex-mathml"
    found = node.css_first('annotation[encoding="application/x-tex"]')
    tex = found.text() if found is not None else ""
    if not tex.strip():
        return skip if is_katex else None
    add_tex(walk, tex, is_display=node.attributes.get("display") == "block")
    shown = parent.next if is_katex and parent is not None else None
    for inner in list(shown.traverse(include_text=True)) if shown is not None else ():
        if inner.is_text_node:
            inner.decompose()
    return skip


def add_tex(walk: Walk, tex: str, *, is_display: bool) -> None:
    """Add a formula in TeX to the text."""
    sign = "$$" if is_display else "$"
    walk.text.pieces.append(f"{sign}{' '.join(tex.split())}{sign}")


# What stands before an exponent: a digit, a bracket, or a variable or unit. After other words a
# number is that of a note.
_BASE = re.compile(r"(?:\d|[)\]]|(?<![^\W_])[^\W\d_]{1,2})\Z")
_EXPONENT = re.compile(r"[+\u2212\u2013-]?(?:\d{1,4}|[a-z])")


def enter_raised(_walk: Walk, node: LexborNode) -> Leave | None:
    """Separate an exponent from its base by a caret: 10^6 is not 106."""
    _separate_shifted(node, "^")
    return None


def enter_lowered(_walk: Walk, node: LexborNode) -> Leave | None:
    """Separate an index from a number by a low line; after letters (H2O) it needs none."""
    _separate_shifted(node, "_")
    return None


def _separate_shifted(node: LexborNode, sign: str) -> None:
    only, before = node.first_child, node.prev
    if only is None or only.tag_id != TEXT or only.next is not None or before is None:
        return
    if not _EXPONENT.fullmatch((only.text_content or "").strip()):
        return
    base = (before.text_content if before.is_text_node else before.text()) or ""
    if _BASE.search(base[-4:]) and (sign == "^" or base[-1].isdigit()):
        only.insert_before(sign)


def enter_span(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a line at a span of SVG text with an ``x`` position, which is how labels wrap."""
    return enter_block(walk, node) if "x" in node.attributes else None


def enter_fraction(walk: Walk, node: LexborNode) -> Leave | None:
    """Separate numerator and denominator from each other, and from the text around them."""
    above = node.first_child
    while above is not None and not above.is_element_node:
        above = above.next
    if above is not None:
        above.insert_after(" ")
    walk.text.pieces.append(" ")
    return leave_fraction


def leave_fraction(walk: Walk, _node: LexborNode) -> None:
    """End a fraction."""
    walk.text.pieces.append(" ")


def is_html(node: LexborNode) -> bool:
    """Return True for an element of HTML, not of SVG or MathML, judged by its nearest ancestors."""
    parent = node.parent
    for _ in range(MAX_GROUPS):
        if parent is None or parent.tag in INTEGRATING:
            break
        if parent.tag in FOREIGN:
            return False
        parent = parent.parent
    return True


def is_in_svg(node: LexborNode) -> bool:
    """Return True if one of the nearest ancestors of an element is an SVG image."""
    parent = node.parent
    for _ in range(MAX_GROUPS):
        if parent is None or parent.tag == "svg":
            break
        parent = parent.parent
    return parent is not None and parent.tag == "svg"


def in_language(inner: Enter | None) -> Enter:
    """An action that records the language of an element if it differs from the page's."""

    def enter_foreign(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if leave is skip:
            return skip
        text, outer = walk.text, walk.text.language
        text.language = _foreign_language(walk, node)
        start, lines = len(text.pieces) if text.has_words else 0, len(text.lines)

        def leave_foreign(walk: Walk, node: LexborNode) -> None:
            if leave is not None:
                leave(walk, node)
            if text.language and text.language != outer:  # else the outer element records it
                begun = start if len(text.lines) == lines else 0
                text.add_foreign(text.language, "".join(text.pieces[begun:]))
            text.language = outer

        return leave_foreign

    return enter_foreign


def _foreign_language(walk: Walk, node: LexborNode) -> str:
    """The language of an element if it differs from the page's, else an empty string."""
    attributes = node.attributes
    language = read_language(attributes.get("lang") or attributes.get("xml:lang") or "")
    return language if primary_language(language) != primary_language(walk.language) else ""


def enter_term(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a line; separate the term from its types (``axis``, ``int``), and drop its permalink.

    Docutils relies on the style sheet for the colon between the two.
    """
    walk.text.flush()
    last = node.last_child
    if last is not None and last.tag_id == ANCHOR and last.text() == "#":  # flush drops a final ¶
        take_permalink(node)
    while last is not None and last.tag_id == SPAN:
        before = last.prev
        if before is None or not _is_classifier(last):
            break
        last.insert_before(" ")
        last = before
    return leave_block


def _is_classifier(node: LexborNode) -> bool:
    """Return True if an element is the type of the term before it."""
    return node.attributes.get("class") == "classifier"
