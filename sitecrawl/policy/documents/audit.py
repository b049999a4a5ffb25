"""Facts of a page that only a report needs, in the form in which the crawl database keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sitecrawl.policy.documents.usage_permissions import NOTHING_SAID
from sitecrawl.web.html.page import Page
from sitecrawl.web.media_type import is_html

MAX_TEXT = 300
"""Characters kept of a title, a description and a heading."""
MAX_H1 = 3
MAX_LANGUAGES = 50
MAX_ANCHORS, MAX_ANCHOR = 500, 100
"""Texts of links that are kept of a page, and characters of each."""


class PageAudit(NamedTuple):
    """Texts of a page as its author wrote them, and its flaws.

    ``languages`` are the pages that it declares to be its translations (hreflang), by language.
    ``anchors`` are the texts of links by their URL, if the crawl reads them (more_fields=anchors).
    The others are as in ``Page``. ``usage`` is the document's field of this name, also of a page without one;
    of a ``file``, which is no HTML, nothing else is told.
    """

    title: str = ""
    description: str = ""
    h1: tuple[str, ...] = ()
    languages: tuple[tuple[str, str], ...] = ()
    insecure: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    no_alt: int = 0
    broken_json_ld: int = 0
    anchors: tuple[tuple[str, str], ...] = ()
    usage: Mapping[str, Any] = NOTHING_SAID
    file: bool = False


def audit_text(page: Page, usage: Mapping[str, Any] = NOTHING_SAID) -> str:
    """Return the stored form of a page's audit."""
    if not is_html(page.content_type):
        return _stored(PageAudit(usage=usage, file=True))
    languages = [(each.hreflang, each.url) for each in page.alternates if each.hreflang]
    anchors = [
        (each.url, each.text[:MAX_ANCHOR]) for each in page.links if each.text and not each.banner
    ]
    return _stored(
        PageAudit(
            page.title[:MAX_TEXT],
            next(iter(page.metas.get("description", ())), "")[:MAX_TEXT],
            tuple(each[:MAX_TEXT] for each in page.h1[:MAX_H1]),
            tuple(languages[:MAX_LANGUAGES]),
            page.insecure,
            page.unprotected,
            page.no_alt,
            page.broken_json_ld,
            tuple(dict.fromkeys(anchors))[:MAX_ANCHORS],
            usage,
        )
    )


def _stored(audit: PageAudit) -> str:
    said = {name: value for name, value in audit._asdict().items() if value}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def read_audit(text: str) -> PageAudit:
    """Read the stored form."""
    said = json.loads(text)
    for name in ("h1", "insecure", "unprotected"):
        said[name] = tuple(said.get(name, ()))
    for name in ("languages", "anchors"):
        said[name] = tuple((each[0], each[1]) for each in said.get(name, ()))
    return PageAudit(**said)
