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
NAMED, APART, CAROUSEL = "named", "apart", "carousel"
FILTERS, POSTER = "filters", "poster"
_WORDS = {
    APART: (
        *("related", "recommended", "recommendation", "recommendations", "upsell", "upsells"),
        *("crosssell", "crosssells", "recently", "alsolike", "similar", "trending"),
        *("sidebar", "footer", "breadcrumb", "breadcrumbs", "copyright"),
        *("modal", "popover", "tooltip", "dropdown", "dialog", "actions"),
        *("newsletter", "subscribe", "signup", "signin", "login", "share", "sharing", "social"),
        *("feedback", "respond", "reactions"),
    ),
    CAROUSEL: ("carousel", "swiper", "slider", "slick"),
    FILTERS: ("filter", "filters", "facet", "facets", "sort", "sorting", "refinements"),
    POSTER: ("signature", "extras", "postprofile", "userinfo", "usercard", "poster"),
    NAMED: (
        *("ad", "ads", "advert", "advertisement", "languages", "masthead", "menu", "nav", "navbar"),
        *("navigation", "pager", "pagination", "popular", "promo", "sitemap", "tags", "toolbar"),
        *("topbar", "announcement", "disclaimer", "latest", "recent"),
    ),
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words}
NAMED_KINDS = tuple(_WORDS)
_NOT_WORD = re.compile("[^a-z]+")
_OF_TITLE = re.compile(r"(?<!\S)(?:admonition|category|tag)-\S+")  # classes of Sphinx, WordPress
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
MAX_NAMES = 500  # characters of a class attribute that are examined


def name_of_part(classes: str, identity: str = "") -> str:
    """The kind of a part of a page by the words of its classes and id; empty for most.

    The id of a section is made of its heading ("related-objects"): ids name no part that is left out
    with its sentences.
    """
    kinds, weak = _kinds_of(classes), _kinds_of(identity)
    if not (kinds or weak):
        return ""
    kinds |= {NAMED if kind == APART else kind for kind in weak}
    return next((kind for kind in NAMED_KINDS if kind in kinds), "")


@lru_cache(maxsize=4_096)
def _kinds_of(names: str) -> frozenset[str]:
    """The kinds that words of classes or of an id name."""
    kinds = _kinds_of_words(names[:MAX_NAMES])
    return _kinds_of_words(_OF_TITLE.sub("", names[:MAX_NAMES])) if kinds else kinds


def _kinds_of_words(names: str) -> frozenset[str]:
    words = _NOT_WORD.split(_CAMEL.sub("-", names).lower())
    return frozenset([_KINDS[word] for word in words if word in _KINDS])


def merged(regions: Iterable[Region]) -> list[Region]:
    """The outermost regions in order, without those nested in others."""
    found: list[Region] = []
    for region in sorted(regions, key=lambda each: (each.start, -each.end)):
        if not found or region.start >= found[-1].end:
            found.append(region)
    return found
