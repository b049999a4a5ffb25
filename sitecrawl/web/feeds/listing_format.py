"""Listings: files that name the URLs of pages, such as sitemaps and feeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ListedUrl:
    """An absolute URL in a listing, with its date in UTC.

    ``is_listing``: the URL is that of another listing of the same format.
    """

    url: str
    date: datetime | None = None
    is_listing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingFormat:
    """A format of listings.

    ``name`` is the crawl mode whose starts are such listings, the value of ``discovered_via``, and
    the word in logs; ``one`` is that word with its article, for sentences. ``read`` takes the body,
    the URL, and a list that receives a word for each problem. ``dates_requeue``: a known URL whose
    date changes is visited again. ``lists_xml``: listed pages may be XML documents, regardless of
    the types that links may lead to.
    """

    name: str
    one: str
    read: Callable[[bytes, str, list[str]], Iterator[ListedUrl]]
    dates_requeue: bool = False
    lists_xml: bool = False
