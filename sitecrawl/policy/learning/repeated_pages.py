"""Documents that repeat others, found when all pages of an origin are known.

Where kinds of pages proved to be near copies, the documents of the origin are compared once more
before its crawl ends. A page repeats another one if nearly all of its text stands there (Broder,
On the resemblance and containment of documents, 1997). Of pages that contain each other the one
nearest to the start remains. A kind of page is withdrawn if nearly all of its pages repeat pages of
other kinds, or later states of themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.learning.near_copies import (
    MAX_TEXT,
    MIN_CONTAINMENT,
    MIN_SHINGLES,
    Shingles,
    names_of,
    own_title,
    segments_of,
)
from sitecrawl.policy.learning.template_worth import HANDFUL, Templates

MIN_REPEATED = 0.9
"""Share of a page's shingles, those with words of its URL included, that a page with another title
must have: variants of a product differ in the words that name them."""
MIN_OLDER = 0.97
"""The same for a page of the same kind and path, such as an older version."""
MIN_HOLLOW = 0.5
"""The same for the few shingles of a page that are not common to the pages of its kind, if these were
judged to be near copies."""
SAME_NUMBERS = 0.3
"""Share of the numbers of a page that a page of another kind with the same title must have: dates and
ages differ from view to view."""
MIN_COPIES, MIN_COPIES_UNJUDGED = 0.75, 0.9
"""Share of the pages of a kind that repeat others, from which they are withdrawn: of a kind that was
judged to be one of near copies while it was read, and of any other."""
MAX_CLEARED = 0.5
"""Share of the pages of a kind that repeat others, below which those that were withdrawn are read again."""
MIN_SAMPLE = 8
"""Number of pages of a kind, from which on what most of them say is no text of theirs."""
MAX_COMPARED = 24
"""Number of pages of one name, or of one title, with which each page is compared."""
COPY = RefusalReason(
    "near_copy",
    "nearly all of its text stands on another page, as that of the other pages of its kind "
    "(`learn_worth`)",
    options=("learn_worth",),
)


class CurrentPage(NamedTuple):
    """A page with a current document; ``row`` identifies it, ``referrer`` is the page it was found on."""

    row: int
    fingerprint: int
    url: str
    depth: int
    via: str
    referrer: str | None


class StoredText(NamedTuple):
    """Title and text of a document, and the rows of the pages to which it links."""

    title: str
    body: str
    links: frozenset[int]


class Repetition(NamedTuple):
    """A page whose text another page has: rows of both, and the evidence in readable form."""

    page: int
    original: int
    words: str


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A document of an origin.

    ``row`` identifies it; ``group`` names the kind of page by which it is judged, and ``is_suspect``
    tells if that was found to be one of near copies. ``text`` has all shingles of the text,
    ``own`` those without words of the URL, ``links`` the rows of the pages to which it links.
    """

    row: int
    url: str
    depth: int
    kind: str
    group: str
    is_suspect: bool
    title: str
    text: Shingles
    own: Shingles
    length: int
    links: frozenset[int]

    @classmethod
    def of(cls, templates: Templates, page: CurrentPage, stored: StoredText) -> Self:
        """Return a page as judged by the templates of its origin."""
        suspect, kind = templates.copied_kind(page.url), templates.name_of(page.url)
        title = own_title(page.url, stored.title)
        return cls(
            page.row,
            page.url,
            page.depth,
            kind,
            suspect or kind,
            bool(suspect),
            title,
            Shingles.of(stored.body, title=title),
            Shingles.of(stored.body, page.url, title),
            len(stored.body),
            stored.links,
        )

    @property
    def path(self) -> str:
        """The URL without its query."""
        return self.url.partition("?")[0]

    @property
    def order(self) -> tuple[int, int]:
        """Sort key: of pages with one text the one nearest to the start is kept, then the one found first."""
        return self.depth, self.row


