"""Documents that repeat others, found when all pages of an origin are known.

Where kinds of pages proved to be near copies, the documents of the origin are compared once more
before its crawl ends. A page repeats another one if nearly all of its text stands there (Broder,
On the resemblance and containment of documents, 1997). Of pages that contain each other the one
remains whose view other pages name first, and of one kind the page nearest to the start. A kind of
page is withdrawn if nearly all of its pages repeat pages of other kinds, or later states of themselves.

On a site of views, where most pages repeat others, ``AssembledPages`` adds those whose text stands on
several pages, and kinds of few pages are withdrawn, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, cmp_to_key, lru_cache
from itertools import combinations
from typing import NamedTuple, Self
from urllib.parse import unquote_plus

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.learning.near_copies import (
    are_editions,
    names_of,
    own_title,
    says_where_it_is,
    segments_of,
)
from sitecrawl.policy.learning.shingles import (
    MAX_TEXT,
    MIN_CONTAINMENT,
    MIN_SHINGLES,
    Shingles,
    hashes_of,
    words_of,
)
from sitecrawl.policy.learning.template_worth import HANDFUL, Templates
from sitecrawl.policy.urls.templates import is_opaque

MIN_REPEATED = 0.9
"""Share of a page's shingles, those with words of its URL included, that a page with another title
must have: variants of a product differ in the words that name them."""
MIN_LARGER = 0.95
"""The same for a page that is longer than the other, which may be an older state of it."""
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
SITE_OF_VIEWS = 0.5
"""Share of an origin's pages that repeat others, above which it is a site of views: code browsers."""
COPY = RefusalReason(
    "near_copy",
    "nearly all of its text stands on another page, as that of the other pages of its kind "
    "(`learn_worth`)",
    options=("learn_worth",),
)


class CurrentPage(NamedTuple):
    """A page with a current document; ``row`` identifies it, ``referrer`` is the page it was found on.

    ``is_sound``: it was read in this run, and neither a deletion nor a newer text of it waits.
    """

    row: int
    fingerprint: int
    url: str
    depth: int
    via: str
    referrer: str | None
    is_sound: bool = True


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


@dataclass(frozen=True, eq=False)
class ComparedPage:
    """A document of an origin.

    ``row`` identifies it; ``group`` names the kind of page by which it is judged, and ``is_suspect``
    tells if that was found to be one of near copies. ``text`` has all shingles of the text,
    ``named`` are those of them with words of the URL, ``links`` the rows of the pages to which it links.
    """

    row: int
    url: str
    depth: int
    referrer: str | None
    kind: str
    group: str
    is_suspect: bool
    title: str
    text: Shingles
    named: frozenset[int]
    length: int
    links: frozenset[int]

    @classmethod
    def of(cls, templates: Templates, page: CurrentPage, stored: StoredText) -> Self:
        """Return a page as judged by the templates of its origin."""
        suspect, kind = templates.copied_kind(page.url), templates.name_of(page.url)
        title = own_title(page.url, stored.title)
        text, own = Shingles.both(stored.body, page.url, title)
        return cls(
            page.row,
            page.url,
            page.depth,
            page.referrer,
            kind,
            suspect or kind,
            bool(suspect),
            title,
            text,
            (text.first - own.first) | (text.anchored - own.anchored),
            len(stored.body),
            stored.links,
        )

    @property
    def path(self) -> str:
        """The URL without its query."""
        return self.url.partition("?")[0]

    @property
    def view(self) -> str:
        """The words that name a view, such as ``a=history``; the kind without such."""
        template, _, words = self.kind.partition(" ")
        return words or template

    @cached_property
    def thing(self) -> str:
        """The path with a mark for ids, of which it may have one for each state of the page."""
        return "/".join("*" if is_opaque(each) else each for each in self.path.split("/"))

    @property
    def place(self) -> tuple[int, int]:
        """Sort key: the page nearest to the start comes first, then the one found first."""
        return self.depth, self.row

    def without_title_words(self, common: frozenset[int]) -> ComparedPage:
        """Return the page with a title that has none of these words."""
        return replace(self, text=self.text._replace(title=self.text.title - common))


