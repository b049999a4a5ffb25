"""Mixes of facets: which of them repeat the other lists of their path."""

from __future__ import annotations

import random
from itertools import count

import pytest

from sitecrawl.policy.learning.facet_mixes import find_mixes, mixes_among, repeated_mixes
from sitecrawl.policy.learning.repeated_pages import CurrentPage, StoredText

SHOP = "http://shop.example/list"
COLORS, SIZES = ("red", "blue", "green"), ("small", "large")


class Shop:
    """Documents of a site with rows in the order in which they are added."""

    def __init__(self) -> None:
        self.pages: list[CurrentPage] = []
        self.texts: dict[int, StoredText] = {}
        self._rows = count(1)

    def add(self, url: str, lines: list[str], links: frozenset[int] = frozenset()) -> int:
        """Add a document, and return its row."""
        row = next(self._rows)
        self.pages.append(CurrentPage(row, row, url, 1, "link", None))
        self.texts[row] = StoredText(url, "\n".join(lines), links)
        return row

    def copies(self, *withdrawn: str) -> dict[str, str]:
        """The mixes that repeat other lists, with the list that is named for each."""
        urls = {page.row: page.url for page in self.pages}
        repeated = {}
        for found in find_mixes(self.pages, mixes_among(withdrawn, self.pages)):
            rows = {page.row for page in (*found.mixes, *found.others)}
            elsewhere = frozenset(urls.keys() - rows)
            for each in repeated_mixes(found, self.texts, elsewhere):
                repeated[urls[each.page]] = urls[each.original]
        return repeated


def words(number: int) -> str:
    """A line of its own for a number."""
    chosen = random.Random(number)
    return " ".join("".join(chosen.choices("abcdefghij", k=6)) for _ in range(12))


def lists(shop: Shop, own: str = "") -> set[str]:
    """Add items, and lists of them by color, by size and by both; return the URLs of the last."""
    items = {
        (color, size): [
            shop.add(f"http://shop.example/item/{n}", [words(n)])
            for n in range(10 * place, 10 * place + 4)
        ]
        for place, (color, size) in enumerate((c, s) for c in COLORS for s in SIZES)
    }

    def add(query: str, rows: list[int], *more: str) -> None:
        lines = [shop.texts[row].body for row in rows]
        shop.add(f"{SHOP}?{query}", [f"List {query}", *lines, *more], frozenset(rows))

    for color in COLORS:
        add(f"color={color}", [row for size in SIZES for row in items[color, size]])
    for size in SIZES:
        add(f"size={size}", [row for color in COLORS for row in items[color, size]])
    for place, ((color, size), rows) in enumerate(items.items()):
        add(f"color={color}&size={size}", rows, *([words(1000 + place)] * 2 if own else []))
    return {f"{SHOP}?color={color}&size={size}" for color in COLORS for size in SIZES}


@pytest.mark.behaviour("Q-39")
def test_mixes_of_facets_repeat_the_lists_by_one_facet() -> None:
    shop = Shop()
    mixes = lists(shop)
    found = shop.copies()
    assert found.keys() == mixes
    assert found[f"{SHOP}?color=red&size=small"] == f"{SHOP}?color=red"


@pytest.mark.behaviour("Q-39")
def test_mixes_with_a_text_of_their_own_stay() -> None:
    shop = Shop()
    lists(shop, own="text")
    assert shop.copies() == {}


@pytest.mark.behaviour("Q-39")
def test_mixes_that_link_to_items_found_nowhere_else_stay() -> None:
    shop = Shop()
    mixes = lists(shop)
    for place, page in enumerate(shop.pages):
        if page.url in mixes:
            row = shop.add(f"http://shop.example/item/own-{place}", [words(5000 + place)])
            stored = shop.texts[page.row]
            shop.texts[page.row] = stored._replace(links=stored.links | {row})
    assert shop.copies() == {}


@pytest.mark.behaviour("Q-39")
def test_chapters_and_variants_of_one_page_stay() -> None:
    chapters, variants = Shop(), Shop()
    home = frozenset({chapters.add("http://shop.example/", [words(1)])})
    variants.add("http://shop.example/", [words(1)])
    for n in range(4):
        for shop in (chapters, variants):
            shop.add(f"{SHOP}?id={n}", [words(n)], home)
        chapters.add(f"{SHOP}?chapter={n}", [words(20 + n)], home)
        for chapter in range(4):
            own = [words(100 * n + chapter + 50)]
            chapters.add(f"{SHOP}?id={n}&chapter={chapter}", own, home)
        for color in COLORS:
            variants.add(f"{SHOP}?id={n}&color={color}", [words(n), f"It is {color}."])
    for color in COLORS:
        variants.add(f"{SHOP}?color={color}", [f"All that is {color}."])
    assert chapters.copies() == {}
    assert variants.copies() == {}


@pytest.mark.behaviour("Q-39")
def test_a_few_new_mixes_are_judged_with_those_withdrawn_earlier() -> None:
    shop = Shop()
    mixes = sorted(lists(shop))
    before, new = mixes[:-2], mixes[-2:]
    shop.pages = [page for page in shop.pages if page.url not in before]
    assert shop.copies() == {}
    assert shop.copies(*before).keys() == set(new)
