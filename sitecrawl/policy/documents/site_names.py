"""Names of sites, and titles of pages without them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.web.urls.url import split

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


SITE_NAME_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title")
TITLE_METAS = ("og:title", "dc.title", "dcterms.title", "twitter:title")
SUBDOMAINS = frozenset(
    {"blog", "blogs", "docs", "forum", "help", "news", "shop", "store", "support", "wiki"}
)
MAX_TITLE = 1_000  # characters; longer titles are not split
MAX_PARTS = 20
MAX_HEADINGS = 50  # headings of a page that are compared with its title
# Separators of title and site name: a sign between spaces, or one that no word contains.
_SIGNS = r"|\-–—―‒·•∙»«›‹~/<>→←⋆★♥*"
_SEPARATOR = re.compile(rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜]+\s*|\s*::+\s*")
# These and further separators, for a name that is known.
_NAME_SEPARATOR = re.compile(
    rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜_]+\s*|\s*:+\s+|\s*::+\s*|\s*[–—]\s*|\s+-\s*|\s*-\s+"
)
_NOT_LETTERS = re.compile(r"[\W_]+")


@lru_cache(maxsize=1_024)  # headings are compared with titles several times for each page
def comparable(text: str) -> str:
    """Return a name or title in the form for comparison: letters and digits, case-folded."""
    return _NOT_LETTERS.sub("", text[:MAX_TITLE]).casefold()


def site_name(page: Page) -> str:
    """Return the name of the site as stated by a page."""
    metas = (page.metas[name][0] for name in SITE_NAME_METAS if name in page.metas)
    texts = (*metas, *page.json_ld.get("WebSite", ()))
    return next((name for name in texts if name and "://" not in name), "")


def named_site(page: Page) -> str:
    """Return the name of the site as stated by a page, else the end of its title that names its
    host."""
    stated = site_name(page)
    matches = () if stated or len(page.title) > MAX_TITLE else _matches(_SEPARATOR, page.title)
    if not matches:
        return stated
    end = page.title[matches[-1].end() :].strip()
    key = comparable(end)
    return end if key in host_names(page.url) and key not in SUBDOMAINS else ""


def host_names(url: str) -> frozenset[str]:
    """Return the host of a URL and its parts, in the form for comparison with titles."""
    return _names_of_host(split(url).host)


@lru_cache(maxsize=1_024)  # several times for each page
def _names_of_host(host: str) -> frozenset[str]:
    labels = host.removeprefix("www.").split(".")
    if len(labels) < 2 or len(labels) > MAX_PARTS or labels[-1].isdigit():
        return frozenset()
    names = [".".join(labels[first:]) for first in range(len(labels) - 1)]
    names += [".".join(labels[first:-1]) for first in range(len(labels) - 1)] + labels[:-1]
    return frozenset(map(comparable, names)) - {""}


def alternative_titles(page: Page) -> tuple[list[str], list[str]]:
    """Return the other titles of a page: those of its metadata, and its first headings."""
    metas = (page.metas[name][0] for name in TITLE_METAS if name in page.metas)
    headings = [heading.text for heading in page.headings[:MAX_HEADINGS]]
    return [*metas, *page.json_ld.get("headline", ())[:1]], headings


def own_title(page: Page) -> str:
    """Return the title without the name of the site; empty only if the title element is.

    A beginning that occurs elsewhere on the page is the title; else the name of the site, as stated
    by the page or its host, is removed from either end.
    """
    title = page.title
    ends = _matches(_NAME_SEPARATOR, title) if len(title) <= MAX_TITLE else []
    if not ends:
        return title
    names = frozenset({comparable(site_name(page))}) | host_names(page.url)
    given, headings = alternative_titles(page)
    return (
        _matching_start(title, given, names, ends)
        or _matching_end(title, given, names, ends)
        or _matching_start(title, headings, names, _matches(_SEPARATOR, title))
        or _without_names(title, names - {""})
    )


def _matching_start(
    title: str, texts: Sequence[str], names: frozenset[str], matches: Sequence[re.Match[str]]
) -> str:
    """Return the longest beginning of a title that occurs elsewhere on the page, except names."""
    starts = (title[: match.start()].strip() for match in reversed(matches))
    return _first_found(starts, texts, names | {"", comparable(title)}) if texts else ""


def _matching_end(
    title: str, texts: Sequence[str], names: frozenset[str], matches: Sequence[re.Match[str]]
) -> str:
    """Return the longest end of a title that occurs in the page's metadata.

    Headings do not count: one at the end of a title is as often the site's name.
    """
    ends = (title[match.end() :].strip() for match in matches)
    return _first_found(ends, texts, names | {"", comparable(title)}) if texts else ""


def _first_found(parts: Iterable[str], texts: Sequence[str], others: Collection[str]) -> str:
    """Return the first part that equals one of the texts, but none of ``others``.

    Texts are compared one by one: nearly always the first heading is the title.
    """
    for part in parts:
        name = comparable(part)
        if name not in others and any(comparable(text) == name for text in texts):
            return part
    return ""


def _without_names(title: str, names: frozenset[str]) -> str:
    """Remove known names from the end and the beginning of a title, if something is left."""
    while shorter := _without_name(title, names):
        title = shorter
    return title


def _without_name(title: str, names: frozenset[str]) -> str:
    """Remove one known name from a title; empty if it has none or is nothing else."""
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
    """Return a bounded number of separators, except those at the ends of a title."""
    found = islice(separator.finditer(title), MAX_PARTS)
    return [match for match in found if match.start() > 0 and match.end() < len(title)]