class RepeatedPages:
    """Comparison of the documents of an origin; ``withdrawn`` counts the earlier ones of each group.

    ``pages`` are in the order in which they are kept, ``copies`` has for each copy the row of the page
    that it repeats, which may be a copy in turn. ``cleared`` has the groups of which pages were
    withdrawn, but most do not repeat others any more. ``linked`` has the URLs, by row, of linked pages
    without a document, such as duplicates.
    """

    def __init__(
        self,
        pages: Iterable[ComparedPage],
        withdrawn: Mapping[str, int],
        linked: Mapping[int, str] | None = None,
    ) -> None:
        self._linked = linked or {}
        self.cleared: frozenset[str] = frozenset()
        self._withdrawn = withdrawn
        self._compare(_in_order(pages))
        before = sum(withdrawn.values())
        most = SITE_OF_VIEWS * (len(self.pages) + before)
        self.is_site_of_views = len(self.copies) + before > most
        if self.is_site_of_views:
            self._compare(_in_order(_without_common_titles(self.pages)))

    def _compare(self, pages: list[ComparedPage]) -> None:
        self.pages = pages
        self._pages = {each.row: each for each in pages}
        self._common = _common_shingles(pages)
        self._by_name = self._best_of(lambda page: names_of(page.url))
        self._by_title = self._best_of(lambda page: [page.title] if page.title else [])
        self.copies = self._find_copies()

    def original(self, row: int) -> int:
        """Return the row of the page that keeps the text of one, its own if that is no copy."""
        while row in self.copies:
            row = self.copies[row]
        return row

    def add(self, row: int, original: int) -> bool:
        """Take a page for a copy of another one, unless that is a copy of it; return True if it is."""
        if self.original(original) == row:
            return False
        self.copies[row] = original
        return True

    def judge(self) -> list[Repetition]:
        """Return the pages to be withdrawn."""
        totals: Counter[str] = Counter(self._withdrawn)
        copies: Counter[str] = Counter(self._withdrawn)
        suspects = {page.group for page in self.pages if page.is_suspect}
        latest = {by for row, by in self.copies.items() if self._is_of_group(row, by)}
        for page in self.pages:
            is_copy = page.row in self.copies
            copies[page.group] += is_copy
            totals[page.group] += is_copy or page.row not in latest
        judged = {
            group
            for group, total in totals.items()
            if self._is_judged(copies[group], total, is_suspect=group in suspects)
        }
        found = {row: by for row, by in self.copies.items() if self._pages[row].group in judged}
        self.cleared = frozenset(
            each for each in self._withdrawn if copies[each] < MAX_CLEARED * totals[each]
        )
        return list(self._resolved(found, copies, totals))

    def _is_of_group(self, row: int, by: int) -> bool:
        return self._pages[row].group == self._pages[by].group

    def _is_judged(self, copies: int, total: int, *, is_suspect: bool) -> bool:
        """Return True if the copies among the pages of a group are withdrawn."""
        if total < HANDFUL:
            return self.is_site_of_views
        is_suspect = is_suspect or self.is_site_of_views
        return copies >= total * (MIN_COPIES if is_suspect else MIN_COPIES_UNJUDGED)

    def _resolved(
        self, found: Mapping[int, int], copies: Counter[str], totals: Counter[str]
    ) -> Iterator[Repetition]:
        """Yield the copies, each with a page that remains."""
        for row, by in found.items():
            page, last = self._pages[row], by
            while last in found:
                last = found[last]
            original = self._pages[last]
            if last == by or self.is_site_of_views or self._repeats(page, original):
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
        for page in self.pages:
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

    def _best_of(
        self, keys_of: Callable[[ComparedPage], Iterable[str]]
    ) -> dict[str, list[ComparedPage]]:
        """Return for each key the pages with which others are compared: the first and largest ones."""
        found: defaultdict[str, list[ComparedPage]] = defaultdict(list)
        for page in self.pages:
            for key in keys_of(page):
                found[key].append(page)
        for key, group in found.items():
            if len(group) > MAX_COMPARED:
                half = MAX_COMPARED // 2
                largest = sorted(group[half:], key=lambda each: -each.text.size)
                found[key] = group[:half] + largest[: MAX_COMPARED - half]
        return dict(found)

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
        common = self._common.get(page.kind) or self._common.get(other.kind, frozenset())
        return _has_text_of(page, other, common) and not self.is_edition(page, other)

    def is_edition(self, page: ComparedPage, other: ComparedPage) -> bool:
        """Return True for a page of another release, version, translation or thing than another page."""
        linked = map(self._path_of, page.links - other.links)
        return (
            are_editions(page.url, other.url)
            or _is_version(page, other, linked)
            or says_where_it_is(page.url, page.text, other.url, other.text)
        )

    def _path_of(self, row: int) -> str:
        """Return the path of a linked page, "" for one that is not known."""
        page = self._pages.get(row)
        return page.path if page is not None else self._linked.get(row, "").partition("?")[0]


