"""Authors of a page: names of persons, without placeholders that sites write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.policy.documents.text_fields import comparable, host_names, site_name
from sitecrawl.web.text_dates import MONTH_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sitecrawl.web.html.page import Page


METAS = (
    *("author", "dc.creator", "dcterms.creator", "article:author", "dc.contributor"),
    *("parsely-author", "sailthru.author", "citation_author", "byl", "authors"),
)
PUBLISHERS = ("dc.publisher", "dcterms.publisher", "publisher", "og:site_name")
MAX_AUTHORS = 50
MAX_NAME = 120  # characters; more is a sentence
MAX_BYLINE_WORDS = 6
# Placeholders that templates write instead of an author.
NOBODY = frozenset(
    {
        *("null", "none", "undefined", "nan", "noauthor", "unknown", "unknownauthor", "author"),
        *("anonymous", "admin", "administrator", "editor", "editorialstaff", "webmaster", "root"),
        *("na", "default", "user", "guest", "test", "staff", "superuser", "redakteur"),
    }
)
_ADDRESS = re.compile(
    r"https?://|www\.|@|\.(?:com|org|net|html?)\b|facebook|twitter", re.IGNORECASE
)
# A company, whose page names it where persons are expected.
_COMPANY = re.compile(r"(?:\b(?:GmbH|AG|Ltd|LLC|Inc|KG|OHG|Corp)|\be\.\s?V)\.?$")
_MADE_BY = re.compile(r"^(?:wordpress|joomla|drupal|typo3|microsoft|adobe)\b", re.IGNORECASE)
# "By", alone or in phrases such as "Veröffentlicht von", "View all posts by".
_BY = re.compile(
    r"^\W*(?:(?:(?:view|see|show|zeige)?\s*(?:all|alle)?\s*(?:posts?|articles?|beiträge|artikel)"
    r"|(?:post|article)?\s*author|posted|published|written|words|story|text(?: und interview)?"
    r"|interview|veröffentlicht|eingestellt|geschrieben|verfasst|erstellt|ein beitrag|publié"
    r"|publicado|escrito|scritto)\s*:?\s+)?(?:by|von|par|por|di|door|av|af|przez"
    r"|autor(?:in)?|author|auteur)?(?:\s*:\s*|\s+|$)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"^(?:by|von|par|por)\s*:?\s+(?=\S)", re.IGNORECASE)
_BYLINE_END = re.compile(
    r"\s+[|/·•–—-]\s+|\s*[|·•,;(\n]\s*|\s+(?=\d)|\s+(?:on|am|vom|le|el)\s+(?=(?:\S+\s+)?\S*\d)"
)
_NO_NAMES = """
mon tue tues wed thu thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag updated published posted on the author
auteur auteurs autor autorin autoren
"""
NO_NAMES = frozenset(_NO_NAMES.split())
"""Words of bylines that name nobody, besides months: days of the week and labels."""
_WORDS = re.compile(r"[^\W\d_]")


def page_authors(page: Page) -> list[str]:
    """Return the names of the authors, from the first source that has any.

    The publisher, the site and its host are not authors, though many sites name them there. Authors
    named by an element's class or a link's relation count last.
    """
    sources = [list(page.metas[name]) for name in METAS if name in page.metas]
    sources += [list(page.json_ld[name]) for name in ("author", "creator") if name in page.json_ld]
    sources.append(list(_labelled(page)))
    if not (any(sources) or page.bylines):
        return []
    named = [name for meta in PUBLISHERS for name in page.metas.get(meta, ())]
    named += [site_name(page), *page.json_ld.get("publisher", ()), *page.json_ld.get("WebSite", ())]
    nobody = NOBODY | host_names(page.url) | set(map(comparable, named))
    for names in sources:
        if found := _named(names, nobody):
            return found
    return _named(filter(None, map(from_byline, page.bylines)), nobody)[:1]


def _labelled(page: Page) -> Iterator[str]:
    """Yield the values of the labels for cards that name the author ("Written by")."""
    for number in "12":
        label, value = (page.metas.get(f"twitter:{each}{number}", ()) for each in ("label", "data"))
        if label and value and _BY.fullmatch(label[0]):
            yield value[0]


def _named(names: Iterable[str], nobody: frozenset[str] | set[str]) -> list[str]:
    """Return the names that can be those of authors, without duplicates."""
    found: dict[str, str] = {}
    for name in names:
        text = _BEHIND.sub("", name).strip(" \t,;:|") if len(name) <= MAX_NAME else ""
        key = comparable(text)
        if is_name(text) and key not in nobody and len(found) < MAX_AUTHORS:
            found.setdefault(key, text)
    return list(found.values())


def is_name(text: str) -> bool:
    """Return True if a text can be the name of an author."""
    others = (_ADDRESS, _COMPANY, _MADE_BY)
    return bool(_WORDS.search(text)) and not any(other.search(text) for other in others)


def from_byline(text: str) -> str:
    """Return the name at the beginning of a byline, or an empty string."""
    text = _BY.sub("", text).strip()
    name = _BYLINE_END.split(text, maxsplit=1)[0].strip(" :,;")
    words = name.split()
    is_short = 0 < len(words) <= MAX_BYLINE_WORDS and len(name) > 2
    plain = {each.rstrip(".,").lower() for each in words}
    is_named = is_short and words[0][:1].isupper() and words[-1][:1].isupper()
    return name if is_named and not plain <= NO_NAMES | MONTH_NUMBERS.keys() else ""
