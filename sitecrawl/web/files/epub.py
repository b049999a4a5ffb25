"""EPUB: metadata, and the XHTML documents of the spine in order."""

from __future__ import annotations

from functools import partial
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.encoding import decode
from sitecrawl.web.feeds.xml_documents import as_html
from sitecrawl.web.files.markup import FileMarkup, MarkupWriter, UnreadableFileError, clean
from sitecrawl.web.files.packages import Package, attribute, every, first, join, texts
from sitecrawl.web.html.parser_bounds import bounded

MAX_DOCUMENT = 5_000_000  # bytes of one document of the spine
MAX_DEPTH = 256
_LEFT_OUT = ["script", "style", "svg", "img", "iframe", "object", "link", "meta", "base", "form"]
# Algorithms that obfuscate fonts only, not texts (EPUB 3.3, 4.4; Adobe's own).
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read_epub(body: bytes) -> FileMarkup:
    """Convert an EPUB to HTML: all documents of the spine joined to one."""
    package, writer = Package(body), MarkupWriter()
    container = package.optional_tree("META-INF/container.xml")
    name = attribute(first(container, "rootfile"), "full-path")
    name = name or next((each for each in package if each.endswith(".opf")), "")
    if not name:
        raise UnreadableFileError("file_broken", "no package document")
    opf = package.tree(name)
    locked = _locked_parts(package)
    _fill_metadata(opf, writer)
    for part in _spine(opf, name):
        if part in locked:
            raise UnreadableFileError("file_encrypted", f"{part} is encrypted")
        if writer.is_full:
            writer.cuts.add("too_long")
            break
        if part in package:
            _write(package.read(part), writer)
    return writer.document()


def _fill_metadata(opf: Any, writer: MarkupWriter) -> None:
    meta = first(opf, "metadata")
    writer.metadata(
        partial(texts, meta),
        title="title",
        author="creator",
        description="description",
        keywords="subject",
        dcterms_publisher="publisher",
        dcterms_identifier="identifier",
        dcterms_issued="date",
        language="language",
    )
    writer.title = clean(next(iter(texts(meta, "title")), ""))  # a book may be called 1984
    for each in every(meta, "meta"):
        if attribute(each, "property") == "dcterms:modified":
            writer.meta("dcterms.modified", each.text)


def _spine(opf: Any, name: str) -> list[str]:
    """Return the documents of the spine in order, without the table of contents."""
    items = {attribute(each, "id"): each for each in every(opf, "item")}
    found: list[str] = []
    for each in every(opf, "itemref"):
        item = items.get(attribute(each, "idref"))
        if item is None or "nav" in attribute(item, "properties").split():
            continue
        if attribute(item, "media-type") in {"application/xhtml+xml", "text/html"}:
            found.append(join(name, attribute(item, "href")))
    return list(dict.fromkeys(found))


def _locked_parts(package: Package) -> frozenset[str]:
    """Return the encrypted parts, as in files with digital rights management."""
    tree = package.optional_tree("META-INF/encryption.xml")
    found: set[str] = set()
    for each in every(tree, "EncryptedData"):
        target = first(each, "CipherReference")
        algorithm = attribute(first(each, "EncryptionMethod"), "Algorithm")
        if target is not None and algorithm not in _FONTS_ONLY:
            found.add(join("", attribute(target, "URI")))
    return frozenset(found)


def _write(markup: bytes, writer: MarkupWriter) -> None:
    """Write the body of a document; drop ids and internal links, which have no URL outside."""
    if len(markup) > MAX_DOCUMENT:
        writer.cuts.add("too_long")
    text, _ = decode(markup[:MAX_DOCUMENT], "application/xhtml+xml")
    html, _ = bounded(as_html(text).encode("utf-8", "replace"), MAX_DOCUMENT, MAX_DEPTH)
    tree = LexborHTMLParser(html)
    tree.strip_tags(_LEFT_OUT)
    if tree.body is None:
        return
    for node in tree.css("[id]"):
        del node.attrs["id"]
    for node in tree.css("a[href]"):
        if not (node.attributes.get("href") or "").lower().startswith(("http:", "https:")):
            del node.attrs["href"]
    writer.has_text = writer.has_text or any(map(str.isalnum, tree.body.text()))
    inner = tree.body.html or ""
    writer.raw(inner.replace("<body", "<div", 1).removesuffix("</body>") + "</div>\n")
