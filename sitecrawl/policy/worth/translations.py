"""Translations that pages declare (``rel="alternate"`` with ``hreflang``), and their other addresses.

Under each of its addresses a page declares the addresses of its translations anew: content
negotiation gives ``/fr/page.html``, ``/page.html.fr`` and ``/en/page.html.fr``. What pages with the same
text, or translations of them, declare for one language is one page.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from zlib import crc32

MAX_DECLARED = 250_000
"""Number of declared addresses, and of texts, that are remembered."""


@dataclass(slots=True)
class Translations:
    """The declared translations of one origin, as CRC-32 hashes of their URLs.

    ``declared`` are all of them, ``read_elsewhere`` those whose page was read under another URL.
    """

    declared: set[int] = field(default_factory=set)
    read_elsewhere: set[int] = field(default_factory=set)
    _pages: dict[int, tuple[int, str]] = field(default_factory=dict)
    _urls: defaultdict[tuple[int, str], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _read_pages: set[tuple[int, str]] = field(default_factory=set)
    _groups: dict[int, int] = field(default_factory=dict)

    def declare(self, text: int, language: str, url: str, *, is_read: bool) -> None:
        """Record that a page with the hash ``text`` declares its translation into a language."""
        key = crc32(url.encode())
        if key in self.declared or len(self.declared) >= MAX_DECLARED:
            return
        self.declared.add(key)
        page = self._groups.get(text, text), language.lower()
        if is_read:
            self._read(page)
        elif page in self._read_pages:
            self.read_elsewhere.add(key)
        else:
            self._pages[key] = page
            self._urls[page].append(key)

    def page_read(self, url: str, text: int) -> None:
        """Record that a document was read, with the hash of its text."""
        key = crc32(url.encode())
        page = self._pages.get(key)
        if page is not None:
            self._groups.setdefault(text, page[0])
            self._read(page, but=key)

    def _read(self, page: tuple[int, str], but: int | None = None) -> None:
        """Record that a translation was read, so that its other URLs lead to nothing new."""
        self._read_pages.add(page)
        for key in self._urls.pop(page, ()):
            del self._pages[key]
            if key != but:
                self.read_elsewhere.add(key)
