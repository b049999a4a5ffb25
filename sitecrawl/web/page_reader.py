"""Page reader: converts a response of any media type to a ``Page``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sitecrawl.web.article_text import MAX_MARKUP, ArticleLines, article_text
from sitecrawl.web.encoding import decode, decode_to_utf8
from sitecrawl.web.feeds.xml_documents import (
    as_html,
    is_documentdata,
    is_listing,
    is_xhtml,
    read_documentdata,
    read_xml,
)
from sitecrawl.web.html.embedded import DECLARED, with_shadows
from sitecrawl.web.html.links import is_map_file, read_map
from sitecrawl.web.html.main_content import left_out
from sitecrawl.web.html.outgoing import Outgoing, fill_outgoing
from sitecrawl.web.html.page import Page
from sitecrawl.web.html.parser_bounds import bounded
from sitecrawl.web.html.reader import NO_READING, Reading, read_html
from sitecrawl.web.languages import judged_language, read_language
from sitecrawl.web.media_type import is_html, is_text, is_xml, media_type
from sitecrawl.web.memory import release_memory
from sitecrawl.web.read_options import ReadOptions

# Trailing white space; matched at its beginning only, or long runs take quadratic time.
_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++(?=\n|\Z)")
# The declarations in a document type of XHTML. HTML ends the type at its first ">": what follows
# would begin the body, and the head would be part of that.
_DOCTYPE = re.compile(rb"<!doctype\b[^\[<>]*(?=\[)", re.IGNORECASE)
_DECLARATIONS = re.compile(rb"\[[^\]]*\]\s*(?=>)")
_TYPE_WITHIN = 4096
"""Bytes of a document within which its type is looked for."""


def read_plain(page: Page, text: str) -> None:
    """Read a plain text document; normalize line ends and strip trailing white space."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    page.text = _TRAILING.sub("", text).strip("\n")


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    headers: Mapping[str, Sequence[str]],
    options: ReadOptions,
    file_html: bytes | None = None,
) -> Page:
    """Return all facts of one response. Never raises.

    ``url`` is the URL that answered; ``content_type`` is the header's value; if it is None or
    empty, the body is sniffed. ``headers`` are all response headers, names in any case, each with
    its values. ``file_html`` is the HTML that a file reader made of the body.
    """
    kind = media_type(content_type, body)
    page = Page(url, url, kind, len(body))
    lowered = {name.lower(): values for name, values in headers.items()}
    page.language = read_language(next(iter(lowered.get("content-language", ())), ""))
    page.last_modified = next(iter(lowered.get("last-modified", ())), "")
    # A header without a type may have a charset, and a sniffed document may declare one.
    header = content_type or ""
    declared = header if kind in header else f"{kind};{header}"
    if file_html is None:
        outgoing, fill_text = _read_body(page, body, declared, options)
    else:
        page.encoding = "utf-8"
        outgoing, fill_text = _read_markup(page, file_html, options)
    fill_outgoing(page, outgoing, lowered, options)
    del outgoing
    release_memory(len(body))
    fill_text()
    _fill_language(page)
    del fill_text
    release_memory(len(body))
    return page


def _fill_language(page: Page) -> None:
    """Set the source of the language; detect it if none or plainly the wrong one is declared."""
    page.language, detected = judged_language(page.language, page.stable_text or page.text)
    if detected:
        page.language_source = "detected"
    elif page.language and not page.language_source:
        page.language_source = "header"


def _read_body(page: Page, body: bytes, declared: str, options: ReadOptions) -> Reading:
    """Read the body by its media type; a body that is not text yields nothing."""
    kind = page.content_type
    is_map = options.image_maps == "mapfile" and is_map_file(page.url)
    if not (is_html(kind) or is_xml(kind) or is_text(kind) or is_map):
        return NO_READING
    if kind == "text/html":
        markup, page.encoding = decode_to_utf8(body, declared)
        return _read_markup(page, markup, options)
    text, page.encoding = decode(body, declared)
    if is_html(kind) or (is_xml(kind) and is_xhtml(text)):
        markup = as_html(text).encode("utf-8", "replace")
        del text  # as large as the markup; freed before the parse
        return _read_markup(page, markup, options)
    if is_map:
        return NO_READING._replace(
            outgoing=Outgoing(hrefs=[(href, "ismap") for href in read_map(text)])
        )
    if is_xml(kind) and is_documentdata(text):
        read_documentdata(page, text, options)
    elif is_xml(kind) and is_listing(text):
        page.fault = "listing"
    elif is_xml(kind):
        read_xml(page, text, keep_fields=options.xml_fields)
    else:
        read_plain(page, text)
    return NO_READING


def _read_markup(page: Page, markup: bytes, options: ReadOptions) -> Reading:
    """Read an HTML document in UTF-8, within the bounds of the options."""
    markup = _without_declarations(markup)
    if DECLARED in markup:
        markup = with_shadows(markup)
    markup, cuts = bounded(markup, options.max_bytes, options.max_depth)
    page.cuts += cuts
    release_memory(len(markup))
    outgoing, fill_text = read_html(page, markup, options)
    return Reading(outgoing, partial(_fill_text, page, markup, options, fill_text))


def _fill_text(
    page: Page, markup: bytes, options: ReadOptions, fill_text: Callable[[], None]
) -> None:
    """Fill the text of an HTML document, and what is read from all of it."""
    fill_text()
    if options.content == "article" and len(markup) > MAX_MARKUP:
        page.cuts += ("article",)
    elif options.content == "article":
        extractor = options.article_extractor
        article = article_text(
            markup, page.url, extractor, comments="comments" in options.keep_parts
        )
        if article:
            read_as_article(page, article)


def _without_declarations(markup: bytes) -> bytes:
    """Return a document without the declarations in its document type (XML 1.0, 2.8), if any."""
    doctype = _DOCTYPE.search(markup, 0, _TYPE_WITHIN)
    declared = doctype and _DECLARATIONS.match(markup, doctype.end(), doctype.end() + _TYPE_WITHIN)
    if not declared:
        return markup
    return markup[: declared.start()] + markup[declared.end() :]


def read_as_article(page: Page, article: str) -> None:
    """Replace a page's text by its article; drop headings and blocks that are not in it.

    Headings of level 1 stay.
    """
    lines = page.text.split("\n")
    kept = frozenset(article.split("\n"))
    page.left_out += (left_out("outside_article", [each for each in lines if each not in kept]),)
    page.text, page.stable_text = article, ""
    page.headings = tuple(each for each in page.headings if each.level == 1 or each.text in kept)
    page.heading_at = 0 if page.headings else -1
    own = ArticleLines(article)
    page.definitions = tuple(each for each in page.definitions if own.holds(each.term))
    page.content = tuple(
        block for block in page.content if any(map(own.holds, block.text.split("\n")))
    )
