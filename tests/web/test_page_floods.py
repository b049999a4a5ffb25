"""Bounds of a page: it is read as far as memory allows, and the rest is reported as cut."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fixtures.effort import effort_within
from fixtures.floods import FLOODS, plain
from sitecrawl.web.html.outline import MAX_MARKS, escaped
from sitecrawl.web.html.page import Page
from sitecrawl.web.html.parser_bounds import (
    MAX_NAMES,
    MAX_TAGS,
    MAX_TREE,
    fitting,
    without_new_names,
)
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions
from sitecrawl.web.whitespace import BLOCK, LINES, line_parts, squeezed

pytestmark = pytest.mark.slow

SIZE = 3_000_000
MOST_MEMORY, MOST_CPU = 3.5, 10  # times what a plain page of the size takes
MOST_OF_READING = 137  # megabytes; a crawl that has received 10 MB has taken 113


def read(name: str, size: int = SIZE) -> Page:
    flood = FLOODS[name]
    return read_page(
        flood.body(size),
        url="http://example.org/",
        content_type=flood.media_type,
        headers={},
        options=ReadOptions(),
    )


@pytest.mark.alone
def test_no_flood_takes_much_more_than_a_plain_page() -> None:
    command = [sys.executable, "-m", "fixtures.peaks", "9.9"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    _, memory, cpu = rows[0]
    over = [row for row in rows if row[1] > memory * MOST_MEMORY or row[2] > cpu * MOST_CPU]
    assert over == []
    assert len(rows) > 100


@pytest.mark.alone
@pytest.mark.behaviour("SE-04")
def test_no_flood_takes_more_memory_with_its_outline_than_a_crawl_has_room_for() -> None:
    names = ["admonitions", "bold over words", "headings", "nulls", "words in elements"]
    names += ["blanks in another language", "line breaks in one link", "signs of emphasis"]
    command = [sys.executable, "-m", "fixtures.peaks", "9.9", "rag", *names]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {row[0] for row in rows} == set(names)
    assert [row for row in rows if row[1] > MOST_OF_READING] == []


def test_a_line_with_too_many_formats_keeps_its_words() -> None:
    body = b"<p>" + b"<i>one</i> two " * MAX_MARKS
    options = ReadOptions(outline=True)
    page = read_page(
        body, url="http://example.org/", content_type="text/html", headers={}, options=options
    )
    [block] = page.content
    assert block.text == page.text == ("one two " * MAX_MARKS).strip()
    assert block.markdown.count("*one*") == MAX_MARKS // 2
    assert block.markdown.replace("*", "") == block.text


def test_null_characters_of_a_large_page_are_no_text() -> None:
    body = b"<p>one" + b"\0" * 2_000_000 + b"two"
    page = read_page(
        body, url="http://example.org/", content_type="text/html", headers={}, options=ReadOptions()
    )
    assert page.text == "onetwo"


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("paragraphs", "too_many_elements"),
        ("attributes, short tags", "too_many_elements"),
        ("attributes, each new", "names"),
        ("unknown elements", "names"),
        ("headings", "too_many_headings"),
        ("metas", "too_many_metas"),
        ("images", "too_many_links"),
        ("script escapes", "fragments"),
        ("JSON-LD, many", "too_many_metas"),
        ("XML, empty elements", "too_many_elements"),
    ],
)
def test_truncation_is_reported(name: str, cut: str) -> None:
    with effort_within(1_500):
        assert cut in read(name).cuts


def test_a_plain_page_is_read_whole() -> None:
    body = plain(SIZE)
    assert fitting(body) is body
    assert without_new_names(body) is body
    page = read_page(
        body, url="http://example.org/", content_type="text/html", headers={}, options=ReadOptions()
    )
    assert page.cuts == ()
    assert len(page.headings) == body.count(b"<h2")


def test_the_beginning_of_a_page_with_too_many_elements_is_kept() -> None:
    body = b"<p>x</p>" * 1_000_000
    kept = fitting(body)
    assert body.startswith(kept)
    assert body[len(kept) :].startswith(b"<")
    assert MAX_TREE * 0.9 < kept.count(b"<p>") * (190 + 140 + 150) <= MAX_TREE


def test_the_beginning_of_a_page_with_too_many_tags_is_kept() -> None:
    kept = fitting(b"</x>" * 2_000_000)
    assert MAX_TAGS * 0.9 < kept.count(b"<") <= MAX_TAGS


def test_what_the_walk_notes_counts_as_memory() -> None:
    plain, noted = (fitting(b"<%b>x" % tag * 500_000) for tag in (b"q", b"sup"))
    assert noted.count(b"<") < plain.count(b"<") * 0.6


def test_known_names_keep_theirs_and_new_ones_become_one() -> None:
    tags = b"".join(b"<p a%d='<x>' class=b>" % number for number in range(50_000))
    simple = without_new_names(tags)
    assert simple.startswith(b"<p a0")
    assert simple.count(b" x") > 50_000 - MAX_NAMES - 10
    assert without_new_names(b"<p class=b>" * 50_000) == b"<p class=b>" * 50_000


def test_signs_of_emphasis_of_a_long_text_are_escaped_as_those_of_a_short_one() -> None:
    words = "*one_two* 2 * 3 _four _ "
    assert escaped(words * BLOCK) == escaped(words * 2)[: len(escaped(words * 2)) // 2] * BLOCK


@pytest.mark.parametrize("before", ["", " ", "word", "word "])
def test_white_space_of_a_long_text_becomes_single(before: str) -> None:
    text = before + " \n".join(["one", "two  three", "", "\t"] * (BLOCK // 8))
    assert squeezed(text) == " ".join(text.split())
    assert squeezed(" " * (2 * BLOCK)) == ""


def test_the_parts_of_a_text_are_its_lines() -> None:
    lines = ["one", "", "x" * LINES, "two", "y" * 10] * 3
    parts = list(line_parts("\n".join(lines)))
    assert [line for part in parts for line in part.split("\n")] == lines
    assert len(parts) > 3


def test_links_of_scripts_and_noscript_outlive_their_trees() -> None:
    part = b"<noscript><a href=/a><img src=//other/x></a></noscript><p><a href=/b>b</a>"
    body = b"<p>x" + part * 30
    page = read_page(
        body,
        url="http://example.org/",
        content_type="text/html",
        headers={},
        options=ReadOptions(link_text=True),
    )
    assert [(link.url[-2:], link.text, link.banner) for link in page.links] == [
        ("/a", "", True),
        ("/b", "b", False),
    ]
