"""Hashes of a page's content: its text and links, not its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from sitecrawl.web.urls.url import origin

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


# Frames and scripts of other sites contain advertisements.
_CHANGING = frozenset({"iframe", "script", "refresh"})


def content_hash(text: str, links: Iterable[str], images: Iterable[str]) -> str:
    """Return 32 hex digits that change when the text, given by its hash, links or own images do.

    Banners are left out: images of other hosts with their ALT text, the links around them, and
    content of frames and scripts from other sites. ``links`` may be keys instead of the URLs as
    found, if session ids would make these differ at each visit.
    """
    lines = [text, *sorted(set(links)), "", *sorted(images)]
    return sha256(_encoded("\0".join(lines))).hexdigest()[:32]


def text_hash(title: str, text: bytes) -> str | None:
    """Return 32 hex digits that pages with the same title and text share; None without text.

    Pages that share it are duplicates, regardless of their URLs and links.
    """
    if not text:
        return None
    digest = sha256(_encoded(title) + b"\0")
    digest.update(text)
    return digest.hexdigest()[:32]


def stable_text(page: Page) -> bytes:
    """Return the text that belongs to the content, with the comments below it, in UTF-8."""
    text = _encoded(page.stable_text or page.text)
    return text + b"\n" + _encoded(page.comments) if page.comments else text


def stable_links(page: Page) -> list[str]:
    """Return the links that belong to the content."""
    own = origin(page.url)
    return [
        link.url
        for link in page.links
        if not link.banner and (link.via not in _CHANGING or origin(link.url) == own)
    ]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
