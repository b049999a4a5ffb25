"""Order and sections of hits, and the cost of names with many signs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.search.search_index import SearchIndex, packed
from sitecrawl.search.search_query import parse_query
from sitecrawl.search.search_results import search


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with closing(SearchIndex(tmp_path / "search.sqlite", make=True)) as made:
        yield made


def put(index: SearchIndex, name: str, **content: Any) -> None:
    record = {"id": name, "url": f"http://example.org/{name}", "language": "en", **content}
    with index.transaction():
        index.put(record)


def settings(index: SearchIndex) -> None:
    """A page of two settings, whose title its first heading repeats."""
    put(
        index,
        "settings",
        title="1. Settings — Manual",
        headings=[{"level": 1, "text": "1. Settings", "anchor": "top"}],
        definitions=[
            {"term": "cache_size (integer)", "anchor": "CACHE"},
            {"term": "page_size (integer)", "anchor": "PAGE"},
        ],
        body="Settings of sizes.\n1. Settings\nSettings are parameters.\n"
        "cache_size (integer)\nSize of the cache, a parameter beside page_size.\n"
        "page_size (integer)\nSize of a page.",
    )


def test_a_hit_leads_to_the_name_that_is_most_like_the_query(index: SearchIndex) -> None:
    settings(index)
    assert [
        search(index, words).hits[0].best.target.partition("#")[2]
        for words in ("page_size parameter", "cache_size parameter", "settings")
    ] == ["PAGE", "CACHE", "top"]


def test_a_section_titled_as_its_page_is_the_page(index: SearchIndex) -> None:
    settings(index)
    [hit] = search(index, "settings of sizes", sections=3).hits
    assert [each.title for each in hit.sections].count("") == 1
    assert "1. Settings" not in [each.title for each in hit.sections]


def test_a_hit_shows_the_section_that_it_leads_to(index: SearchIndex) -> None:
    names = ["Temporary files", "Places"]
    headings = [{"level": 2, "text": name, "anchor": name[0]} for name in names]
    body = "Contents\nTemporary files\nPlaces\nTemporary files\nRead on.\nPlaces\nA temporary file."
    put(index, "files", title="Files", headings=headings, body=body)
    [hit] = search(index, "temporary files").hits
    assert (hit.best.target[-2:], hit.best.snippet.text) == ("#T", "Read on.")


def test_the_rarest_words_of_a_long_query_count(index: SearchIndex) -> None:
    settings(index)
    for number in range(9):
        put(index, f"p{number}", title="Page", body="all these words are there in this page")
    found = search(index, "are all these words there in this page of cache_size or page_size")
    assert found.hits[0].id == "settings"


def test_an_index_comes_after_the_pages_that_it_names(index: SearchIndex) -> None:
    definitions = [{"term": "page_size, Settings", "anchor": "entry-1"}]
    put(index, "bookindex.html", title="Index", definitions=definitions, body="page_size, Settings")
    settings(index)
    assert [hit.title for hit in search(index, "page_size").hits] == [
        "1. Settings — Manual",
        "Index",
    ]


def test_a_word_of_all_pages_is_found_beside_one_of_none(index: SearchIndex) -> None:
    settings(index)
    put(index, "more", title="More", body="Further settings.")
    found = search(index, "settings zzyzx")
    assert (found.total, found.any_word) == (2, True)


def test_a_word_of_the_address_alone_is_found(index: SearchIndex) -> None:
    put(index, "programs/serverctl.html", title="Control interface", body="It starts and stops.")
    put(index, "other", title="Control interface", body="It starts and stops.")
    for words in ("serverctl", "control programs"):
        assert search(index, words).hits[0].id == "programs/serverctl.html"


def test_every_part_of_a_name_in_camel_case_is_found(index: SearchIndex) -> None:
    put(index, "limits", title="Limits", body="Set MaxRequestWorkers and HTTPServer.")
    assert [search(index, word).total for word in ("max", "request", "workers", "server")] == [
        1
    ] * 4


def test_a_typo_that_is_a_stem_of_a_rare_language_is_corrected(index: SearchIndex) -> None:
    put(index, "format", title="Format", body="A format from here.")
    put(index, "more", title="Words", body="Words from there.")
    put(index, "mots", title="Mots", language="fr", body="Les changements des formats.")
    found = search(index, "fromat")
    assert (found.correction, found.hits[0].id) == ("format", "format")
    assert [hit.id for hit in search(index, "changement").hits] == ["mots"]


def test_an_equal_name_comes_before_one_that_begins_so(index: SearchIndex) -> None:
    words = "widget widgets " * 5
    put(index, "source", title="lib.widgets", body=f"{words} lib.widget lib.widgets")
    terms = [{"term": "class lib.Widget", "anchor": "lib.Widget"}]
    put(
        index,
        "manual",
        title="Reference",
        definitions=terms,
        body=f"class lib.Widget\n{'x ' * 300}",
    )
    assert [hit.id for hit in search(index, "lib.Widget").hits] == ["manual", "source"]


def test_a_page_that_a_vector_is_near_to_comes_after_one_of_that_name(index: SearchIndex) -> None:
    for number in range(9):
        put(index, f"p{number}", title=f"Page {number}", body="about the gather function")
    put(index, "gather", title="gather", body="It waits.")
    with index.transaction():
        index.vectors.put(1, [("", "hash", packed([1.0, 0.0]))])
    assert search(index, "gather", vector=[1.0, 0.0]).hits[0].id == "gather"


def test_of_phrases_of_common_words_one_counts(index: SearchIndex) -> None:
    for number in range(9):
        put(index, f"p{number}", title=f"Page {number}", body="it is in the list of all words")
    put(index, "vacuum", title="Cleaning", body="vacuum it is")
    query = parse_query('"it is" "in the" "of all" "the list" vacuum')
    expressions = query.expressions(index)
    assert expressions is not None
    assert expressions.some == '(((("vacuum"))) OR ("the list"))'
    assert search(index, '"it is" vacuum').hits[0].id == "vacuum"


def test_an_unfinished_word_is_found_by_its_stem(index: SearchIndex) -> None:
    put(index, "guide", title="Guide", body="Installing it takes a minute.")
    found = search(index, "installa")
    assert (found.total, found.correction) == (1, "install")


@pytest.mark.alone
def test_a_name_of_every_letter_is_cheap(index: SearchIndex) -> None:
    letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
    for number in range(10):
        put(index, f"{number}", title=f"Page {number}", body=f"{letters} and again a word. " * 400)
    assert cpu_of(index, letters.replace(" ", ".")) < 40 * cpu_of(index, "a.b.c.d")


def cpu_of(index: SearchIndex, query: str) -> float:
    """CPU seconds of a search that finds something."""
    began = time.process_time()
    assert search(index, query).hits
    return time.process_time() - began
