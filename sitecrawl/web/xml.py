"""XML documents of any vocabulary: the text between tags, and the elements as fields."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING

from sitecrawl.web.languages import read_language
from sitecrawl.web.spaces import BLOCK, squeezed

if TYPE_CHECKING:
    from sitecrawl.web.page import Page

MAX_TOKENS = 500_000  # tags and comments of one document; each takes three microseconds
MAX_EMPTY = 300_000  # elements of XHTML that are written as one tag; more are as good as nested
MAX_FIELDS = 2_000
LONGEST_REFERENCE = 40  # characters
MAX_PATH = 32  # elements; deeper ones count for the 32nd
MAX_NAME = 200  # characters of an element's name; what follows tells none from another
# Tokens of XML 1.0 as loosely as documents need it; what matches nothing is text.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|$)"
    r"|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|$)"
    r"|<\?.*?(?:\?>|$)"
    r"|<!DOCTYPE[^\[>]*(?:\[.*?(?:\]\s*>|$)|>|$)"
    r"|<(?P<close>/?)(?P<name>[^\s<>/!?=]++)"
    r"(?P<attributes>(?:[^<>\"'/]++|\"[^\"]*+\"|'[^']*+'|/(?!>))*+)(?P<empty>/?)>",
    re.DOTALL | re.IGNORECASE,
)
_LANGUAGE = re.compile(r"\bxml:lang\s*=\s*[\"']([^\"']*)")
_ROOT = re.compile(r"<([A-Za-z_][^\s<>/]*+)([^<>]*)>")
_XHTML = "http://www.w3.org/1999/xhtml"
# XHTML writes any element without content so; HTML's parser never ends it, and takes the rest of
# the page for the content of a frame or a text field. HTML's own elements that hold nothing stay.
_EMPTY_TAG = re.compile(
    r"<(?!(?:area|base|br|col|embed|frame|hr|img|input|link|meta|param|source|track|wbr)[\s/])"
    r"([a-z][^\s<>/]*)(\s[^<>]*?)?/>",
    re.IGNORECASE,
)
# Text that XML takes as it is; scripts and styles with content are that in HTML anyway.
_LITERAL = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b[^<>]*+(?<!/)>.*?(?:</\1\b|\Z)"
    r"|<!\[CDATA\[(.*?)(?:\]\]>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def is_xhtml(text: str) -> bool:
    """Whether the root element of an XML document is XHTML's."""
    root = _ROOT.search(text[:10_000])
    return root is not None and root[1].lower() == "html" and _XHTML in root[2]


def as_html(text: str) -> str:
    """XHTML in the forms that HTML's parser understands as XML's would."""
    if "<![CDATA[" in text:
        text = _LITERAL.sub(
            lambda found: found[0] if found[2] is None else escape(found[2], quote=False), text
        )
    return _EMPTY_TAG.sub(r"<\1\2></\1>", text, count=MAX_EMPTY)


def read_xml(page: Page, text: str, *, keep_fields: bool) -> None:
    """Put the text of an XML document into ``page``: every element begins a line.

    Entities are HTML's, none is declared: an entity bomb stays text. ``keep_fields`` keeps
    each element's own text under its path, names without prefix (``book/chapter/title``).
    """
    reader = _Reader(keep_fields=keep_fields)
    position = 0
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number == MAX_TOKENS:
            page.cuts += ("too_many_elements",)
            text = text[: token.start()]
            break
        reader.add(_unescaped(text[position : token.start()]))
        reader.take(token)
        position = token.end()
    reader.add(_unescaped(text[position:]))
    reader.flush()
    page.text = "\n".join(reader.lines)
    page.title = reader.title
    page.language = reader.language or page.language
    page.fields = {path: tuple(values) for path, values in reader.fields.items()}


def _unescaped(text: str) -> str:
    """The characters that references mean, block by block: a match takes 50 bytes of memory."""
    parts: list[str] = []
    start = 0
    while len(text) - start > BLOCK:
        end = start + BLOCK
        reference = text.rfind("&", end - LONGEST_REFERENCE, end)
        end = reference if reference > 0 else end
        parts.append(unescape(text[start:end]))
        start = end
    return "".join((*parts, unescape(text[start:])))


class _Reader:
    """The state of reading one document."""

    __slots__ = ("_keep", "_path", "_pieces", "fields", "language", "lines", "title")

    def __init__(self, *, keep_fields: bool) -> None:
        self.lines: list[str] = []
        self.fields: dict[str, list[str]] = {}
        self.title = ""
        self.language = ""
        self._keep = keep_fields
        self._path: list[str] = []
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Add text of the current element."""
        if text:
            self._pieces.append(text)

    def take(self, token: re.Match[str]) -> None:
        """Read one token that is no text."""
        if token["cdata"] is not None:
            self.add(token["cdata"])
        elif token["name"]:
            self.flush()
            self._move(token)

    def _move(self, token: re.Match[str]) -> None:
        """Enter or leave an element; an end that fits nothing is passed over."""
        name = token["name"].rpartition(":")[2][:MAX_NAME]
        if not token["close"]:
            language = _LANGUAGE.search(token["attributes"])
            self.language = self.language or (read_language(language[1]) if language else "")
            if not token["empty"]:
                self._path.append(name)
        elif name in self._path[-MAX_PATH:]:
            while self._path.pop() != name:
                pass

    def flush(self) -> None:
        """End a line."""
        line = squeezed("".join(self._pieces))
        self._pieces.clear()
        if not line:
            return
        self.lines.append(line)
        if not self.title and self._path and self._path[-1].lower() == "title":
            self.title = line
        if self._keep and len(self.fields) < MAX_FIELDS:
            self.fields.setdefault("/".join(self._path[:MAX_PATH]), []).append(line)
