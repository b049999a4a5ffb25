"""The documents of the test site, field by field."""

from __future__ import annotations

from typing import Any

import pytest
from site_runs import Run


@pytest.mark.behaviour("M-16", "M-08")
def test_what_may_be_shown_of_a_page(first: Run) -> None:
    def field(name: str) -> dict[str, Any]:
        return first.document(f"/robots/{name}.html").get("robots", {})

    assert field("noarchive")["noarchive"] is True
    assert field("header-noarchive")["noarchive"] is True
    assert field("nosnippet")["nosnippet"] is True
    shown = first.document("/robots/header-nosnippet.html")
    assert shown["robots"]["nosnippet"] is True
    assert not {"description", "meta_description"} & shown.keys()


@pytest.mark.behaviour("C-25", "L-02", "O-02", "DB-21")
def test_a_framed_page_names_its_frameset(first: Run) -> None:
    frameset = f"{first.origins.main}/frames/frameset.html"
    for name in ("menu", "inner"):
        assert first.document(f"/frames/{name}.html")["source_url"] == frameset


@pytest.mark.behaviour("L-08", "MD-18")
def test_alternates_are_listed(first: Run) -> None:
    (alternate,) = first.document("/alternates.html")["alternates"]
    assert alternate["url"] == f"{first.origins.main}/alternate.html"
    assert (alternate["hreflang"], alternate["title"]) == ("fr", "En français")


@pytest.mark.behaviour("DU-05", "DU-04", "DU-01")
def test_copies_are_named_by_the_document_that_is_kept(first: Run) -> None:
    main = first.origins.main
    kept = {path: each.get("additional_urls") for path, each in first.documents().items()}
    assert kept["/copies/dir1/doc1.html"] == [f"{main}/copies/dir1/doc2.html"]
    assert kept["/copies/dir1/doc3.html"] == [f"{main}/copies/dir2/doc3.html"]
    asked = first.asked()
    assert asked["/copies/dir3/"] + asked["/copies/dir3/index.html"] == 1


@pytest.mark.behaviour("MD-12", "MD-13")
@pytest.mark.parametrize(
    ("name", "published", "modified"),
    [
        ("dublin-core", "2001-02-03T00:00:00Z", None),
        ("terms", "2002-03-04T00:00:00Z", None),
        ("article", "2003-04-05T06:07:08Z", None),
        ("time", "2004-05-06T00:00:00Z", None),
        ("wrong", None, None),
        ("meta", None, "2020-02-03T00:00:00Z"),
        ("modified", None, "2026-11-01T08:00:00Z"),
        ("old", None, "1990-02-05T10:00:00Z"),
        ("gibberish", None, None),
    ],
)
def test_dates(name: str, published: str | None, modified: str | None, first: Run) -> None:
    document = first.document(f"/dates/{name}.html")
    assert (document.get("published_at"), document.get("modified_at")) == (published, modified)


@pytest.mark.behaviour("RC-13")
def test_dates_that_cannot_be_right_are_flagged(first: Run) -> None:
    dated = {path: each for path, each in first.documents().items() if path.startswith("/dates/")}
    flagged = {path for path, each in dated.items() if each.get("date_reliable") is False}
    assert flagged == {f"/dates/{name}.html" for name in ("epoch", "future", "gibberish", "now")}


@pytest.mark.behaviour("C-12")
@pytest.mark.parametrize(
    "name", ["utf-8", "latin-1", "meta", "bom", "utf-16", "conflict", "undeclared"]
)
def test_no_encoding_is_misread(name: str, first: Run) -> None:
    assert "Grüße aus Köln" in first.document(f"/texts/{name}.html")["body"]


@pytest.mark.behaviour("C-12")
def test_japanese_is_read(first: Run) -> None:
    document = first.document("/texts/japanese.html")
    assert document["title"] == "日本語"
    assert "日本語の文書" in document["body"]


@pytest.mark.behaviour("C-11", "T-09", "U-14")
def test_entities_are_decoded_everywhere(first: Run) -> None:
    document = first.document("/texts/entities.html")
    assert document["title"].startswith("Café – ")
    assert document["meta_description"] == "Café & bar"
    assert "fish & chips <b> AB © 1 &lt; &nosuch; café" in document["body"]


@pytest.mark.behaviour("C-14", "C-15")
def test_languages_of_a_page_and_its_blocks(first: Run) -> None:
    document = first.document("/texts/languages.html")
    assert document["language"] == "de"
    blocks = {block["language"]: block["text"] for block in document["blocks"]}
    assert blocks == {"es": "zqgood1518 en français", "fr": "français"}


@pytest.mark.behaviour("C-01", "C-06", "C-21")
def test_block_elements_break_words_and_inline_ones_do_not(first: Run) -> None:
    body = first.document("/texts/styles.html")["body"]
    assert "example one\ntwo" in body


@pytest.mark.behaviour("MD-07", "MD-08", "MD-10", "T-03")
def test_keywords_and_description(first: Run) -> None:
    document = first.document("/texts/metas.html")
    assert document["meta_keywords"] == ["zqgood1505", "two words", "zqgood1506"]
    assert document["meta_description"] == "zqgood1507 & more of it"
    assert (document["description_source"], document["author"]) == ("meta", "zqgood1508")


@pytest.mark.behaviour("T-01", "T-02", "T-04", "K-17")
def test_titles_and_descriptions_of_pages_that_give_none(first: Run) -> None:
    assert first.document("/texts/no_title-here.html")["title"] == "no title here"
    assert first.document("/texts/blank-title.html")["title"] == "The first heading"
    late = first.document("/texts/late.html")
    assert late["description"].startswith("The heading")
    assert late["description_source"] == "heading"


@pytest.mark.behaviour("C-13", "C-17")
def test_what_is_no_html_is_text_as_it_is(first: Run) -> None:
    assert "with <p>its tags" in first.document("/types/plain.txt")["body"]
    assert "zqgood721 <as it is>" in first.document("/types/page.xml")["body"]


@pytest.mark.behaviour("C-03", "L-12")
def test_a_long_description_is_a_document_of_its_own(first: Run) -> None:
    described = first.document("/texts/described.html")
    assert described["source_url"] == f"{first.origins.main}/texts/longdesc.html"


@pytest.mark.behaviour("O-02")
def test_headings_have_their_anchors(first: Run) -> None:
    headings = first.document("/anchors/long.html")["headings"]
    assert [each["anchor"] for each in headings] == [f"part{number}" for number in range(9)]
