"""Lists by several facets, whose text stands on the other lists of their path.

A mix has parameters each of which was seen single: ``?brand=ada&color=red`` of ``?brand=ada`` and
``?color=red``. If it links to the same pages as lists by fewer facets, and its lines stand there, it
repeats them. The mixes of a path are judged together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self
from urllib.parse import unquote_plus

from sitecrawl.policy.learning.assembled_pages import Phrases
from sitecrawl.policy.learning.parameter_rules import parameters_of
from sitecrawl.policy.learning.repeated_pages import (
    MIN_COPIES_UNJUDGED,
    MIN_REPEATED,
    CurrentPage,
    Repetition,
    StoredText,
)
from sitecrawl.policy.learning.shingles import words_of
from sitecrawl.policy.learning.template_worth import HANDFUL


class Mixes(NamedTuple):
    """The documents of one path: mixes of facets, and its other pages, which stay.

    ``before`` counts the mixes that were withdrawn earlier.
    """

    path: str
    mixes: Sequence[CurrentPage]
    others: Sequence[CurrentPage]
    before: int


class PageList(NamedTuple):
    """A list: the row of its page, its phrases, and the rows of the pages to which it links."""

    row: int
    text: Phrases
    links: frozenset[int]

    @classmethod
    def of(cls, page: CurrentPage, stored: StoredText) -> Self:
        """Return a list without the lines that only have words of its URL, such as its title."""
        named = frozenset(words_of(unquote_plus(page.url).lower()))
        lines = (
            line
            for line in stored.body.splitlines()
            if not named.issuperset(words_of(line.lower()))
        )
        return cls(page.row, Phrases.of("\n".join(lines)), stored.links)


def mixes_among(urls: Iterable[str], pages: Iterable[CurrentPage]) -> set[str]:
    """Return the URLs each of whose parameters is alone on a page of their path."""
    single: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for page in pages:
        values = parameters_of(page.url)
        if len(values) == 1:
            single[path_of(page.url)].update(values)
    found = set[str]()
    for url in urls:
        values = parameters_of(url)
        if len(values) > 1 and single.get(path_of(url), set()).issuperset(values):
            found.add(url)
    return found


def find_mixes(pages: Sequence[CurrentPage], withdrawn: Iterable[str]) -> Iterator[Mixes]:
    """Yield the paths that have several mixes; ``withdrawn`` are mixes withdrawn earlier."""
    before = Counter(map(path_of, withdrawn))
    urls = mixes_among((page.url for page in pages), pages)
    by_path: defaultdict[str, list[CurrentPage]] = defaultdict(list)
    for page in pages if urls else ():
        by_path[path_of(page.url)].append(page)
    for path in sorted({path_of(url) for url in urls}):
        mixes = [page for page in by_path[path] if page.url in urls]
        if len(mixes) + before[path] >= HANDFUL:
            others = [page for page in by_path[path] if page.url not in urls]
            yield Mixes(path, mixes, others, before[path])


def repeated_mixes(
    found: Mixes, texts: Mapping[int, StoredText], elsewhere: frozenset[int]
) -> list[Repetition]:
    """Return the mixes of a path whose text stands on its other lists, if nearly all are like that.

    ``elsewhere`` are the rows of the pages at other paths.
    """
    lists = [PageList.of(each, texts[each.row]) for each in found.others if each.row in texts]
    said = frozenset[int]().union(*(each.text.all for each in lists))
    links = frozenset[int]().union(*(each.links for each in lists))
    repeated: list[tuple[int, frozenset[int]]] = []
    for page in found.mixes:
        if page.row in texts:
            each = PageList.of(page, texts[page.row])
            linked, own = each.links & elsewhere, each.text.own
            if not linked and own:
                continue  # no list
            if linked <= links and len(own & said) >= MIN_REPEATED * len(own):
                repeated.append((page.row, linked))
    copies, total = len(repeated) + found.before, len(found.mixes) + found.before
    if copies < MIN_COPIES_UNJUDGED * total:
        return []
    words = f"as {copies} of {total} mixes of facets of {found.path} repeat its other lists"
    return [Repetition(row, _nearest(lists, linked), words) for row, linked in repeated]


def path_of(url: str) -> str:
    """Return a URL without its query."""
    return url.partition("?")[0]


def _nearest(lists: Sequence[PageList], linked: frozenset[int]) -> int:
    """Return the row of the list that has most of these links; of several the first one."""
    return max(lists, key=lambda each: (len(linked & each.links), -each.row)).row
