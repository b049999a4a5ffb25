"""Lines that many pages share: content stays in every shape, menus do not, no line is written twice."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site

NAMES = [f"/products/{letter}{other}" for letter in "abcd" for other in "lmno"]
MENU = ("Products", "Support", "Company", "Careers")
TABLE = (("Standard", "DIN 912"), ("Material", "stainless A2"))
RECALL = "Recall: stop using this heater, it may catch fire."


def site(menu: tuple[str, ...] = MENU, notice: str = "") -> Site:
    """Pages with a menu in generic elements, and a table that all of them have."""
    links = "".join(f"<div><a href=/{at}>{word}</a></div>" for at, word in enumerate(menu))
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in TABLE)
    pages: Site = {}
    for name in NAMES:
        others = "".join(f"<a href={each}></a>" for each in NAMES)
        pages[name] = (
            f"<title>{name}</title><div>{links}</div><div><h1>Heater {name}</h1>{notice}"
            f"<p>{f'This heater is number {name} and it heats a room. ' * 6}{others}</p>"
            f"<table>{rows}</table></div>"
        )
    return pages


@pytest.mark.behaviour("C-31")
def test_shared_content_stays_and_an_altered_menu_changes_nothing(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site()
    origin = server.serve(pages)
    start, rules = f"{origin}{NAMES[0]}", {"preset": "rag", "allow": "/products/", "recrawl": 0}
    first = crawl(start, **rules)
    assert [line["change"] for line in first.lines] == ["new"] * len(NAMES)
    for document in first.documents.values():
        texts = [document["body"], document["markdown"]]
        texts.append("\n".join(each["text"] for each in document["sections"]))
        for text in texts:
            assert all(word in text for row in TABLE for word in row)
            assert not any(word in text for word in MENU)
    pages.update(site(("Products", "Help", "Company", "We are hiring")))
    assert crawl(start, **rules).lines == []
    pages.update(site(notice=f"<p>{RECALL}</p>"))
    third = crawl(start, **rules)
    assert {line["change"] for line in third.lines} == {"changed"}
    assert sum(RECALL in line["body"] for line in third.lines) == len(NAMES)


@pytest.mark.behaviour("C-31", "C-30")
def test_furniture_has_a_switch(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site())
    lines = crawl(f"{origin}{NAMES[0]}", allow="/products/", keep_parts="furniture").lines
    assert all(line["body"].startswith("Products\nSupport\n") for line in lines)
    crawl(f"{origin}{NAMES[0]}", allow="/products/", recrawl=0, force=1)
    _, told = crawl.command("explain", f"{origin}{NAMES[1]}")
    assert "left out of its text: furniture: 4 lines" in told
    assert "(-a keep_parts=furniture)" in told
