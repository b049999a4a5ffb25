"""HTML elements, grouped by their effect on text.

Lexbor gives each name of the standard a fixed number; comparing numbers makes one walk over
the tree affordable.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

# Elements that do not break words: exam<b>ple</b> is one word. All others of the standard do.
INLINE = (
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del"),
    *("dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "output", "picture", "q"),
    *("ruby", "rb", "rt", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup"),
    *("time", "tt", "u", "var", "wbr", "mi", "mn", "mo", "ms", "mtext", "svg"),
)
# Their content is not text of the page, and has no links that a person could follow.
SILENT = (
    *("head", "style", "template", "iframe", "noembed", "datalist", "rp", "desc"),
    *("annotation", "annotation-xml"),
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Elements that contain words more often than blocks.
PHRASING = ("p", "pre", "dt", "td", "th", *HEADINGS)
STANDARD = range(5, 256)  # Lexbor's numbers of elements that the standard names
UNKNOWN = 4096  # Lexbor assigns numbers from here on per document

_PROBE = LexborHTMLParser("x")


def tag_number(name: str) -> int | None:
    """Lexbor's fixed number for an element name, or None."""
    number = _PROBE.create_node(name).tag_id if name else UNKNOWN
    return number if number < UNKNOWN else None


def root_number(markup: str) -> int:
    """Lexbor's number for the first node of a fragment; raises ValueError if there is none."""
    root = LexborHTMLParser(markup, is_fragment=True).root
    if root is None:
        raise ValueError(f"no node in {markup!r}")
    return root.tag_id


TEXT, COMMENT = root_number("x"), root_number("<!--x-->")
PHRASES = frozenset(map(tag_number, PHRASING))
ANCHOR = _PROBE.create_node("a").tag_id
SPAN = _PROBE.create_node("span").tag_id
