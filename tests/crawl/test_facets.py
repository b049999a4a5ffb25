"""Lists by facets: their combinations come after all other pages, and are left once they lead on no more."""

from __future__ import annotations

from html import escape
from itertools import product
from urllib.parse import parse_qsl, urlencode
from zlib import crc32

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page
from fixtures.traps.tarpit import letter

FACETS = {"brand": 3, "color": 4, "room": 5, "size": 7}
PRODUCTS, PER_PAGE = 60, 5


def value(number: int, facet: str) -> str:
    return "abcdefgh"[number % FACETS[facet]] * 3


class Shop:
    """Products, and lists of them by page, facet and combinations; the full list ends early."""

    def __init__(self, full_pages: int) -> None:
        self._full_pages = full_pages

    def __call__(self, request: Request) -> Page:
        path, _, query = request.target.partition("?")
        number = path.rpartition("/")[2]
        if path.startswith("/product/") and number.isdigit():
            return page("/shop", title=f"Product {number}", text=letter(int(number)))
        return self._list(dict(parse_qsl(query))) if path == "/shop" else Answer("", 404)

    def _list(self, chosen: dict[str, str]) -> Page:
        number = int(chosen.pop("page", 1))
        fitting = [
            each
            for each in range(PRODUCTS)
            if all(value(each, facet) == wanted for facet, wanted in chosen.items())
        ]
        shown = fitting[(number - 1) * PER_PAGE : number * PER_PAGE]
        links = [f"/product/{each}" for each in shown]
        options = ((facet, n) for facet, values in FACETS.items() for n in range(values))
        links += [f"/shop?{urlencode({**chosen, facet: value(n, facet)})}" for facet, n in options]
        if fitting[number * PER_PAGE :] and (chosen or number < self._full_pages):
            links.append(f"/shop?{urlencode({**chosen, 'page': number + 1})}")
        anchors = "".join(f'<a href="{escape(link)}">.</a>' for link in links)
        return page(title="Shop", text=letter(crc32(bytes(shown))), body=anchors)


def combined(server: Server) -> list[str]:
    """Lists by several facets that were asked for."""
    facets = set(FACETS)
    return [
        target
        for target in server.log.targets()
        if len(facets & {name for name, _ in parse_qsl(target.partition("?")[2])}) > 1
    ]


@pytest.mark.behaviour("Q-31")
def test_combinations_of_facets_come_after_the_products_and_are_left(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"*": Shop(full_pages=PRODUCTS), "/robots.txt": ""})
    run = crawl(f"{origin}/shop")
    assert run.status == 0, run.log[-3000:]
    targets = server.log.targets()
    products = [place for place, each in enumerate(targets) if each.startswith("/product/")]
    mixed = combined(server)
    assert len({targets[place] for place in products}) >= PRODUCTS
    assert 0 < len(mixed) <= 30
    assert max(products) < min(targets.index(each) for each in mixed)


@pytest.mark.behaviour("Q-31")
def test_pages_of_a_list_by_one_facet_are_read_where_they_lead_on(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"*": Shop(full_pages=2), "/robots.txt": ""})
    run = crawl(f"{origin}/shop")
    assert run.status == 0, run.log[-3000:]
    found = {url.removeprefix(origin) for url in run.documents}
    assert {f"/product/{n}" for n in range(PRODUCTS)} <= found
    everything = sum(1 for _ in product(*(range(n + 1) for n in FACETS.values())))
    assert len(combined(server)) < everything / 4
