"""Names of the parts of a page: words of classes, ids and headings that say what stands there."""

from __future__ import annotations

import re
from functools import lru_cache

NAMED, APART, CAROUSEL = "named", "apart", "carousel"
TOOLS, POSTER, AUTHOR, FOOT = "tools", "poster", "author", "foot"
COMMENTS, REVIEWS, ANSWER, SITE_NOTICE = "comments", "reviews", "answer", "site_notice"
PAGE_FOOT = "page_foot"  # by its id
_WORDS = {
    FOOT: ("footer", "copyright", "navheader", "navfooter", "printfooter", "catlinks"),
    APART: (
        *("related", "recommended", "recommendation", "recommendations", "upsell"),
        *("recently", "similar", "trending", "sidebar", "breadcrumb", "breadcrumbs"),
        *("modal", "popup", "popover", "tooltip", "dropdown", "dialog", "actions"),
        *("newsletter", "subscribe", "signup", "signin", "login", "share", "sharing", "social"),
        *("feedback", "respond", "reactions", "unfurl"),
    ),
    CAROUSEL: ("carousel", "swiper", "slider", "slick"),
    TOOLS: (
        *("filter", "filters", "facet", "facets", "sort", "sorting", "refinements", "checkbox"),
        *("buttons", "toolbar", "stars", "form", "cart", "labels", "quantity"),
    ),
    POSTER: ("signature", "extras", "postprofile"),
    AUTHOR: ("author",),
    NAMED: (
        *("ad", "ads", "languages", "menu", "nav", "navbar", "navigation", "pager", "pagination"),
        *("popular", "promo", "tags", "topbar", "announcement", "disclaimer", "recent", "cta"),
        *("notice", "switcher", "ticker"),
    ),
    # Last, so that a list of recent comments, or the links between their pages, is none of them.
    COMMENTS: ("comment", "comments", "commentlist"),
    SITE_NOTICE: ("browser", "browsehappy", "js", "nojs", "usa"),  # only as in _SITE_NOTICES
    REVIEWS: ("review", "reviews", "jdgm", "yotpo", "trustpilot"),
}
# Names of parts that lead to other pages: without links, a text of a page's own may have them.
LEADING = re.compile("related|recommend|similar|trending|recently|upsell|sidebar", re.IGNORECASE)
# Headings of boxes that lead to other pages.
ELSEWHERE = re.compile(
    r"(?:related|similar|recommended|suggested|most (?:popular|read|viewed)|more (?:from|like|in)"
    r"|(?:recent|popular) (?:posts|articles)|recently viewed|read (?:next|more|also)|up next"
    r"|(?:continue|further|keep) reading|what to read next|customers (?:also|who)|people also"
    r"|you (?:may|might) (?:also )?(?:like|enjoy|be interested)"
    r"|ähnliche|verwandte|das könnte (?:sie|dich)|mehr zum thema|weitere (?:artikel|beiträge)"
    r"|articles? (?:similaires|liés|connexes)|(?:à )?lire aussi|vous aimerez|sur le même sujet"
    r"|art[íi](?:culos|gos) relacionados|(?:también )?te puede|veja também|leia (?:também|mais)"
    r"|articoli correlati|leggi anche|potrebbe interessarti|gerelateerd|lees ook|zobacz także"
    r"|podobne|читайте также|похожие)\b",
    re.IGNORECASE,
)
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words}
NAMED_KINDS = (*(kind for kind in _WORDS if kind != SITE_NOTICE), ANSWER, PAGE_FOOT)
FOOT_OF_PAGE = re.compile(r"(?:(?:site|page|main)[-_ ]?)?foot(?:er)?|copyright", re.IGNORECASE)
_OF_READERS = frozenset({COMMENTS, REVIEWS})
_NOT_WORD = re.compile("[^a-z]+")
# Classes that say something of a page's or post's subject, or of its comments, as in WordPress, of
# the columns of a layout, and those of accordions, whose text drops down.
_OF_SUBJECT = re.compile(
    r"(?<!\S)(?:(?:admonition|category|tag)-\S+|\S*(?:no|has|without|hide|show|single)[-_]?comments?\S*"
    r"|\S*accordion\S*|(?:has|no|with|without|two|three)-\S*sidebars?"
    r"|\S*(?:comments?|reviews?)[-_](?:open|closed|count|counts|link|number|icon|off|on|enabled)\S*)"
)
# Notices of an old browser or one without scripts, and of the government whose site it is.
_SITE_NOTICES = re.compile(
    r"browser[-_]?(?:warning|upgrade)|browse-?happy|no-?js-?only|usa-banner", re.IGNORECASE
)
# Types of schema.org of comments and reviews, and of questions and answers.
_ITEMS = (
    (re.compile(r"schema\.org/(?:User)?Comments?$", re.IGNORECASE), COMMENTS),
    (re.compile(r"schema\.org/(?:User|Customer)?Reviews?$", re.IGNORECASE), REVIEWS),
    (re.compile(r"schema\.org/(?:Question|Answer)$", re.IGNORECASE), ANSWER),
)
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
MAX_NAMES = 500  # characters of a class attribute that are examined


def name_of_part(classes: str, identity: str = "") -> str:
    """The kind of a part of a page by the words of its classes and id; empty for most.

    The id of a section is made of its heading ("related-objects", "toolbar"): ids name no part that is
    left out within the text, and no comments; but that of the page's foot has a kind of its own.
    """
    kinds, weak = _kinds_of(classes), _kinds_of(identity)
    if not (kinds or weak or identity):
        return ""
    if not kinds and FOOT_OF_PAGE.fullmatch(identity):
        return PAGE_FOOT
    kinds |= {NAMED if kind in {APART, FOOT, TOOLS} else kind for kind in weak - _OF_READERS}
    return next((kind for kind in NAMED_KINDS if kind in kinds), "")


def name_of_item(itemtype: str) -> str:
    """The kind of a part by the type of its microdata; empty for most."""
    return next((kind for pattern, kind in _ITEMS if pattern.search(itemtype.strip())), "")


@lru_cache(maxsize=4_096)
def _kinds_of(names: str) -> frozenset[str]:
    """The kinds that words of classes or of an id name."""
    kinds = _kinds_of_words(names[:MAX_NAMES])
    kinds = _kinds_of_words(_OF_SUBJECT.sub("", names[:MAX_NAMES])) if kinds else kinds
    if SITE_NOTICE in kinds and _SITE_NOTICES.search(names):
        return kinds | {APART}
    return kinds


def _kinds_of_words(names: str) -> frozenset[str]:
    words = _NOT_WORD.split(_CAMEL.sub("-", names).lower())
    return frozenset([_KINDS[word] for word in words if word in _KINDS])
