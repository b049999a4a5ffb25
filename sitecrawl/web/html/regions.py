"""Regions of a page: lines of elements with a meaning, and the names of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple


class Region(NamedTuple):
    """Lines of one element: its kind, the index of the first line, and the exclusive end.

    ``links`` is the number of links in a block, ``subjects`` those of its name.
    """

    kind: str
    start: int
    end: int
    links: int = 0
    subjects: frozenset[str] = frozenset()


CONTENT, MAIN, ARTICLE, LANDMARK, COOKIES = "content", "main", "article", "landmarks", "cookies"
BLOCK, LIST, TABLE = "block", "list", "table"
FORM, CONTROL, MENU = "forms", "controls", "menu"
NOTE = "note"  # an aside within a main element or article
NAMED = "named"  # a part recognised by a word of its id or class
_FURNITURE = frozenset(
    (
        *("ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "copyright"),
        *("footer", "languages", "login", "masthead", "menu", "nav", "navbar", "navigation"),
        *("newsletter", "pager", "pagination", "popular", "promo", "share", "sharing", "sidebar"),
        *("signup", "sitemap", "social", "subscribe", "tags", "toolbar", "topbar"),
    )
)
# Subjects of names, which are weighed together with the structure of a part.
_SUBJECTS = {
    "cart": "cart basket checkout shipping delivery wishlist compare quantity qty price buy payment",
    "carousel": "carousel swiper slider slick slide splide",
    "comments": "comments comment replies reply disqus respond discussion",
    "filters": "filter filters facet facets sort sorting refinements refine",
    "footer": "footer foot copyright sitemap legal disclaimer",
    "meta": "meta byline date tags tag author published category categories timestamp",
    "modal": "modal popup popover overlay dialog drawer tooltip dropdown toast alert hidden tip",
    "navigation": "nav navbar navigation menu menus submenu breadcrumb breadcrumbs pager pagination"
    " toc topbar masthead toolbar tabs tab header subnav",
    "newsletter": "newsletter subscribe signup login register signin account optin paywall",
    "poster": "signature extras postprofile userinfo usercard poster",
    "related": "related recommended recommendation recommendations recommend upsell upsells"
    " crosssell crosssells recently alsolike similar suggested more viewed",
    "reviews": "review reviews rating ratings stars testimonial testimonials",
    "search": "search form input",
    "sidebar": "sidebar side aside rail widget widgets",
    "social": "share sharing social follow shares",
}
_SUBJECT_OF = {word: subject for subject, words in _SUBJECTS.items() for word in words.split()}
_NOT_WORD = re.compile("[^a-z]+")
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
MAX_NAMES = 500  # characters of a class attribute that are examined


class PartName(NamedTuple):
    """Meaning of the id and classes of a part: the kind of furniture, and the subjects."""

    kind: str
    subjects: frozenset[str]


NO_NAME = PartName("", frozenset())


@lru_cache(maxsize=4_096)
def name_of_part(classes: str, identity: str = "") -> PartName:
    """The meaning of the classes and the id of a part; nothing for most."""
    names = f"{classes[:MAX_NAMES]} {identity[:MAX_NAMES]}"
    words = _NOT_WORD.split(_CAMEL.sub("-", names).lower())
    kind = NAMED if any(word in _FURNITURE for word in words) else ""
    subjects = [_SUBJECT_OF[word] for word in words if word in _SUBJECT_OF]
    return PartName(kind, frozenset(subjects)) if kind or subjects else NO_NAME


def merged(regions: Iterable[Region]) -> list[Region]:
    """The outermost regions in order, without those nested in others."""
    found: list[Region] = []
    for region in sorted(regions, key=lambda each: (each.start, -each.end)):
        if not found or region.start >= found[-1].end:
            found.append(region)
    return found
