"""XML document data: one document an XML file, its elements being the document's fields.

The root is ``documentdata`` with ``version="1.0"``. ``doc_title``, ``doc_body`` (with
``type="html"`` markup), ``doc_url`` and the like fill the known fields; any other element is a
field of its own. An element with several values has a ``value`` element for each.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from sitecrawl.web.bounds import bounded
from sitecrawl.web.html import read_html
from sitecrawl.web.page import Page
from sitecrawl.web.urls import resolve
from sitecrawl.web.xml import as_html, read_xml

if TYPE_CHECKING:
    from sitecrawl.web.options import ReadOptions

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

_ROOT = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->)*+<documentdata\b([^<>]*)>", re.DOTALL)
_VERSION = re.compile(r"\bversion\s*=\s*[\"']([^\"']*)[\"']")
_HTML = re.compile(
    r"<doc_body\b(?>[^<>]*?\btype\s*=\s*[\"']html[\"'])[^<>]*+(?<!/)>(.*?)(?:</doc_body\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_LITERAL = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|(<[A-Za-z])", re.DOTALL)


def is_documentdata(text: str) -> bool:
    """Whether the root element is documentdata."""
    return _ROOT.match(text[:10_000]) is not None


def read_documentdata(page: Page, text: str, options: ReadOptions) -> None:
    """Fill ``page`` with the fields of the document; links in its body are not looked for.

    A version other than 1.0 makes the page unusable: ``fault`` then says ``unknown_version``.
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
        read_html(page, markup, options)
    else:
        page.text = "\n".join(values.get("doc_body", ()))
    _fill(page, values)


def _markup(written: str) -> str:
    """The markup of a body: as escaped text, as CDATA, or as elements of the document."""
    if any(found[1] for found in _LITERAL.finditer(written)):
        return as_html(written)
    return "".join(
        part if number % 2 else unescape(part) for number, part in enumerate(_CDATA.split(written))
    )


def _values(page: Page, text: str) -> dict[str, tuple[str, ...]]:
    """The values of each element below the root."""
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
        metas["keywords"] = (", ".join(keywords) + ",",)  # commas make phrases of them
    page.metas = metas
    page.fields = {name: each for name, each in values.items() if name not in KNOWN}
