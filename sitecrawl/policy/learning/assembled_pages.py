"""Pages whose text stands on the pages to which they link, on a site most of whose pages are views.

Lists of changes, differences and old listings of folders repeat no single page, but have nothing of
their own either: each of their lines stands on a page to which they link, or that has the name of a
URL to which they link. A page with a title of its own, such as a file, is never taken for one of
these, nor is the first of the pages that share its rarest name: a commit, of which there are lists,
differences and listings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple, Self
from zlib import crc32

from sitecrawl.policy.learning.near_copies import names_of
from sitecrawl.policy.learning.repeated_pages import (
    MIN_OLDER,
    MIN_SAMPLE,
    ComparedPage,
    RepeatedPages,
)
from sitecrawl.policy.learning.shingles import MAX_TEXT, words_of

MIN_ASSEMBLED = 0.9
"""Share of the phrases of a page that the pages to which it links must have."""
MIN_OWN = 6
"""Number of phrases that are not common to a kind of page, below which a page has no text of its own."""
MAX_SHARED = 0.25
"""Share of the pages that have a name, above which it names no page: the name of the repository."""
MAX_ALIKE = 100
"""Number of pages of one name, above which none of them is taken for a linked URL that has it, and of
pages of one title with which each is compared."""


class Phrases(NamedTuple):
    """Hashes of what a page says, and of what may be found on it.

    ``own`` are the runs of three words of each line, and the words of shorter lines; ``all``
    the runs and words of the whole text, as another page may have its lines broken elsewhere.
    """

    own: frozenset[int]
    all: frozenset[int]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the phrases of a text."""
        own: set[int] = set()
        words: list[str] = []
        for line in text[:MAX_TEXT].splitlines():
            found = words_of(line)
            words += found
            own.update(_runs(found) if len(found) > 2 else _hashes(found))
        return cls(frozenset(own), frozenset(_runs(words) | _hashes(words)))


