"""News feeds as lists of links: RSS 0.9 to 2.0 and Atom 1.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from sitecrawl.web.dates import read_date
from sitecrawl.web.decompression import read_chunks
from sitecrawl.web.feeds.listing_format import ListedUrl, ListingFormat
from sitecrawl.web.feeds.xml_stream import Element, read_elements, read_text
from sitecrawl.web.urls.url import resolve

ENTRY_LIMIT = 10_000
FEED_TYPES = ("application/rss+xml", "application/atom+xml")

_Entry = TypeVar("_Entry")

ENTRIES = frozenset({"item", "entry"})
ENTITY_IN_LOCATION = "entity_in_location"
_LOCATIONS = frozenset({"loc", "link", "guid"})
_PUBLISHED = ("pubdate", "published", "issued", "date")
_UPDATED = ("updated", "modified")
_REGISTERED = "http://www.iana.org/assignments/relation/"  # RFC 4287, 4.2.7.2
_PAGES = frozenset({"", "text/html", "application/xhtml+xml"})
WANTED = frozenset({*ENTRIES, *_PUBLISHED, *_UPDATED, "link", "guid"})


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Entry of a feed: the absolute URL of a resource and its dates, in UTC."""

    link: str
    published: datetime | None = None
    updated: datetime | None = None


def read_feed(
    body: bytes, url: str, *, limit: int = ENTRY_LIMIT, problems: list[str] | None = None
) -> Iterator[FeedEntry]:
    """Yield the entries of the feed at ``url``, plain or gzip, as far as it can be read.

    Entries without a link are skipped. ``problems`` receives a word for each reason why reading
    ended early: ``malformed_xml``, ``entity_refused``, ``too_large``, ``damaged_gzip``,
    ``too_many_entries``; and ``entity_in_location`` for each location that was dropped because it
    refers to an entity of a DTD.
    """
    pieces = read_text(read_chunks(body, problems=problems))
    elements = without_entities(read_elements(pieces, WANTED, problems), problems)
    yield from first(limit, read_entries(elements, url), problems)


def _listed(body: bytes, url: str, problems: list[str]) -> Iterator[ListedUrl]:
    """Yield the pages of a feed, each with its date of update, else of publication."""
    for entry in read_feed(body, url, problems=problems):
        yield ListedUrl(entry.link, entry.updated or entry.published)


FEED = ListingFormat(name="feed", one="a feed", read=_listed, dates_requeue=True)


def without_entities(elements: Iterator[Element], problems: list[str] | None) -> Iterator[Element]:
    """Yield the elements; empty the locations that refer to an entity of a DTD."""
    for element in elements:
        if element.entity and element.name in _LOCATIONS:
            if problems is not None:
                problems.append(ENTITY_IN_LOCATION)
            yield element._replace(text="", attributes={})
        else:
            yield element


def first(limit: int, entries: Iterator[_Entry], problems: list[str] | None) -> Iterator[_Entry]:
    """Yield the first ``limit`` entries; report ``too_many_entries`` if there are more."""
    for count, entry in enumerate(entries):
        if count == limit:
            if problems is not None:
                problems.append("too_many_entries")
            return
        yield entry


def read_entries(elements: Iterator[Element], url: str) -> Iterator[FeedEntry]:
    """Yield the entries that a feed's elements describe."""
    draft = _Draft()
    for element in elements:
        if element.name in ENTRIES:
            if entry := draft.entry(element, url):
                yield entry
            draft = _Draft()
        elif element.parent in ENTRIES:
            draft.add(element)


@dataclass(slots=True)
class _Draft:
    """An entry whose elements are still being read."""

    texts: dict[str, str] = field(default_factory=dict)
    link: str = ""
    bases: tuple[str, ...] = ()
    _is_page: bool = False

    def add(self, element: Element) -> None:
        """Add one child element of the entry."""
        rel = element.attributes.get("rel", "alternate").lower().removeprefix(_REGISTERED)
        if element.name == "link" and rel == "alternate":
            self._take_link(element.attributes.get("href", "") or element.text, element)
        elif element.name == "guid":
            if element.attributes.get("ispermalink", "true").lower() != "false":
                self.texts["guid"] = element.text
        elif element.name != "link":
            self.texts.setdefault(element.name, element.text)

    def entry(self, element: Element, url: str) -> FeedEntry | None:
        """Return the entry that ``element`` ends, or None if it has no URL."""
        found = self.link or self.texts.get("guid") or element.attributes.get("about", "")
        for base in self.bases:
            url = resolve(base, url) or url
        link = resolve(found, url) if found else None
        if link is None or not link.startswith(("http://", "https://")):
            return None
        return FeedEntry(link, self._date(_PUBLISHED), self._date(_UPDATED))

    def _take_link(self, href: str, element: Element) -> None:
        """Keep the first link, or the first to a page: a link to a PDF may precede it."""
        kind = element.attributes.get("type", "").partition(";")[0].strip().lower()
        is_page = kind in _PAGES
        if href and (not self.link or (is_page and not self._is_page)):
            self.link, self.bases, self._is_page = href, element.base, is_page

    def _date(self, names: tuple[str, ...]) -> datetime | None:
        """Return the first valid date under one of ``names``."""
        dates = (read_date(self.texts.get(name)) for name in names)
        return next((date for date in dates if date), None)
