"""Sitemaps as lists of URLs: sitemaps.org's sets and indexes, plain text, and feeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from sitecrawl.web.dates import read_date
from sitecrawl.web.decompression import read_chunks
from sitecrawl.web.feeds.listing_format import ListedUrl, ListingFormat
from sitecrawl.web.feeds.news_feeds import ENTRIES, WANTED, first, read_entries, without_entities
from sitecrawl.web.feeds.xml_stream import Element, read_elements, read_text
from sitecrawl.web.urls.url import normalize, resolve

ENTRY_LIMIT = 50_000  # per file, by the protocol
LINE_LIMIT = 8192

_PARENTS = {"url": False, "sitemap": True}


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One location of a sitemap: an absolute URL, which may be that of another sitemap."""

    loc: str
    lastmod: datetime | None = None
    is_sitemap: bool = False


def read_sitemap(
    body: bytes, url: str, *, limit: int = ENTRY_LIMIT, problems: list[str] | None = None
) -> Iterator[SitemapEntry]:
    """Yield the entries of the sitemap at ``url``, plain or gzip, as far as it can be read.

    Relative locations are resolved; those that are not http URLs are skipped. ``problems`` receives
    a word for each reason why reading ended early or a location was dropped, as in ``read_feed``.
    """
    entries = _entries(body, url, problems)
    yield from first(limit, (entry for entry in entries if _is_page(entry.loc)), problems)


def _listed(body: bytes, url: str, problems: list[str]) -> Iterator[ListedUrl]:
    """Yield the pages and further sitemaps of a sitemap."""
    for entry in read_sitemap(body, url, problems=problems):
        yield ListedUrl(entry.loc, entry.lastmod, entry.is_sitemap)


SITEMAP = ListingFormat(name="sitemap", one="a sitemap", read=_listed, lists_xml=True)


def _is_page(loc: str) -> bool:
    """Return True for a location that can be fetched."""
    return loc.startswith(("http://", "https://"))


def _entries(body: bytes, url: str, problems: list[str] | None) -> Iterator[SitemapEntry]:
    """Return the entries of a file; its first character distinguishes XML from plain text."""
    pieces = read_text(read_chunks(body, problems=problems))
    head = next((piece for piece in pieces if piece), "")
    pieces = chain((head,), pieces)
    if not head.startswith("<"):
        return _text_entries(pieces)
    wanted = WANTED | _PARENTS.keys() | {"loc", "lastmod"}
    return _xml_entries(without_entities(read_elements(pieces, wanted, problems), problems), url)


def _text_entries(pieces: Iterator[str]) -> Iterator[SitemapEntry]:
    """Yield the entries of a text sitemap: one absolute URL per line."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest[:LINE_LIMIT] + piece).replace("\r", "\n").split("\n")
        yield from _line_entries(lines)
    yield from _line_entries([rest])


def _line_entries(lines: list[str]) -> Iterator[SitemapEntry]:
    """Yield the entries of lines that are URLs."""
    for line in lines:
        if len(line) <= LINE_LIMIT and "://" in line and (loc := normalize(line)):
            yield SitemapEntry(loc)


def _xml_entries(elements: Iterator[Element], url: str) -> Iterator[SitemapEntry]:
    """Yield the entries of a urlset, a sitemapindex or a feed."""
    draft = SitemapEntry("")
    feed: list[Element] = []
    for element in elements:
        if element.name in _PARENTS:
            yield from _resolved(draft, url)
            draft = SitemapEntry("")
        elif element.parent in _PARENTS:
            draft = _with(draft, element)
        elif element.name in ENTRIES or element.parent in ENTRIES:  # skips the images of a page
            feed.append(element)
            if element.name in ENTRIES:
                yield from _feed_entries(feed, url)
                feed.clear()
    yield from _resolved(draft, url)  # of a truncated file


def _with(draft: SitemapEntry, element: Element) -> SitemapEntry:
    """Return ``draft`` with one more child of its element; the first location counts."""
    if element.name == "loc" and not draft.loc:
        return SitemapEntry(element.text, draft.lastmod, _PARENTS[element.parent])
    if element.name == "lastmod":
        return SitemapEntry(draft.loc, read_date(element.text), draft.is_sitemap)
    return draft


def _resolved(draft: SitemapEntry, url: str) -> Iterator[SitemapEntry]:
    """Yield ``draft`` with an absolute location; nothing if it has none."""
    if draft.loc and (loc := resolve(draft.loc, url)):
        yield SitemapEntry(loc, draft.lastmod, draft.is_sitemap)


def _feed_entries(elements: list[Element], url: str) -> Iterator[SitemapEntry]:
    """Yield the sitemap entries of one feed entry's elements."""
    for entry in read_entries(iter(elements), url):
        yield SitemapEntry(entry.link, entry.updated or entry.published)
