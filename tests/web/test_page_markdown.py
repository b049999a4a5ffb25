"""The content of pages as Markdown: by a table of pages, and on the pages of the test site."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from markdown_it import MarkdownIt
from page_cases import load, read

from sitecrawl.policy.documents.sections import (
    MAX_SECTIONS,
    SectionOptions,
    build_sections,
    markdown_of,
    text_of,
)
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions


def outlined(html: str, **case: Any) -> Page:
    return read({"html": html, **case, "options": {**case.get("options", {}), "outline": True}})


@pytest.mark.behaviour("MK-01")
@pytest.mark.parametrize("case", load("page_markdown"))
def test_markdown_of_a_page(case: dict[str, Any]) -> None:
    page = outlined(**case)
    assert markdown_of(page.content) == case["markdown"].removeprefix("\n")
    assert text_of(page.content) == page.text


@pytest.mark.behaviour("MK-02")
def test_an_outline_changes_nothing_else() -> None:
    for param in (*load("page_markdown"), *load("page_text")):
        [case] = param.values
        page, plain = outlined(**case), read(case)
        for name in ("text", "stable_text", "headings", "links", "blocks", "title", "images"):
            assert getattr(page, name) == getattr(plain, name), param.id
        assert not plain.content


@pytest.mark.behaviour("MK-01")
@pytest.mark.parametrize("case", load("page_markdown"))
def test_a_reader_of_markdown_finds_the_same_words(case: dict[str, Any]) -> None:
    """CommonMark, read by another program, has the words of the text and no others."""
    page = outlined(**case)
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    html = shown.render(markdown_of(page.content))
    again = read({"html": html}).text.replace("[x] ", "")  # of GitHub's Markdown only
    assert words(again) == words(page.text)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text)) - {"NOTE", "WARNING", "CAUTION", "Warning"}


@pytest.mark.behaviour("MK-01")
def test_a_page_of_many_formats_is_read_to_its_end() -> None:
    page = outlined("<p><b>a</b> b" * 20_000 + "<pre>c <b>d</b></pre><p><b>e</b>")
    assert [block.shown for block in page.content[-3:]] == ["**a** b", "```\nc d\n```", "**e**"]


@pytest.mark.behaviour("MK-03")
@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ('<section id="a"><h2>T</h2></section>', "a"),
        ('<div class="sect1" id="a"><div><div><h2 class="title">T</h2></div></div></div>', "a"),
        ('<span id="a"></span><h2>T</h2>', "a"),
        ('<span id="a"></span><section><h2>T</h2></section>', "a"),
        ('<a name="a"></a>\n<div><h2>T</h2></div>', "a"),
        ('<div id="a"><p>Text</p><div><h2>T</h2></div></div>', ""),
        ('<div id="a"><nav>menu</nav><h2>T</h2></div>', ""),
        ('<div id="a"><h1>S</h1><div id="b"><h2>T</h2></div></div>', "b"),
        ('<section id="a"><h2 id="own">T</h2></section>', "own"),
    ],
)
def test_anchor_of_a_heading_is_also_that_of_its_section(html: str, anchor: str) -> None:
    assert read({"html": html}).headings[-1].anchor == anchor


@pytest.mark.behaviour("SE-01")
def test_sections_of_a_file_have_the_number_of_their_page() -> None:
    html = (
        '<section data-page="3"><h1 id="page=3">Bees</h1><p>One</p></section>'
        '<section data-page="4"><p>Two</p><h2 id="page=4">Wax</h2><p>Three</p></section>'
    )
    page = read_page(
        b"%PDF-1.4",
        url="http://example.org/a.pdf",
        content_type="application/pdf",
        headers={},
        options=ReadOptions(outline=True),
        file_html=html.encode(),
    )
    assert [block.page for block in page.content] == [3, 3, 4, 4, 4]
    found = build_sections(page.content, "id", page.url, SectionOptions(0, 0))
    assert [(each["page_number"], each["url"]) for each in found] == [
        (3, "http://example.org/a.pdf#page=3"),
        (4, "http://example.org/a.pdf#page=4"),
    ]
    assert not any(block.page for block in outlined(html).content)


@pytest.mark.slow
@pytest.mark.behaviour("SE-04")
@pytest.mark.parametrize(
    "part",
    [
        "<ul><li>x",
        "<table><tr><td>x<td>y",
        "<blockquote>x",
        "<dl><dt>x<dd>y",
        "<a href=/x><b>x<p>",
        "<h2>x</h2>",
        "<pre>x",
        "<code>`x<a href=y>",
        "<tr><td rowspan=9999 colspan=9999>x",
        "<img alt=x src=y>",
        "<b><i><code>x<br>",
        "<i>x</i>",
    ],
)
def test_hostile_structures_are_bounded(part: str) -> None:
    """Any number and depth of elements takes time and memory by the size of the page."""
    used: list[float] = []
    for count in (2_000, 8_000):
        begun = time.process_time()
        page = outlined(part * count)
        shown = markdown_of(page.content)
        sections = build_sections(page.content, "id", page.url, SectionOptions())
        used.append(time.process_time() - begun)
        assert len(shown) < 100 * len(part) * count
        assert len(sections) <= MAX_SECTIONS
    assert used[1] < 0.5 + 12 * used[0]