def _has_text_of(page: ComparedPage, other: ComparedPage, common: frozenset[int]) -> bool:
    """Return True if another page has the text of a page, but for ``common``, which all of its kind say."""
    if page.row == other.row or ("?" in other.url and "?" not in page.url):
        return False
    if page.length > MAX_TEXT and page.length > other.length / MIN_REPEATED:
        return False  # only the beginnings are compared
    is_older = page.kind == other.kind
    if is_older and page.thing != other.thing:
        return False
    return _is_contained(page, other, common, is_older=is_older)


def _is_contained(
    page: ComparedPage, other: ComparedPage, common: frozenset[int], *, is_older: bool
) -> bool:
    own = _own_text(page, common)
    if len(own.all) < MIN_SHINGLES and page.is_suspect:  # it says what all of its kind say
        return own.is_contained_in(other.text, MIN_HOLLOW, SAME_NUMBERS, 0)
    is_larger = page.length > other.length
    if page.title in ("", other.title) and not is_older:
        if len(own.all) < MIN_SHINGLES:
            own = _own_text(page, frozenset())
            return own.is_contained_in(other.text, MIN_REPEATED, SAME_NUMBERS, 1)
        share = MIN_LARGER if is_larger else MIN_CONTAINMENT
        return own.is_contained_in(other.text, share, SAME_NUMBERS)
    share = MIN_OLDER if is_older else MIN_LARGER if is_larger else MIN_REPEATED
    return page.text.without(common).is_contained_in(other.text, share)


@lru_cache(maxsize=2)  # a page is compared with many others in turn
def _own_text(page: ComparedPage, common: frozenset[int]) -> Shingles:
    """Return the shingles of a page without those of its URL and of ``common``."""
    return page.text.without(page.named | common)


def _is_version(page: ComparedPage, other: ComparedPage, linked: Iterable[str]) -> bool:
    """Return True for a page of a version or translation of a site, whose pages link to others of it.

    ``linked`` are the paths of the pages to which only the first one links. No version has the name of
    a single change.
    """
    name, apart = page.path.rpartition("/")[2], segments_of(page.path) - segments_of(other.path)
    if not apart or name in apart or any(map(is_opaque, apart)):
        return False
    return any(not page.path.startswith(each) and apart <= segments_of(each) for each in linked)


def _is_state(page: ComparedPage, other: ComparedPage) -> bool:
    """Return True for two pages of one path that may be states of the same page.

    A view may hold more than the page: blame has all of a file and more.
    """
    return page.thing == other.thing and (page.kind == other.kind or "?" not in other.url)


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


def _in_order(pages: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Sort pages by their views: lists and pages name a thing before its views.

    Of two views the one comes first whose page was named first on most pages that led to one of each
    with a common name; otherwise the one found first. Of a view the kind found first comes first.
    """
    found = sorted(pages, key=lambda each: each.place)
    kinds: dict[str, int] = {}
    views: dict[str, int] = {}
    for page in found:
        kinds.setdefault(page.kind, len(kinds))
        views.setdefault(page.view, len(views))
    votes = _named_first(found)

    def compared(one: str, two: str) -> int:
        return votes[two, one] - votes[one, two] or views[one] - views[two]

    order = sorted(views, key=cmp_to_key(compared))
    places = {view: number for number, view in enumerate(order)}
    return sorted(found, key=lambda each: (places[each.view], kinds[each.kind], *each.place))


def _named_first(pages: Iterable[ComparedPage]) -> Counter[tuple[str, str]]:
    """Count for pairs of views how often the first one was named before the other on one page."""
    together: defaultdict[tuple[str | None, str], list[ComparedPage]] = defaultdict(list)
    for page in pages:
        for name in names_of(page.url):
            together[page.referrer, name].append(page)
    votes: Counter[tuple[str, str]] = Counter()
    for group in together.values():
        views = dict.fromkeys(each.view for each in sorted(group, key=lambda each: each.row))
        if len(views) <= MAX_COMPARED:
            votes.update(combinations(views, 2))
    return votes


def _without_common_titles(pages: Iterable[ComparedPage]) -> Iterator[ComparedPage]:
    """Yield pages without the words of the titles of most pages of their kind, which name the kind.

    Words of the directories name what the pages are about, such as the colour of a product.
    """
    by_kind: defaultdict[str, list[ComparedPage]] = defaultdict(list)
    for page in pages:
        by_kind[page.kind].append(page)
    for group in by_kind.values():
        common = frozenset[int]()
        if len(group) >= MIN_SAMPLE:
            counts = Counter(word for page in group for word in hashes_of(words_of(page.title)))
            common = frozenset(each for each, n in counts.items() if 2 * n > len(group))
            *directories, _ = group[0].path.split("/")[3:]
            common -= hashes_of(words_of(unquote_plus(" ".join(directories))))
        for page in group:
            yield page.without_title_words(common) if common else page
