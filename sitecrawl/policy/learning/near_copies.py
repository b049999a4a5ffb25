"""Near copies: pages whose text another page with a related URL has already.

Programs show one thing in many ways: a file as it is, with line numbers, with the author of each
line, and all of that at each of its versions. Each view has a URL and a text of its own, but the
URLs share the name of the thing. The text of a page is compared with those of pages that share
such a name, by their shingles. Nothing is compared on sites whose pages rarely share names.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple
from urllib.parse import unquote_plus

from sitecrawl.policy.documents.text_fields import title_from_url
from sitecrawl.policy.learning.shingles import (
    MIN_SHINGLES,
    NO_BOILERPLATE,
    Boilerplate,
    ComparedText,
    Shingles,
    hashes_of,
    words_of,
)
from sitecrawl.policy.urls.templates import DEFAULT_NAMES

EARLY, EARLY_TEXT, EARLY_SHARE = 128, 8_000, 0.05
"""Number of pages, the latest ones, whose texts are kept until texts are compared, of characters of
each, and share of pages that share a name, below which no more are kept."""
MIN_SHARING, MIN_SHARE = 16, 0.25
"""Number and share of pages that share a name with an earlier one, from which texts are compared."""
MIN_VERSIONS, MIN_VERSIONS_OF_PATHS = 6, 16
"""Near copies of one name, after which the pages of a further version of the site count as such, unless
its directory is named like a release; and where no URL of a near copy had a query, as those of old
versions of a file have."""
MAX_ORIGINALS = 12
"""Maximum number of texts remembered for each name; a constant has more pages."""
MAX_NAMES = 20_000
MAX_TEMPLATES = 500
MAX_SIZE = 4_000_000
"""Number of characters of the texts remembered, once for each name of a text; about 30 MB, as a shingle
is made for every tenth."""
MIN_FREQUENT, MAX_SAMPLED = 0.2, 4
"""Share of pages with a near copy, and number of texts of one name, from which the shingles of each page
are made at once."""
MIN_NAME, MAX_NAME = 3, 80
"""Length of a name, in characters; longer ones are cut."""

_EDITION = re.compile(
    r"(?:[a-z]+[-_.])?[vr]?\d{1,4}(?:[-_.]\d{1,4}){0,4}(?:[-_.]?(?:x|a|b|rc|alpha|beta|dev|lts)\d{0,3})?"
    r"|latest|stable|current|next|main|master|dev|devel|development|nightly|edge|old|lts|testing"
    r"|unstable|[a-z]{2}(?:[-_][a-z]{2,4})?",
    re.ASCII | re.IGNORECASE,
)


class Novelty(Enum):
    """Result of the comparison of a page with those read before."""

    NEW = "new"
    NEAR_COPY = "near copy"
    UNKNOWN = "unknown"


class TextComparison(NamedTuple):
    """Result for a page; ``original`` is the page that it repeats, ``superseded`` those that repeat it."""

    novelty: Novelty
    original: str = ""
    superseded: Sequence[str] = ()


def own_title(url: str, title: str) -> str:
    """Return a title, "" for one that was made of the URL."""
    return "" if title == title_from_url(url) else title


def names_of(url: str) -> list[str]:
    """Return the parts of a URL that may name a thing: its last segment, and parameter values."""
    path, _, query = url.partition("?")
    segments = [each for each in path.split("/")[3:] if each]
    found = segments[-1:]
    for each in query.replace(";", "&").split("&") if query else ():
        found.append(each.partition("=")[2].rpartition("%2F")[2].rpartition("/")[2])
    return [
        name[:MAX_NAME]
        for each in dict.fromkeys(found)
        if len(name := unquote_plus(each)) >= MIN_NAME
        if name.partition(".")[0] not in DEFAULT_NAMES
    ]


def segments_of(path: str) -> frozenset[str]:
    """Return the segments of the path of an absolute URL without a query."""
    return frozenset(path.split("/")[3:])


def are_editions(url: str, other: str) -> bool:
    """Return True for URLs that differ only in what is named like releases, dates or languages.

    ``/v2.0/guide`` and ``/stable/guide``, ``/guide`` and ``/guide?view=net-8.0``: no text of the one
    stands for that of the other, however little they differ.
    """
    (path, _, query), (other_path, _, other_query) = url.partition("?"), other.partition("?")
    if path.rpartition("/")[2] != other_path.rpartition("/")[2]:
        return False
    apart = segments_of(path) ^ segments_of(other_path)
    differing = _parameters(query) ^ _parameters(other_query)
    values = [each.partition("=")[2] for each in differing if each]
    return (
        bool(apart or values)
        and all(_EDITION.fullmatch(each) for each in (*apart, *values))
        and all("." in each for each in values)  # numbers and words choose pages and views
    )


def says_where_it_is(url: str, text: Shingles, other: str, other_text: Shingles) -> bool:
    """Return True for a text with the name of a directory that the other URL and its text lack.

    The class in ``/api/RedSet/equals.html``. Names have capitals, as views (``/blame/``) have not.
    """
    directories = url.partition("?")[0].split("/")[3:-1]
    apart = set(directories) - segments_of(other.partition("?")[0])
    if not apart:
        return False
    words = (word for each in apart for word in words_of(unquote_plus(each)))
    named = hashes_of(word for word in words if not word.islower())
    return not (named & text.words) <= other_text.words


def _parameters(query: str) -> frozenset[str]:
    return frozenset(query.replace(";", "&").split("&"))


def _parts(url: str) -> frozenset[str]:
    path, _, query = url.partition("?")
    return segments_of(path) | _parameters(query)


def _smallest(texts: Mapping[str, ComparedText]) -> str:
    """Return the key of the text with the fewest shingles, or characters if no shingles are known."""
    if any(each.is_made for each in texts.values()):
        return min(texts, key=lambda each: texts[each].shingles.size)
    return min(texts, key=lambda each: texts[each].size)


@dataclass(slots=True)
class NearCopies:
    """Texts of the pages of one origin, by the names in their URLs; in memory for one run.

    ``is_comparing`` is True from the page on at which enough pages share names.
    """

    is_comparing: bool = False
    _pages: int = 0
    _sharing: int = 0
    _early: deque[tuple[str, list[str], str, str]] = field(
        default_factory=lambda: deque(maxlen=EARLY)
    )
    _seen: Counter[str] = field(default_factory=Counter)
    _copies: Counter[str] = field(default_factory=Counter)
    _of_queries: set[str] = field(default_factory=set)
    _size: int = 0
    _compared: int = 0
    _repeated: int = 0
    _originals: dict[str, dict[str, ComparedText]] = field(default_factory=dict)
    _templates: dict[str, Boilerplate] = field(default_factory=dict)

    def observe(
        self,
        url: str,
        referrer: str | None,
        text: str,
        template: str = "",
        *,
        title: str = "",
        links: Iterable[str] = (),
    ) -> TextComparison:
        """Compare a new page, with its links, with those read before."""
        names = names_of(url)
        known = any(self._seen[each] for each in names)
        self._count(names, known=known)
        if names and self.is_comparing:
            return self._compare(
                url, referrer, text, template, names, title=title, links=links, known=known
            )
        if self._pages > EARLY and self._sharing < EARLY_SHARE * self._pages:
            self._early.clear()
        elif names:
            self._early.append((url, names, text[:EARLY_TEXT], own_title(url, title)))
        return TextComparison(Novelty.NEW)

    def _compare(
        self,
        url: str,
        referrer: str | None,
        text: str,
        template: str,
        names: list[str],
        *,
        title: str,
        links: Iterable[str],
        known: bool,
    ) -> TextComparison:
        self._recall_early()
        boilerplate = self._boilerplate(template)
        page = ComparedText(url, text, own_title(url, title), boilerplate)
        self._compared += 1
        is_sampled = self._repeated < MIN_FREQUENT * self._compared and all(
            len(self._originals.get(each, ())) < MAX_SAMPLED for each in names
        )
        says_enough = is_sampled and page.says_enough()
        if not says_enough and len(page.shingles.all) < MIN_SHINGLES:
            return TextComparison(Novelty.UNKNOWN)
        if boilerplate.add(text):
            says_enough = is_sampled and page.says_enough()
        original, is_compared = self._find(url, names, page)
        if original is None:
            superseded = self._supersede(url, names, page)
            is_hollow = not says_enough and len(page.own.all) < MIN_SHINGLES
            self._remember(url, names, page)
            if is_hollow or (known and not is_compared):
                return TextComparison(Novelty.UNKNOWN, "", superseded)
            return TextComparison(Novelty.NEW, "", superseded)
        self._repeated += 1
        if len(self._copies) < MAX_NAMES:
            self._copies.update(names)
            if "?" in url:
                self._of_queries.update(names)
        if self._is_of_version(url, original, referrer, names, links):
            return TextComparison(Novelty.UNKNOWN, original)
        return TextComparison(Novelty.NEAR_COPY, original)

    def _recall_early(self) -> None:
        while self._early:
            url, names, text, title = self._early.popleft()
            page = ComparedText("", text, title, NO_BOILERPLATE)
            if self._find(url, names, page)[0] is None:
                self._remember(url, names, page)

    def _boilerplate(self, template: str) -> Boilerplate:
        boilerplate = self._templates.setdefault(template, Boilerplate())
        if len(self._templates) > MAX_TEMPLATES:
            del self._templates[next(iter(self._templates))]
        return boilerplate

    def _count(self, names: list[str], *, known: bool) -> None:
        if len(self._seen) < MAX_NAMES:
            self._seen.update(names)
        self._pages += 1
        self._sharing += known
        if self._sharing >= MIN_SHARING and self._sharing >= MIN_SHARE * self._pages:
            self.is_comparing = True

    def _find(self, url: str, names: list[str], page: ComparedText) -> tuple[str | None, bool]:
        """Return the page that contains a text, and True if there was one to compare with.

        A page without a query is no copy of one that has one, and none of another edition.
        """
        is_compared = False
        for name in names:
            for other, text in self._originals.get(name, {}).items():
                if ("?" in other and "?" not in url) or are_editions(url, other):
                    continue
                is_compared = True
                if not page.may_be_in(text):
                    continue
                contained = next(
                    (
                        each
                        for each in (page.own, page.shingles)
                        if each.is_contained_in(text.shingles)
                    ),
                    None,
                )
                if contained is not None and not says_where_it_is(
                    url, contained, other, text.shingles
                ):
                    return other, True
        return None, is_compared

    def _supersede(self, url: str, names: list[str], page: ComparedText) -> list[str]:
        """Forget the earlier states of a page that it contains, such as older versions; return their URLs."""
        path = url.partition("?")[0]
        found: dict[str, None] = {}
        for name in names:
            originals = self._originals.get(name, {})
            for other in [each for each in originals if each.partition("?")[0] == path]:
                if "?" in url and "?" not in other:
                    continue
                text = originals[other]
                is_older = text.may_be_in(page) and text.shingles.is_contained_in(page.shingles)
                text.rest()
                if not is_older:
                    continue
                self._size -= originals.pop(other).size
                found[other] = None
        return list(found)

    def _remember(self, url: str, names: list[str], page: ComparedText) -> None:
        """Keep a text, the largest ones of each name: they contain others."""
        page.rest()
        for name in names:
            originals = self._originals.setdefault(name, {})
            originals[url] = page
            self._size += page.size
            if len(originals) > MAX_ORIGINALS:
                smallest = _smallest(originals)
                self._size -= originals.pop(smallest).size
        while self._size > MAX_SIZE:
            oldest = self._originals.pop(next(iter(self._originals)))
            self._size -= sum(each.size for each in oldest.values())

    def _is_of_version(
        self,
        url: str,
        original: str,
        referrer: str | None,
        names: list[str],
        links: Iterable[str],
    ) -> bool:
        """Return True for a page of one of few versions of a site, whose pages link to each other.

        A version of a manual is read as a whole; a site with a version for each change is not.
        """
        has_queries = not self._of_queries.isdisjoint(names)
        limit = MIN_VERSIONS if has_queries else MIN_VERSIONS_OF_PATHS
        if max(self._copies[each] for each in names) > limit:
            return False
        if referrer is not None and _parts(url) - _parts(original) <= _parts(referrer):
            return True
        path, other = url.partition("?")[0], original.partition("?")[0]
        apart = segments_of(path) - segments_of(other)
        return bool(apart) and any(
            apart <= segments_of(linked) and not path.startswith(linked)
            for linked in (each.partition("?")[0] for each in links)
        )