class AssembledPages:
    """The pages of an origin that are no copies of others, to be told from those that are assembled.

    ``add`` takes the text of each page; then ``find`` compares them.
    """

    def __init__(self, repeated: RepeatedPages) -> None:
        self._repeated = repeated
        self._pages = {each.row: each for each in repeated.pages}
        self._phrases: dict[int, Phrases] = {}
        self._totals: Counter[str] = Counter()
        self._counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._named: defaultdict[str, list[ComparedPage]] = defaultdict(list)
        self._alike: defaultdict[tuple[str, str, str], list[ComparedPage]] = defaultdict(list)
        for page in repeated.pages:
            self._totals[page.kind] += 1
            if page.row not in repeated.copies:
                self._alike[page.kind, page.thing, page.title].append(page)
            for name in names_of(page.url):
                self._named[name].append(page)

    def add(self, row: int, text: str) -> None:
        """Take the text of a page; of copies only what they say as all of their kind do."""
        phrases = Phrases.of(text)
        self._counts[self._pages[row].kind].update(phrases.own)
        if row not in self._repeated.copies:
            self._phrases[row] = phrases

    def find(self, urls: Mapping[int, str]) -> None:
        """Add the assembled pages to the copies; ``urls`` are those of linked pages without a document.

        The kinds of the shortest pages come first: a difference is assembled from files, and no file
        from differences that are copies themselves. Of a kind the last pages come first.
        """
        common = {
            kind: frozenset(each for each, n in counts.items() if 2 * n > self._totals[kind])
            for kind, counts in self._counts.items()
            if self._totals[kind] >= MIN_SAMPLE
        }
        kept = self._kept()
        sizes: defaultdict[str, list[int]] = defaultdict(list)
        for page in kept:
            sizes[page.kind].append(page.length)
        typical = {kind: median(each) for kind, each in sizes.items()}
        kept.reverse()
        assembled: dict[int, frozenset[int]] = {}
        for page in sorted(kept, key=lambda each: (typical[each.kind], each.kind)):
            own = self._phrases[page.row].own - common.get(page.kind, frozenset())
            state = self._state(page)
            if state is not None and self._repeated.add(page.row, state):
                continue
            if self._assemble(page, own, urls):
                assembled[page.row] = own
        # What a page was assembled from may have been taken for a copy itself later.
        for page in self._repeated.pages:
            if page.row in assembled:
                del self._repeated.copies[page.row]
                self._assemble(page, assembled[page.row], urls)

    def _assemble(self, page: ComparedPage, own: frozenset[int], urls: Mapping[int, str]) -> bool:
        """Add a page to the copies if it is assembled from pages that are none."""
        source = self._source(page, own, urls)
        return source is not None and self._repeated.add(page.row, source)

    def _kept(self) -> list[ComparedPage]:
        return [
            each
            for each in self._repeated.pages
            if each.row not in self._repeated.copies
            if each.row in self._phrases
        ]

    def _state(self, page: ComparedPage) -> int | None:
        """Return an earlier page of the same kind and title that says the same but for numbers."""
        said = self._phrases[page.row].own
        for other in self._alike[page.kind, page.thing, page.title][:MAX_ALIKE]:
            if other.row == page.row or not said:
                return None
            phrases = self._phrases.get(other.row)
            if phrases is not None and len(said & phrases.all) >= MIN_OLDER * len(said):
                return other.row
        return None

    def _sharing(self, page: ComparedPage) -> list[list[int]]:
        """Return for each name of a page the rows of the pages that have it, the rarest name first.

        The page nearest to the start comes first. Names of the kind of page, such as ``commit``, do not count.
        """
        most = MAX_SHARED * len(self._pages)
        words = frozenset(words_of(page.kind))
        named = [
            [each.row for each in sorted(pages, key=lambda each: each.place)]
            for name in names_of(page.url)
            if name not in words and len(pages := self._named[name]) <= most
        ]
        return sorted(named, key=len)

    def _source(
        self, page: ComparedPage, own: frozenset[int], urls: Mapping[int, str]
    ) -> int | None:
        """Return the page that has most of what an assembled page says, None if it is none.

        A page with a title of its own is none, nor is the first page of a name, and views of the same
        thing are no sources, unless the page says next to nothing.
        """
        is_hollow = len(own) < MIN_OWN
        if page.text.title and not is_hollow:
            return None
        sharing = self._sharing(page)
        if not sharing or (sharing[0][0] == page.row and not is_hollow):
            return None
        views = frozenset[int]() if is_hollow else frozenset[int]().union(*sharing)
        sources = [
            other
            for row in sorted(self._linked_by(page, urls) - views)
            if row in self._phrases and (other := self._pages[row]).kind != page.kind
            if not self._repeated.is_edition(page, other)
        ]
        words = frozenset[int]().union(*(each.text.words for each in sources))
        if not sources or not page.text.title <= words:
            return None
        found = frozenset[int]().union(*(own & self._phrases[each.row].all for each in sources))
        if len(found) < MIN_ASSEMBLED * len(own):
            return None
        return max(sources, key=lambda each: len(own & self._phrases[each.row].all)).row

    def _linked_by(self, page: ComparedPage, urls: Mapping[int, str]) -> set[int]:
        """Return the rows of the pages to which a page links, or that have the names of linked URLs."""
        found: set[int] = set()
        for row in page.links:
            if row in self._pages:
                found.add(self._repeated.original(row))
                continue
            for name in names_of(urls.get(row, "")):
                pages = self._named.get(name, [])
                if len(pages) <= MAX_ALIKE:
                    found.update(self._repeated.original(each.row) for each in pages)
        return found - {page.row}


def _runs(words: list[str]) -> set[int]:
    return {_hash(" ".join(words[place : place + 3])) for place in range(len(words) - 2)}


def _hashes(words: list[str]) -> set[int]:
    return {_hash(each) for each in words}


def _hash(phrase: str) -> int:
    return crc32(phrase.encode())
