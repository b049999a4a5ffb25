"""Regions of a page: lines of elements with a meaning, and the names of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple


class Region(NamedTuple):
    """Lines of one element: its kind, the index of the first line, and the exclusive end.

    ``links`` is the number of links in a block, and ``onward`` of those to pages in the order of the
    site, such as the next one.
    """

    kind: str
    start: int
    end: int
    links: int = 0
    onward: int = 0


CONTENT, MAIN, ARTICLE, LANDMARK, COOKIES = "content", "main", "article", "landmarks", "cookies"
BLOCK, LIST, FORM, CONTROL, MENU = "block", "list", "forms", "controls", "menu"
NOTE = "note"  # an aside within a main element or article
# Parts recognised by a word of their id or class.
NAMED, RELATED, CAROUSEL = "named", "related", "carousel"
FILTERS, POSTER = "filters", "poster"
_WORDS = {
    RELATED: (
        *("related", "recommended", "recommendation", "recommendations", "upsell", "upsells"),
        *("crosssell", "crosssells", "recently", "alsolike", "similar"),
    ),
    CAROUSEL: ("carousel", "swiper", "slider", "slick"),
    FILTERS: ("filter", "filters", "facet", "facets", "sort", "sorting", "refinements"),
    POSTER: ("signature", "extras", "postprofile", "userinfo", "usercard", "poster"),
    NAMED: (
        *("ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "copyright"),
        *("footer", "languages", "login", "masthead", "menu", "nav", "navbar", "navigation"),
        *("newsletter", "pager", "pagination", "popular", "promo", "share", "sharing", "sidebar"),
        *("signup", "sitemap", "social", "subscribe", "tags", "toolbar", "topbar"),
    ),
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words}
NAMED_KINDS = tuple(_WORDS)
_NOT_WORD = re.compile("[^a-z]+")
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
MAX_NAMES = 500  # characters of a class attribute that are examined


@lru_cache(maxsize=4_096)
def name_of_part(classes: str, identity: str = "") -> str:
    """The kind of a part of a page by the words of its classes and id; empty for most."""
    names = f"{classes[:MAX_NAMES]} {identity[:MAX_NAMES]}"
    words = _NOT_WORD.split(_CAMEL.sub("-", names).lower())
    kinds = {_KINDS[word] for word in words if word in _KINDS}
    return next((kind for kind in NAMED_KINDS if kind in kinds), "") if kinds else ""


def merged(regions: Iterable[Region]) -> list[Region]:
    """The outermost regions in order, without those nested in others."""
    found: list[Region] = []
    for region in sorted(regions, key=lambda each: (each.start, -each.end)):
        if not found or region.start >= found[-1].end:
            found.append(region)
    return found
