"""Sections of documents: by examples, and by edits of pages made at random."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecrawl.policy.documents import sections as sections_module
from sitecrawl.policy.documents.section_documents import with_lasting_ids
from sitecrawl.policy.documents.sections import (
    MAX_SECTIONS,
    SectionOptions,
    build_sections,
    markdown_of,
    text_of,
)
from sitecrawl.web.content_blocks import ContentBlock

UNBOUNDED = SectionOptions(0, 0)
URL = "https://example.org/guide"


def heading(text: str, level: int, anchor: str = "", page: int = 0) -> ContentBlock:
    return ContentBlock(text, f"{'#' * level} {text}", level, anchor, page)


def built(*blocks: ContentBlock, options: SectionOptions = UNBOUNDED) -> list[dict[str, Any]]:
    return build_sections(blocks, "page", URL, options)


@pytest.mark.behaviour("SE-01")
def test_a_section_has_path_anchor_address_and_both_forms_of_its_text() -> None:
    preamble, guide, linux, steps = built(
        ContentBlock("Before"),
        heading("Guide", 1, "guide", 3),
        ContentBlock("One", page=3),
        heading("Linux", 2, "on linux"),
        ContentBlock("a\nb", "- a"),
        ContentBlock("c", "- c", tight=True),
        heading("Steps", 3),
        ContentBlock("Two"),
    )
    assert (preamble["text"], preamble["url"], preamble["order"]) == ("Before", URL, 1)
    assert not preamble.keys() & {"heading_path", "parent", "level", "anchor", "page_number"}
    assert (guide["heading_path"], guide["page_number"], guide["level"]) == (["Guide"], 3, 1)
    assert linux["heading_path"] == ["Guide", "Linux"]
    assert linux["parent"] == guide["id"]
    assert linux["url"] == f"{URL}#on%20linux"
    assert linux["text"] == "Linux\na\nb\nc"
    assert linux["markdown"] == "## Linux\n\n- a\n- c"
    assert (steps["parent"], steps["order"]) == (linux["id"], 4)
    assert steps["url"] == linux["url"]  # the nearest anchor above it
    assert len({each["id"] for each in (preamble, guide, linux, steps)}) == 4


@pytest.mark.behaviour("SE-02")
def test_the_title_of_the_page_is_no_part_of_the_ids() -> None:
    before = built(heading("Guide", 1), ContentBlock("x"), heading("A", 2), ContentBlock("y"))
    after = built(heading("The guide", 1), ContentBlock("x"), heading("A", 2), ContentBlock("y"))
    assert [each["id"] for each in before] == [each["id"] for each in after]


@pytest.mark.behaviour("SE-02")
@pytest.mark.parametrize("anchors", [("name", "name_1"), ("of-a", "of-b"), ("id1", ""), ("", "")])
def test_another_section_of_the_same_name_takes_no_id(anchors: tuple[str, str]) -> None:
    first, second = (
        [heading("Name", 2, anchor), ContentBlock(f"Text {number}")]
        for number, anchor in enumerate(anchors)
    )
    (alone,) = built(*first)
    both = built(*first, *second)
    assert [each["id"] for each in both if each["text"] == alone["text"]] == [alone["id"]]
    assert len({each["id"] for each in both}) == 2


@pytest.mark.behaviour("SE-02")
def test_an_anchor_that_is_a_number_in_a_row_is_no_part_of_the_id() -> None:
    (before,) = built(heading("Name", 2, "id3"))
    (after,) = built(heading("Name", 2, "id4"))
    assert before["id"] == after["id"]
    assert before["hash"] != after["hash"]


@pytest.mark.behaviour("SE-03")
def test_a_small_section_goes_to_the_one_above_it() -> None:
    options = SectionOptions(20, 0)
    one, big = built(
        heading("One", 1),
        heading("Small", 2),
        ContentBlock("x"),
        heading("Big", 2),
        ContentBlock("word " * 20),
        options=options,
    )
    assert one["markdown"] == "# One\n\n## Small\n\nx"
    assert big["parent"] == one["id"]
    (whole,) = built(*(heading(f"H{n}", 2) for n in range(9)), options=options)
    assert "heading_path" not in whole


@pytest.mark.behaviour("SE-03")
def test_the_letters_of_an_index_are_no_sections() -> None:
    def letter(name: str, *, entries: int) -> list[ContentBlock]:
        return [heading(name, 2, name), ContentBlock("\n".join([f"{name}tom, 1"] * entries))]

    found = built(
        heading("Index", 1),
        *(block for name in "ABCD" for block in letter(name, entries=20)),
        heading("Colophon", 2),
        ContentBlock("word " * 20),
        options=SectionOptions(20, 300),
    )
    assert [each["heading_path"] for each in found] == [["Index"]] * 4 + [["Index", "Colophon"]]
    assert [each["url"].partition("#")[2] for each in found[1:4]] == ["B", "C", "D"]
    text = "\n".join(each["text"] for each in found)
    assert text.count("tom, 1") == 80


@pytest.mark.behaviour("SE-03")
def test_two_headings_of_one_letter_are_no_index() -> None:
    words = ContentBlock("word " * 20)
    found = built(
        heading("Languages", 1),
        *(heading("C", 2), words, heading("R", 2), words),
        options=SectionOptions(20, 0),
    )
    assert [each["heading_path"][-1] for each in found] == ["Languages", "C", "R"]


@pytest.mark.behaviour("SE-03")
def test_small_sections_behind_a_larger_one_stay_in_order() -> None:
    found = built(
        heading("Module", 1),
        heading("large", 2),
        ContentBlock("word " * 20),
        heading("one", 2),
        ContentBlock("x"),
        heading("two", 2),
        ContentBlock("for both"),
        heading("alone", 2),
        options=SectionOptions(20, 0),
    )
    assert [each["heading_path"] for each in found] == [
        ["Module"],
        ["Module", "large"],
        ["Module"],  # the headings of the group are in its text
        ["Module", "alone"],
    ]
    assert found[2]["markdown"] == "## one\n\nx\n\n## two\n\nfor both"
    texts = "\n".join(each["text"] for each in found).split("\n")
    assert [line for line in texts if line in {"large", "one", "two", "alone"}] == [
        *("large", "one", "two", "alone")
    ]


@pytest.mark.behaviour("SE-03")
def test_a_large_section_is_cut_between_paragraphs() -> None:
    paragraphs = [ContentBlock(f"Paragraph {n} " + "with words " * 20) for n in range(40)]
    parts = built(heading("H", 1), *paragraphs, options=SectionOptions(0, 1000))
    assert len(parts) > 2
    assert all(400 < len(part["markdown"]) <= 1100 for part in parts[:-1])
    assert "\n".join(part["text"] for part in parts) == text_of([heading("H", 1), *paragraphs])
    assert all(part["heading_path"] == ["H"] for part in parts)


@pytest.mark.behaviour("SE-03")
def test_what_is_too_large_alone_is_cut_at_lines_then_words() -> None:
    code = "\n".join(f"line {n}" for n in range(100))
    listing = ContentBlock(code, f"```py\n{code}\n```")
    parts = built(listing, options=SectionOptions(0, 300))
    assert all(part["markdown"].startswith("```py\n") for part in parts)
    assert all(part["markdown"].endswith("\n```") for part in parts)
    assert "\n".join(p["markdown"][6:-4] for p in parts) == code
    words = ContentBlock("word " * 500)
    parts = built(words, options=SectionOptions(0, 300))
    assert max(len(part["markdown"]) for part in parts) <= 300
    assert " ".join(part["text"].strip() for part in parts).split() == ["word"] * 500


@pytest.mark.behaviour("SE-03")
def test_a_table_that_is_cut_has_its_head_in_each_part() -> None:
    head = "| a | b |\n| --- | --- |"
    rows = [
        ContentBlock(f"{n}\nx", f"| {n} | x |", tight=True, lead=f"{head}\n") for n in range(100)
    ]
    parts = built(ContentBlock("a\nb", head), *rows, options=SectionOptions(0, 300))
    tables = MarkdownIt("commonmark").enable("table")
    assert len(parts) > 3
    for part in parts:
        assert part["markdown"].startswith(head)
        assert tables.render(part["markdown"]).count("<td>x</td>") == part["text"].count("x")


@pytest.mark.behaviour("SE-04")
def test_equal_sections_and_parts_are_named_in_linear_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digests: list[str] = []

    def digest(*parts: str) -> str:
        digests.append(plain(*parts))
        return digests[-1]

    plain = sections_module._digest
    monkeypatch.setattr(sections_module, "_digest", digest)
    parts = built(ContentBlock("word " * 12_000), options=SectionOptions(0, 300))
    named = built(*[heading("Equal", 2)] * 200, options=SectionOptions(0, 300))
    assert len({part["id"] for part in parts}) == len(parts) > 200
    assert len({section["id"] for section in named}) == 200
    assert len(digests) < 6 * (len(parts) + len(named))


@pytest.mark.slow
@pytest.mark.behaviour("SE-04")
def test_hostile_headings_are_bounded() -> None:
    deep = [heading("h" * 5000, 1 + n % 6, "a" * 5000) for n in range(20_000)]
    sections = built(*deep)
    assert len(sections) <= MAX_SECTIONS
    assert len(str([each["heading_path"] for each in sections])) < 6 * 210 * MAX_SECTIONS
    assert all("anchor" not in each for each in sections)


def test_markdown_that_begins_within_a_definition_is_no_listing() -> None:
    blocks = [ContentBlock("a", "    a"), ContentBlock("b", "    b"), ContentBlock("c")]
    assert markdown_of(blocks) == "a\n\nb\n\nc"
    assert markdown_of(blocks[::-1]) == "c\n\n    b\n\n    a"


WORDS = [f"word{n}" for n in range(40)]
OPTIONS = SectionOptions(100, 800)
Page = list[list[ContentBlock]]


def page_of(random_: random.Random, count: int) -> Page:
    """Sections of a page, each a heading with its blocks; names repeat."""
    return [section_of(random_) for _ in range(count)]


def section_of(random_: random.Random) -> list[ContentBlock]:
    """A section; its anchor is its name with something to tell it from others."""
    name = random_.choice(WORDS[:15])
    paragraphs = [
        ContentBlock(" ".join(random_.choices(WORDS, k=random_.randint(3, 40))))
        for _ in range(random_.choice([0, 1, 3, 30]))
    ]
    return [heading(name, 2, f"{name}-{random_.randrange(10**9)}"), *paragraphs]


def edit(random_: random.Random, page: Page) -> tuple[Page, list[list[ContentBlock]]]:
    """The page after an edit of one section, and the sections that stayed as they were."""
    at = random_.randrange(len(page))
    change = random_.choice(["insert", "remove", "text", "move"])
    after, same = list(page), [*page[:at], *page[at + 1 :]]
    if change == "insert":
        after.insert(at, section_of(random_))
        same = page
    elif change == "remove":
        del after[at]
    elif change == "move":
        after.insert(random_.randrange(len(page)), after.pop(at))
        same = page
    else:
        place = random_.randint(1, len(after[at]))
        after[at] = [*after[at][:place], ContentBlock("edited text"), *after[at][place:]]
    return after, same


def hashes(page: Page) -> dict[str, str]:
    title = [heading("Title", 1, "title"), ContentBlock("About " * 30)]
    blocks = [block for section in page for block in section]
    return {each["id"]: each["hash"] for each in built(*title, *blocks, options=OPTIONS)}


@pytest.mark.behaviour("SE-02")
@settings(max_examples=60)
@given(st.integers(), st.integers(2, 25))
def test_an_edit_leaves_the_other_sections_alone(seed: int, count: int) -> None:
    random_ = random.Random(seed)
    before = page_of(random_, count)
    after, same = edit(random_, before)
    old, new = hashes(before), hashes(after)
    small = [each for each in same if sum(len(block.shown) for block in each) < OPTIONS.min_size]
    kept = hashes([each for each in same if each not in small])
    title = next(iter(kept))  # whose section small ones become a part of
    assert len(kept) > 0
    for id_, hash_ in kept.items():
        if id_ != title:
            assert old[id_] == new[id_] == hash_


@pytest.mark.behaviour("SE-02")
@settings(max_examples=60)
@given(st.integers())
def test_an_edit_of_a_large_section_moves_the_cuts_next_to_it_only(seed: int) -> None:
    random_ = random.Random(seed)
    large = [ContentBlock(" ".join(random_.choices(WORDS, k=20))) for _ in range(200)]
    at = random_.randrange(len(large))
    after = [*large[:at], ContentBlock("new paragraph"), *large[at:]]
    old, new = hashes([large]), hashes([after])
    assert len(new) > 30
    changed = [id_ for id_ in new if old.get(id_) != new[id_]]
    assert len(changed) <= 20  # of 700 edits 593 changed one, and none more than 10


@settings(max_examples=60)
@given(st.integers(), st.integers(1, 20), st.integers(50, 2000))
def test_sections_hold_every_block(seed: int, count: int, most: int) -> None:
    random_ = random.Random(seed)
    blocks = [b for section in page_of(random_, count) for b in section]
    found = built(*blocks, options=SectionOptions(80, most))
    assert sorted("\n".join(e["text"] for e in found).split()) == sorted(text_of(blocks).split())
    assert len({each["id"] for each in found}) == len(found)
    assert [each["order"] for each in found] == list(range(1, len(found) + 1))


def page_with(*headings: str) -> dict[str, Any]:
    """A page with a section for each heading, "Name: text"; a name behind ">" stands below the last."""
    blocks = [heading("Title", 1)]
    for name, _, text in (each.partition(": ") for each in headings):
        blocks += [heading(f"On {name.lstrip('>')}", 2 + name.startswith(">")), ContentBlock(text)]
    return {"sections": built(*blocks)}


@pytest.mark.behaviour("SE-02")
@pytest.mark.parametrize(
    ("before", "after", "successors"),
    [
        (["A: a", "B: b", "C: c"], ["A: a", "X: b", "C: c"], [0, 1, 2, 3]),
        (["A: a", "B: b", "C: c"], ["X: a edited", "B: b", "C: c"], [0, 1, 2, 3]),
        (["A: a", "B: b"], ["X: b", "Y: a"], [0, 2, 1]),
        (["A: a", ">B: b", ">C: c"], ["X: a", ">B: b", ">C: c"], [0, 1, 2, 3]),
        (["A: a", "B: b"], ["X: new", "Y: b", "Z: other"], [0, None, 2, None]),
        (["A: a", "B: b"], ["B: b", "A: a"], [0, 2, 1]),
    ],
)
def test_the_id_of_a_section_survives_a_renamed_heading(
    before: list[str], after: list[str], successors: list[int | None]
) -> None:
    old, new = page_with(*before), page_with(*after)
    ids = [each["id"] for each in old["sections"]]
    sections = with_lasting_ids(old, new)["sections"]
    found = [ids.index(each["id"]) if each["id"] in ids else None for each in sections]
    assert found == successors
    known = {each["id"] for each in sections}
    assert len(known) == len(sections)
    assert known.issuperset(each["parent"] for each in sections if "parent" in each)