class RepeatedPages:
    """Comparison of the documents of an origin.

    ``cleared`` has the groups of which pages were withdrawn, but most do not repeat others any more.
    """

    def __init__(self, pages: Sequence[ComparedPage]) -> None:
        self._pages = {each.row: each for each in pages}
        self.cleared: frozenset[str] = frozenset()
        self._common = _common_shingles(pages)
        self._by_name = _best_of(pages, lambda page: names_of(page.url))
        self._by_title = _best_of(pages, lambda page: [page.title] if page.title else [])

    def find(self, withdrawn: Mapping[str, int]) -> list[Repetition]:
        """Return the pages to be withdrawn; ``withdrawn`` counts the earlier ones of each group."""
        found = self._find_copies()
        totals: Counter[str] = Counter(withdrawn)
        copies: Counter[str] = Counter(withdrawn)
        suspects = {page.group for page in self._pages.values() if page.is_suspect}
        for page in self._pages.values():
            totals[page.group] += 1
            copies[page.group] += page.row in found
        judged = {
            group
            for group, total in totals.items()
            if total >= HANDFUL
            if copies[group] >= total * (MIN_COPIES if group in suspects else MIN_COPIES_UNJUDGED)
        }
        found = {row: by for row, by in found.items() if self._pages[row].group in judged}
        self.cleared = frozenset(
            each for each in withdrawn if copies[each] < MAX_CLEARED * totals[each]
        )
        return list(self._resolved(found, copies, totals))

    def _resolved(
        self, found: Mapping[int, int], copies: Counter[str], totals: Counter[str]
    ) -> Iterator[Repetition]:
        """Yield the copies, each with a page that remains."""
        for row, by in found.items():
            page, last = self._pages[row], by
            while last in found:
                last = found[last]
            original = self._pages[last]
            if last == by or self._repeats(page, original):
                group = page.group
                words = (
                    f"repeats {original.url}, as {copies[group]} of {totals[group]} pages of"
                    f" {group} repeat others"
                )
                yield Repetition(row, last, words)

    def _find_copies(self) -> dict[int, int]:
        """Return for each copy the page that it repeats, which may be a copy in turn."""
        found: dict[int, int] = {}
        kept: set[int] = set()
        for page in sorted(self._pages.values(), key=lambda each: each.order):
            original = self._original(page, kept)
            if original is None:
                kept.add(page.row)
            else:
                found[page.row] = original
        # Older states may be nearer to the start. A view that holds more than the page replaces none.
        for row in sorted(kept, key=lambda each: (self._pages[each].text.size, each)):
            original = self._original(self._pages[row], kept, is_state=True)
            if original is not None:
                kept.remove(row)
                found[row] = original
        return found

    def _original(
        self, page: ComparedPage, kept: set[int], *, is_state: bool = False
    ) -> int | None:
        """Return a kept page that a page repeats; with ``is_state`` one that is a later state of it."""
        others = [
            *(other for name in names_of(page.url) for other in self._by_name.get(name, ())),
            *self._by_title.get(page.title, ()),
        ]
        return next(
            (
                other.row
                for other in others
                if other.row in kept
                and (not is_state or _is_state(page, other))
                and self._repeats(page, other)
            ),
            None,
        )

    def _repeats(self, page: ComparedPage, other: ComparedPage) -> bool:
        if page.row == other.row or ("?" in other.url and "?" not in page.url):
            return False
        if page.path == other.path and "?" in other.url:
            return False  # parameters alone do not tell a page from its views
        if page.length > MAX_TEXT and page.length > other.length / MIN_REPEATED:
            return False  # only the beginnings are compared
        is_older = page.kind == other.kind
        if is_older and page.path != other.path:
            return False
        return self._is_contained(page, other, is_older=is_older) and not self._is_version(
            page, other
        )

    def _is_contained(self, page: ComparedPage, other: ComparedPage, *, is_older: bool) -> bool:
        common = self._common.get(page.kind, frozenset())
        own = page.own.without(common)
        if len(own.all) < MIN_SHINGLES and page.is_suspect:  # it says what all of its kind say
            return own.is_contained_in(other.text, MIN_HOLLOW, SAME_NUMBERS, 0)
        if page.title in ("", other.title) and not is_older:
            if len(own.all) < MIN_SHINGLES:
                return page.own.is_contained_in(other.text, MIN_REPEATED, SAME_NUMBERS, 1)
            return own.is_contained_in(other.text, MIN_CONTAINMENT, SAME_NUMBERS)
        share = MIN_OLDER if is_older else MIN_REPEATED
        return page.text.without(common).is_contained_in(other.text, share)

    def _is_version(self, page: ComparedPage, other: ComparedPage) -> bool:
        """Return True for a page of a version or translation of a site, whose pages link to others of it.

        The other page does not link to these.
        """
        name, apart = page.path.rpartition("/")[2], segments_of(page.path) - segments_of(other.path)
        if not apart or name in apart:
            return False
        for row in page.links - other.links:
            linked = self._pages.get(row)
            if linked is None or page.path.startswith(linked.path):
                continue
            if apart <= segments_of(linked.path):
                return True
        return False


def _is_state(page: ComparedPage, other: ComparedPage) -> bool:
    """Return True for two pages of one path that may be states of the same page."""
    return page.path == other.path and (page.kind == other.kind or "?" not in other.url)


def _common_shingles(pages: Iterable[ComparedPage]) -> dict[str, frozenset[int]]:
    """Return what most pages of each kind say."""
    by_kind: defaultdict[str, list[ComparedPage]] = defaultdict(list)
    for page in pages:
        by_kind[page.kind].append(page)
    found: dict[str, frozenset[int]] = {}
    for kind, group in by_kind.items():
        if len(group) >= MIN_SAMPLE:
            counts: Counter[int] = Counter()
            for page in group:
                counts.update(page.text.first | page.text.anchored)
            found[kind] = frozenset(each for each, n in counts.items() if 2 * n > len(group))
    return found


def _best_of(
    pages: Iterable[ComparedPage], keys_of: Callable[[ComparedPage], Iterable[str]]
) -> dict[str, list[ComparedPage]]:
    """Return for each key the pages with which others are compared: the first and largest ones."""
    found: defaultdict[str, list[ComparedPage]] = defaultdict(list)
    for page in pages:
        for key in keys_of(page):
            found[key].append(page)
    for key, group in found.items():
        if len(group) > MAX_COMPARED:
            group.sort(key=lambda each: each.order)
            half = MAX_COMPARED // 2
            largest = sorted(group[half:], key=lambda each: (-each.text.size, each.order))
            found[key] = group[:half] + largest[: MAX_COMPARED - half]
    return dict(found)
