"""A site that is down in a polite way keeps its documents, and comes back without a line."""

from __future__ import annotations

import re

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Server, Site, page, redirect

NAMES = ("/apples", "/pears", "/plums", "/quinces")
WORDS = ("red round sweet crisp", "green long soft juicy", "blue small tart", "yellow hard sour")
DOWN = page(text="We are working on our site today, since noon. Thank you for waiting.")


def shop(town: str = "Harbour") -> Site:
    """A home page and four others, none like another, nor like those in another town."""
    texts = dict(zip(NAMES, WORDS, strict=True))
    own = {name: page(text=f"{name} of {town} are {words} fruit.") for name, words in texts.items()}
    return {"/": page(*NAMES, text=f"Welcome to the fruit shop of {town}, open daily."), **own}


def redirects(to: str, status: int) -> Site:
    """Every page but the home page leads to one address."""
    return {name: Answer(status=status, headers={"Location": to}) for name in NAMES}


def with_canonical() -> Site:
    """Every page names the home page as its canonical address."""
    own = shop("a canonical to the home page")
    return {
        name: page(head='<link rel="canonical" href="/">', text=str(own[name])) for name in NAMES
    }


OUTAGES: dict[str, Site] = {
    "301 to the home page": redirects("/", 301),
    "301, home in works": {**redirects("/", 301), "/": DOWN},
    "302 to a maintenance page": {
        **redirects("/maintenance", 302),
        "/": redirect("/maintenance", 302),
        "/maintenance": DOWN,
    },
    "one page for every URL": dict.fromkeys(("/", *NAMES), DOWN),
    "a canonical to the home page": with_canonical(),
    "one folder": dict.fromkeys(NAMES[1:], DOWN),
}


@pytest.mark.behaviour("K-13", "DEL-12")
def test_an_outage_writes_nothing_and_neither_does_its_end(
    server: Server, crawl: CrawlCommand
) -> None:
    """Each kind befalls a shop of its own."""
    shops = {kind: shop(kind) for kind in OUTAGES}
    origins = [server.serve(pages) for pages in shops.values()]
    documents = 5 * len(OUTAGES)
    assert len(crawl(*origins, recrawl=0).documents) == documents
    for kind, pages in shops.items():
        pages.update(OUTAGES[kind])
    runs = [crawl(*origins, recrawl=0) for _ in range(4)]
    assert [run.lines for run in runs] == [[]] * 4
    assert "until they show content of their own" in runs[-1].log
    confirm = re.findall(r"scrapy frontier confirm (http\S+)", runs[-1].log)
    assert {*confirm} == {*origins}
    assert "held back" in crawl.command("frontier", "stats")[1]
    for kind, pages in shops.items():
        pages.update(shop(kind))
    back = [crawl(*origins, recrawl=0) for _ in range(2)]
    assert [run.lines for run in back] == [[], []]
    assert crawl.rows("SELECT count(*) FROM document WHERE seq IS NOT NULL") == [(documents,)]
    assert "held back" not in crawl.command("frontier", "stats")[1]


@pytest.mark.behaviour("K-13", "R-10")
def test_a_migration_is_accepted_once_for_all(server: Server, crawl: CrawlCommand) -> None:
    pages = shop()
    origin = server.serve(pages)
    crawl(origin, recrawl=0)
    pages.update(redirects("/all", 301) | {"/all": page(text="Everything is on one page now.")})
    for _ in range(2):
        assert crawl(origin, recrawl=0).lines == []
    assert crawl.command("frontier", "confirm", origin)[0] == 0
    run = crawl(origin, recrawl=0)
    assert run.deletions == {f"{origin}{name}": "redirected" for name in NAMES}
    assert list(run.documents) == [f"{origin}/all"]
    assert crawl(origin, recrawl=0).lines == []


@pytest.mark.behaviour("K-13")
def test_one_text_for_all_pages_can_be_accepted(server: Server, crawl: CrawlCommand) -> None:
    pages = shop()
    origin = server.serve(pages)
    crawl(origin, recrawl=0)
    pages.update(dict.fromkeys(NAMES, DOWN))
    assert crawl(origin, recrawl=0).lines == []
    crawl.command("frontier", "confirm")
    written: dict[str, str] = {}
    for line in crawl(origin, recrawl=0).lines:
        written[line["url"].removeprefix(origin)] = line["op"]
    assert sorted(written.values()) == ["delete", "delete", "delete", "upsert"]
