"""Lines that the pages of a site share: learned while it is crawled, and left out of documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Server, Site

NAMES = [f"/docs/{letter}{other}" for letter in "abcde" for other in "lmnopq"]
MENU = ("Products", "Support", "Company", "Careers")
FOOT = ("All rights reserved", "Imprint")


def site(menu: tuple[str, ...] = MENU, names: Sequence[str] = NAMES) -> Site:
    """Pages with a menu and a foot in elements without a name."""
    pages: Site = {}
    for name in ("/", *names):
        links = "".join(f"<a href={each}></a>" for each in names) if name == "/" else ""
        head = "".join(f"<div>{line}</div>" for line in menu)
        foot = "".join(f"<div>{line}</div>" for line in FOOT)
        pages[name] = (
            f"<title>{name}</title>{head}<h1>About {name}</h1><p>Text of {name}.</p>"
            f"<p>Support</p><p>More of {name}.{links}</p>{foot}"
        )
    return pages


def body(name: str) -> str:
    """The own text of a page; the line in its middle stands alone, and stays."""
    return f"About {name}\nText of {name}.\nSupport\nMore of {name}."


def folded(runs: list[Crawl]) -> dict[str, dict[str, Any]]:
    """The documents that the lines of all runs leave."""
    documents: dict[str, dict[str, Any]] = {}
    for line in (line for run in runs for line in run.lines):
        if line["op"] == "delete":
            documents.pop(line["id"], None)
        else:
            documents[line["id"]] = line
    return documents


@pytest.mark.behaviour("C-31")
def test_furniture_is_left_out_and_what_was_written_before_once_rewritten(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site()
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    changes = [line["change"] for line in first.lines]
    assert changes.count("new") == len(pages)
    assert 0 < changes.count("template") <= len(pages)
    assert len(first.lines) == changes.count("new") + changes.count("template")
    expected = {f"{origin}{name}": body(name) for name in pages}
    assert {url: line["body"] for url, line in first.documents.items()} == expected
    second = crawl(origin, recrawl=0, delay=0.04)
    assert second.lines == []
    pages["/docs/al"] = str(pages["/docs/al"]).replace("Text of", "New text of")
    third = crawl(origin, recrawl=0)
    assert [(line["change"], line["body"]) for line in third.lines] == [
        ("changed", body("/docs/al").replace("Text of", "New text of"))
    ]
    status, exported = crawl.command("export")
    stored = {line["id"]: line for line in map(json.loads, exported.splitlines())}
    assert status == 0
    assert stored == folded([first, second, third])


@pytest.mark.behaviour("C-31")
def test_an_altered_menu_changes_no_page_and_hides_no_change(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site()
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    pages.update(site(("We are hiring", "Products", "Help", "Company", "Jobs")))
    altered = {name: body(name) for name in pages}
    for name in ("/", NAMES[20]):
        pages[name] = str(pages[name]).replace("Text of", "New text of")
        altered[name] = body(name).replace("Text of", "New text of")
    second = crawl(origin, recrawl=0)
    written = {line["url"]: line["change"] for line in second.lines}
    assert written == dict.fromkeys([f"{origin}/", f"{origin}{NAMES[20]}"], "changed")
    bodies = {line["url"]: line["body"] for line in folded([first, second]).values()}
    assert bodies == {f"{origin}{name}": text for name, text in altered.items()}
    assert crawl(origin, recrawl=0).lines == []


@pytest.mark.behaviour("C-31")
def test_a_changed_page_is_written_by_a_run_that_ends_before_its_menu_is_known(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site()
    origin = server.serve(pages)
    crawl(origin, recrawl=0)
    pages["/"] = str(pages["/"]).replace("Text of", "New text of")
    second = crawl(origin, recrawl=0, max_pages=3)
    assert [(line["change"], line["body"]) for line in second.lines] == [
        ("changed", body("/").replace("Text of", "New text of"))
    ]
    assert crawl(origin, recrawl=0).lines == []


@pytest.mark.behaviour("C-31")
def test_a_known_altered_menu_stays_known_in_a_run_that_reads_few_pages(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site()
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    pages.update(site(("Products", "Help", "Company", "Careers")))
    runs = [crawl(origin, recrawl=0, max_pages=16) for _ in range(3)]
    assert [line for run in runs for line in run.lines if line["change"] == "changed"] == []
    bodies = {line["url"]: line["body"] for line in folded([first, *runs]).values()}
    assert bodies == {f"{origin}{name}": body(name) for name in pages}


@pytest.mark.behaviour("C-31")
def test_equal_pages_are_equal_whenever_they_were_read(server: Server, crawl: CrawlCommand) -> None:
    pages = site()
    early, late = NAMES[0], "/docs/zz"
    pages[late] = pages[early]
    pages[NAMES[-1]] = str(pages[NAMES[-1]]).replace("</p>", f"<a href={late}></a></p>", 1)
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    assert f"{origin}{early}" in first.documents
    assert f"{origin}{late}" not in first.documents
    assert len(folded([first])) == len(pages) - 1
    second = crawl(origin, recrawl=0, delay=0.04)
    assert [(line["change"], line["additional_urls"]) for line in second.lines] == [
        ("metadata", [f"{origin}{late}"])
    ]
    assert crawl(origin, recrawl=0).lines == []


@pytest.mark.behaviour("C-31", "C-29")
def test_a_heading_that_every_menu_names_stays_on_its_page(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site(menu=("Products", *(f"About {name}" for name in NAMES)))
    for name in NAMES:
        pages[name] = str(pages[name]).replace("<title>", "<title>About ")
    origin = server.serve(pages)
    documents = crawl(origin).documents
    assert documents[f"{origin}{NAMES[3]}"]["body"].startswith("About /docs/ao\nText of")


@pytest.mark.behaviour("C-31")
def test_explain_tells_what_was_left_out(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site())
    crawl(origin)
    _, told = crawl.command("explain", f"{origin}{NAMES[-1]}")
    assert "left out of its text: templates: 6 lines" in told
    assert "Products | Support" in told


@pytest.mark.behaviour("C-31", "C-30")
def test_templates_have_a_switch(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site())
    lines = crawl(origin, remove_templates="no").lines
    assert {line["change"] for line in lines} == {"new"}
    assert all(line["body"].startswith("Products\nSupport\n") for line in lines)


@pytest.mark.behaviour("T-13")
def test_the_sites_name_is_learned_and_taken_off_titles_once(
    server: Server, crawl: CrawlCommand
) -> None:
    pages: Site = {}
    for number, name in enumerate(("/", *NAMES)):
        links = "".join(f"<a href={each}></a>" for each in NAMES) if name == "/" else ""
        title = f"Part {number} - Of its own {number} | Some Learned Name"
        pages[name] = f"<title>{title}</title><p>Text {number}.{links}"
    origin = server.serve(pages)
    first = crawl(origin, recrawl=0)
    changes = [line["change"] for line in first.lines]
    assert changes.count("new") == len(pages)
    assert 0 < changes.count("template") <= len(pages)
    titles = {f"{origin}{name}": f"Part {n} - Of its own {n}" for n, name in enumerate(pages)}
    assert {url: line["title"] for url, line in first.documents.items()} == titles
    assert crawl(origin, recrawl=0).lines == []
    kept = crawl(origin, recrawl=0, site_name_in_title="keep").lines
    assert {line["title"].rpartition(" | ")[2] for line in kept} == {"Some Learned Name"}


@pytest.mark.behaviour("C-31", "MK-01")
def test_furniture_is_no_part_of_markdown_and_sections(server: Server, crawl: CrawlCommand) -> None:
    pages = site()
    origin = server.serve(pages)
    documents = folded([crawl(origin, preset="rag", section_min=0)])
    assert len(documents) == len(pages)
    for each in documents.values():
        name = each["url"].removeprefix(origin)
        heading, *paragraphs = body(name).split("\n")
        assert each["markdown"] == "\n\n".join([f"# {heading}", *paragraphs])
        assert [section["text"] for section in each["sections"]] == [body(name)]
    sections = folded([crawl(origin, split="sections", section_min=0, force=1)])
    assert {each["body"] for each in sections.values()} == {body(name) for name in pages}
