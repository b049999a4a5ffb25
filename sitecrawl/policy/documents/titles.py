"""The title of a document: the best of what names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sitecrawl.policy.documents.words import cut_at_word
from sitecrawl.web.urls import split

if TYPE_CHECKING:
    from sitecrawl.policy.documents.options import DocumentOptions
    from sitecrawl.web.page import Page

_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$")
_SEPARATORS = re.compile(r"[-_+\s]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def document_title(page: Page, options: DocumentOptions) -> str:
    """The first title in the order of the options that says anything."""
    found = (title_from(source, page) for source in options.title_order)
    title = next((title for title in found if title), "") or title_from_url(page.url)
    if options.recase_titles:
        title = recased(title)
    return cut_at_word(title, options.title_length, page.language)


def title_from(source: str, page: Page) -> str:
    """What one source gives: ``title``, ``json_ld``, ``heading``, ``url`` or a meta's name."""
    if source == "title":
        return page.title
    if source == "heading":
        return page.headings[0].text if page.headings else ""
    if source == "url":
        return title_from_url(page.url)
    if source == "json_ld":
        return next(iter(page.json_ld.get("headline", page.json_ld.get("name", ()))), "")
    return next(iter(page.metas.get(source.lower(), ())), "")


def title_from_url(url: str) -> str:
    """The last segment of a URL's path as words; the host where there is none."""
    parts = split(url)
    segment = parts.path.rstrip("/").rpartition("/")[2]
    text = _EXTENSION.sub("", unquote(segment, errors="replace"))
    return _SEPARATORS.sub(" ", text).strip() or parts.host


def recased(title: str) -> str:
    """A title all in capitals with a capital to each word; any other as it is."""
    if not title.isupper() or len(_WORD.findall(title)) < 2:
        return title
    return _WORD.sub(lambda word: word[0].capitalize(), title)
