"""Names of pages in the search index, and addresses of translations."""

from __future__ import annotations

import pytest

from sitecrawl.search.analysis import language_part, page_names, qualified_names

LANGUAGES = frozenset({"en", "de", "zh"})


@pytest.mark.behaviour("SY-25")
@pytest.mark.parametrize(
    ("term", "anchor", "names"),
    [
        ("class lib.Parser(file)", "lib.Parser", ["lib.parser", "parser"]),
        ("read(file)", "lib.Parser.read", ["lib.parser.read", "parser.read", "read"]),
        ("void (*free)(void*)", "c.free", ["c.free", "free"]),
        ("log_file (string)", "GUC-LOG-FILE", []),
        ("bare repository", "def_bare_repository", []),
    ],
)
def test_an_anchor_spells_out_a_name(term: str, anchor: str, names: list[str]) -> None:
    assert qualified_names(term, anchor) == names


def test_fields_of_another_type_have_no_names() -> None:
    content = {"title": "A — B", "headings": 5, "definitions": ["x", {"anchor": "y"}]}
    assert {name.key for name in page_names("https://e.org/p.html", content)} == {
        *("a — b", "a", "b", "p")
    }


@pytest.mark.behaviour("SY-27")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://e.org/en-US/a.html", "https://e.org/zh-CN/a.html"),
        ("https://e.org/docs/de/", "https://e.org/docs/en/"),
        ("https://de.e.org/a", "https://en.e.org/a"),
        ("https://e.org/a.html.de", "https://e.org/a.html.en"),
    ],
)
def test_translations_have_one_key(first: str, second: str) -> None:
    part = language_part(LANGUAGES)
    assert part.sub("*", first) == part.sub("*", second)


@pytest.mark.behaviour("SY-27")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://e.org/en/a", "https://e.org/en/b"),
        ("https://e.org/us-ny/a", "https://e.org/us-ca/a"),
        ("https://e.org/ending", "https://e.org/deutsch"),
        ("https://e.org/fr/a", "https://e.org/de/a"),
    ],
)
def test_other_pages_have_keys_of_their_own(first: str, second: str) -> None:
    part = language_part(LANGUAGES)
    assert part.sub("*", first) != part.sub("*", second)
