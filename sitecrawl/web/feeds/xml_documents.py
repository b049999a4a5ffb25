"""XML document data: one document per XML file, whose elements are the document's fields.

The root is ``documentdata`` with ``version="1.0"``. ``doc_title``, ``doc_body`` (with
``type="html"`` markup), ``doc_url`` and the like fill the known fields; any other element is a
field of its own. An element with several values has a ``value`` element for each.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING

from sitecrawl.web.html.page import Page
from sitecrawl.web.html.parser_bounds import bounded
from sitecrawl.web.html.reader import read_html
from sitecrawl.web.languages import read_language
from sitecrawl.web.urls.url import resolve
from sitecrawl.web.whitespace import BLOCK, squeezed

if TYPE_CHECKING:
    from sitecrawl.web.read_options import ReadOptions


VERSION = "1.0"
METAS = {
    "doc_description": "description",
    "doc_author": "author",
    "doc_authors": "author",
    "doc_created": "dcterms.created",
    "doc_modified": "dcterms.modified",
    "doc_identifier": "dc.identifier",
}
KNOWN = frozenset({*METAS, "doc_title", "doc_body", "doc_keywords", "doc_language", "doc_url"})

_PROLOG = r"\ufeff?(?>\s+|<\?.*?\?>|<!--.*?-->)*+"
_ROOT = re.compile(_PROLOG + r"<documentdata\b([^<>]*)>", re.DOTALL)
_ROOT_TAG = re.compile(_PROLOG + r"(?><!DOCTYPE[^<>]*>\s*)?<([^\s<>/!?=]++)", re.DOTALL)
_RSS = "http://purl.org/rss/1.0/"
_LISTINGS = frozenset({"rss", "feed", "opml", "urlset", "sitemapindex"})
_VERSION = re.compile(r"\bversion\s*=\s*[\"']([^\"']*)[\"']")
_HTML = re.compile(
    r"<doc_body\b(?>[^<>]*?\btype\s*=\s*[\"']html[\"'])[^<>]*+(?<!/)>(.*?)(?:</doc_body\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_LITERAL = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|(<[A-Za-z])", re.DOTALL)


def is_listing(text: str) -> bool:
    """Return True for a feed, sitemap or list of feeds, which repeats what its pages say."""
    root = _ROOT_TAG.match(text[:10_000])
    if root is None:
        return False
    name = root[1].rpartition(":")[2]
    return name in _LISTINGS or (name == "RDF" and _RSS in text[:10_000])


def is_documentdata(text: str) -> bool:
    """Return True if the root element is documentdata."""
    return _ROOT.match(text[:10_000]) is not None


def read_documentdata(page: Page, text: str, options: ReadOptions) -> None:
    """Fill ``page`` with the fields of the document; ignore links in its body.

    A version other than 1.0 makes the page unusable: ``fault`` is then ``unknown_version``.
    """
    root = _ROOT.match(text[:10_000])
    version = _VERSION.search(root[1]) if root else None
    if version is None or version[1].strip() != VERSION:
        page.fault = "unknown_version"
        return
    values = _values(page, text)
    written = _HTML.findall(text)
    if written:
        markup = "\n".join(map(_markup, written)).encode("utf-8", "replace")
        markup, cuts = bounded(markup, options.max_bytes, options.max_depth)
        page.cuts += cuts
        read_html(page, markup, options).fill_text()
    else:
        page.text = "\n".join(values.get("doc_body", ()))
    _fill(page, values)


def _markup(written: str) -> str:
    """Return the markup of a body: escaped text, CDATA, or elements of the document."""
    if any(found[1] for found in _LITERAL.finditer(written)):
        return as_html(written)
    return "".join(
        part if number % 2 else unescape(part) for number, part in enumerate(_CDATA.split(written))
    )


def _values(page: Page, text: str) -> dict[str, tuple[str, ...]]:
    """Return the values of each element below the root, by name."""
    whole = Page(page.url, page.base, page.content_type)
    read_xml(whole, text, keep_fields=True)
    found: dict[str, list[str]] = {}
    for path, values in whole.fields.items():
        name = path.partition("/")[2].partition("/")[0]
        if name:
            found.setdefault(name, []).extend(values)
    return {name: tuple(values) for name, values in found.items()}


def _fill(page: Page, values: dict[str, tuple[str, ...]]) -> None:
    page.title = next(iter(values.get("doc_title", ())), "")
    page.language = next(iter(values.get("doc_language", ())), "") or page.language
    page.location = resolve(next(iter(values.get("doc_url", ())), ""), page.url) or ""
    metas = {meta: values[name] for name, meta in METAS.items() if name in values}
    if keywords := values.get("doc_keywords"):
        metas["keywords"] = (", ".join(keywords) + ",",)  # commas mark phrases
    page.metas = metas
    page.fields = {name: each for name, each in values.items() if name not in KNOWN}


MAX_TOKENS = 500_000  # tags and comments of one document; each takes three microseconds
MAX_EMPTY = 300_000  # self-closing tags that are expanded; further ones are parsed as nested
MAX_FIELDS = 2_000
MAX_REFERENCE_LENGTH = 40  # characters
MAX_PATH = 32  # elements; deeper ones count as the 32nd
MAX_NAME = 200  # characters of an element's name; the rest is dropped
# Tokens of XML 1.0, matched leniently; anything else is text.
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
_XHTML_ROOT_TAG = re.compile(r"<([A-Za-z_][^\s<>/]*+)([^<>]*)>")
_XHTML = "http://www.w3.org/1999/xhtml"
# Self-closing tags, which XHTML allows for any element. HTML's parser does not close them, and
# takes the rest of the page as content of a frame or a text field. HTML's void elements stay.
_EMPTY_TAG = re.compile(
    r"<(?!(?:area|base|br|col|embed|frame|hr|img|input|link|meta|param|source|track|wbr)[\s/])"
    r"([a-z][^\s<>/]*)(\s[^<>]*?)?/>",
    re.IGNORECASE,
)
# Text that XML takes literally; HTML does so for scripts and styles with content anyway.
_XML_LITERAL = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b[^<>]*+(?<!/)>.*?(?:</\1\b|\Z)"
    r"|<!\[CDATA\[(.*?)(?:\]\]>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def is_xhtml(text: str) -> bool:
    """Return True if the root element of an XML document is that of XHTML."""
    root = _XHTML_ROOT_TAG.search(text[:10_000])
    return root is not None and root[1].lower() == "html" and _XHTML in root[2]


def as_html(text: str) -> str:
    """Rewrite XHTML so that an HTML parser reads it as an XML parser would."""
    if "<![CDATA[" in text:
        text = _XML_LITERAL.sub(
            lambda found: found[0] if found[2] is None else escape(found[2], quote=False), text
        )
    return _EMPTY_TAG.sub(r"<\1\2></\1>", text, count=MAX_EMPTY)


def read_xml(page: Page, text: str, *, keep_fields: bool) -> None:
    """Put the text of an XML document into ``page``: every element begins a line.

    Only HTML's entities are expanded, none that the document declares: an entity bomb stays text.
    ``keep_fields`` keeps each element's own text under its path, names without prefix
    (``book/chapter/title``).
    """
    reader = _XmlReader(keep_fields=keep_fields)
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
    """Replace character references, block by block: a match takes 50 bytes of memory."""
    parts: list[str] = []
    start = 0
    while len(text) - start > BLOCK:
        end = start + BLOCK
        reference = text.rfind("&", end - MAX_REFERENCE_LENGTH, end)
        end = reference if reference > 0 else end
        parts.append(unescape(text[start:end]))
        start = end
    return "".join((*parts, unescape(text[start:])))


class _XmlReader:
    """Reader state of one XML document."""

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
        """Read one token that is not text."""
        if token["cdata"] is not None:
            self.add(token["cdata"])
        elif token["name"]:
            self.flush()
            self._move(token)

    def _move(self, token: re.Match[str]) -> None:
        """Enter or leave an element; an unmatched end tag is ignored."""
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
        """End the current line."""
        line = squeezed("".join(self._pieces))
        self._pieces.clear()
        if not line:
            return
        self.lines.append(line)
        if not self.title and self._path and self._path[-1].lower() == "title":
            self.title = line
        if self._keep and len(self.fields) < MAX_FIELDS:
            self.fields.setdefault("/".join(self._path[:MAX_PATH]), []).append(line)
