"""The name of a site, and the titles of its pages without it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sitecrawl.web.urls.url import split

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


SITE_NAME_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title")
TITLE_METAS = ("og:title", "dc.title", "dcterms.title", "twitter:title")
MAX_TITLE = 1_000  # characters of a title in which parts are looked for
MAX_PARTS = 20
MAX_TOLD = 50  # other titles and headings of a page that are compared with its title
# Between a title and its site's name: a sign between spaces, or one that no word holds.
_SIGNS = r"|\-–—―‒·•∙»«›‹~/<>→←⋆★♥*"
_SEPARATOR = re.compile(rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜]+\s*|\s*::+\s*")
# Beside these, what parts a title from a name that is known.
_NAME_SEPARATOR = re.compile(
    rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜_]+\s*|\s*:+\s+|\s*::+\s*|\s*[–—]\s*|\s+-\s*|\s*-\s+"
)
_BESIDE_LETTERS = re.compile(r"[\W_]+")


def comparable(text: str) -> str:
    """A name or title in the form in which two of them are compared: its letters and digits."""
    return _BESIDE_LETTERS.sub("", text[:MAX_TITLE]).casefold()


def site_name(page: Page) -> str:
    """The name of the site that a page itself states."""
    metas = (page.metas[name][0] for name in SITE_NAME_METAS if name in page.metas)
    told = (*metas, *page.json_ld.get("WebSite", ()))
    return next((name for name in told if name and "://" not in name), "")


def host_names(url: str) -> frozenset[str]:
    """The host of a URL, and its parts, in the form in which titles are compared with them."""
    labels = split(url).host.removeprefix("www.").split(".")
    if len(labels) < 2 or len(labels) > MAX_PARTS or labels[-1].isdigit():
        return frozenset()
    names = [".".join(labels[first:]) for first in range(len(labels) - 1)]
    names += [".".join(labels[first:-1]) for first in range(len(labels) - 1)] + labels[:-1]
    return frozenset(map(comparable, names)) - {""}


def titles_told(page: Page) -> tuple[list[str], list[str]]:
    """The other titles of a page: those of its metadata, and its headings, the first ones first."""
    metas = (page.metas[name][0] for name in TITLE_METAS if name in page.metas)
    headings = [heading.text for heading in page.headings[:MAX_TOLD]]
    return [*metas, *page.json_ld.get("headline", ())[:1]], headings


def own_title(page: Page, learned: tuple[str, ...] | None = None) -> str:
    """The title element's text without the name of the site; never empty where that is not.

    A beginning that stands elsewhere on the page is the title; else the name of the site, as
    the page states it or its host has it, is taken off either end. ``learned`` are the names
    that titles of the origin share, if they are not to be the page's ``site_names``.
    """
    title = page.title
    if len(title) > MAX_TITLE or not title:
        return title
    shared = page.site_names if learned is None else learned
    names = frozenset(map(comparable, (site_name(page), *shared))) | host_names(page.url)
    given, headings = titles_told(page)
    return (
        _told_at_start(title, given, names, _NAME_SEPARATOR)
        or _told_at_end(title, given, names)
        or _told_at_start(title, headings, names, _SEPARATOR)
        or _without_names(title, names - {""})
    )


def title_edges(title: str) -> tuple[str, ...]:
    """The parts of a title that may be the site's name: its first and its last."""
    matches = _matches(_SEPARATOR, title) if len(title) <= MAX_TITLE else []
    if not matches:
        return ()
    edges = (title[: matches[0].start()].strip(), title[matches[-1].end() :].strip())
    return tuple(dict.fromkeys(edge for edge in edges if comparable(edge)))


def edge_mark(edge: str) -> str:
    """The line by which the titles of an origin that share an edge are counted; no text has it."""
    return f"\0title {comparable(edge)}"


def without_edges(title: str, edges: Iterable[str]) -> str:
    """A title that was written before its site's name was learned, without that."""
    return _without_names(title, frozenset(map(comparable, edges)) - {""})


def _told_at_start(
    title: str, told: Iterable[str], names: frozenset[str], separator: re.Pattern[str]
) -> str:
    """The longest beginning of a title that stands elsewhere on the page, but for names."""
    others = set(map(comparable, told)) - names - {"", comparable(title)}
    starts = (title[: match.start()].strip() for match in reversed(_matches(separator, title)))
    return next((start for start in starts if comparable(start) in others), "") if others else ""


def _told_at_end(title: str, told: Iterable[str], names: frozenset[str]) -> str:
    """The longest end of a title that its metadata tells; a heading there is the site's as often."""
    others = set(map(comparable, told)) - names - {"", comparable(title)}
    ends = (title[match.end() :].strip() for match in _matches(_NAME_SEPARATOR, title))
    return next((end for end in ends if comparable(end) in others), "") if others else ""


def _without_names(title: str, names: frozenset[str]) -> str:
    """A title without known names at its end and at its beginning, if something is left."""
    while shorter := _without_name(title, names):
        title = shorter
    return title


def _without_name(title: str, names: frozenset[str]) -> str:
    """A title without one known name, empty if it has none or is nothing else."""
    matches = _matches(_NAME_SEPARATOR, title)
    for match in matches:
        rest = title[: match.start()].strip()
        if comparable(rest) and comparable(title[match.end() :]) in names:
            return rest
    for match in matches:
        rest = title[match.end() :].strip()
        if comparable(rest) and comparable(title[: match.start()]) in names:
            return rest
    return ""


def _matches(separator: re.Pattern[str], title: str) -> list[re.Match[str]]:
    return list(_some(separator.finditer(title)))


def _some(matches: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    """A bounded number of separators, those at the ends of a title left out."""
    for _, match in zip(range(MAX_PARTS), matches, strict=False):
        if match.start() > 0 and match.end() < len(match.string):
            yield match
