"""What makes a page's content the same: its text and links, not its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from sitecrawl.web.urls import origin

if TYPE_CHECKING:
    from sitecrawl.web.page import Page

# Frames and scripts of other sites are where advertisements come from.
_CHANGING = frozenset({"iframe", "script", "refresh"})


def content_hash(page: Page, links: Iterable[str] | None = None) -> str:
    """32 hex digits that change when text, links or own images do.

    Banners are left out: images of other hosts with their ALT, the links around them, and
    what frames and scripts show of other sites. ``links`` are the keys to compare in place
    of the URLs as found, where session ids would make these differ at each visit.
    """
    urls = stable_links(page) if links is None else links
    parts = [page.stable_text or page.text, *sorted(set(urls)), "", *sorted(page.images)]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def text_hash(page: Page) -> str | None:
    """32 hex digits that pages with the same title and text share, None without text.

    Pages that share it are duplicates, wherever they lie and whatever they link to.
    """
    text = page.stable_text or page.text
    if not text:
        return None
    return sha256(f"{page.title}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def stable_links(page: Page) -> list[str]:
    """The links that belong to the content."""
    own = origin(page.url)
    return [
        link.url
        for link in page.links
        if not link.banner and (link.via not in _CHANGING or origin(link.url) == own)
    ]
