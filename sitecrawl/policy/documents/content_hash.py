"""Hashes of a page's content: its text and links, not its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from sitecrawl.web.urls.url import origin

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


# Frames and scripts of other sites are where advertisements come from.
_CHANGING = frozenset({"iframe", "script", "refresh"})


def content_hash(text: bytes, links: Iterable[str], images: Iterable[str]) -> str:
    """32 hex digits that change when text, links or own images do.

    Banners are left out: images of other hosts with their ALT, the links around them, and
    what frames and scripts show of other sites. ``links`` may be keys in place of the URLs
    as found, where session ids would make these differ at each visit.
    """
    digest = sha256(text)
    digest.update(_encoded("\0".join(["", *sorted(set(links)), "", *sorted(images)])))
    return digest.hexdigest()[:32]


def text_hash(title: str, text: bytes) -> str | None:
    """32 hex digits that pages with the same title and text share, None without text.

    Pages that share it are duplicates, wherever they lie and whatever they link to.
    """
    return sha256(_encoded(title) + b"\0" + text).hexdigest()[:32] if text else None


def stable_text(page: Page) -> bytes:
    """The text that belongs to the content."""
    return _encoded(page.stable_text or page.text)


def whole_text(page: Page) -> bytes:
    """That text with the lines that the pages of its template share.

    Which ones these are is learned while pages are read: pages that are equal stay so.
    """
    return _encoded(page.whole_text or page.stable_text or page.text)


def stable_links(page: Page) -> list[str]:
    """The links that belong to the content."""
    own = origin(page.url)
    return [
        link.url
        for link in page.links
        if not link.banner and (link.via not in _CHANGING or origin(link.url) == own)
    ]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
