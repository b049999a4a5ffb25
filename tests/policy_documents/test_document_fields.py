"""The fields of documents, by a table of pages and what they become."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.fields import page_fields
from sitecrawl.policy.documents.metadata_mapping import mapped_fields
from sitecrawl.policy.documents.output_shapes import rename
from sitecrawl.policy.documents.text_fields import MAX_KEYWORDS, document_keywords
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

TABLE = Path(__file__).parent / "cases" / "documents.toml"
URL = "http://example.org/folder/some-page_name.html"
GIVEN = {"ids", "name", "html", "url", "headers", "options", "read", "absent"}


def cases() -> list[Any]:
    return [
        pytest.param(
            case,
            id=case["name"],
            marks=[pytest.mark.behaviour(*case["ids"])] if "ids" in case else [],
        )
        for case in tomllib.loads(TABLE.read_text(encoding="utf-8"))["case"]
    ]


def frozen(value: Any) -> Any:
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def page_of(case: dict[str, Any]) -> Page:
    options = {name: frozen(value) for name, value in case.get("read", {}).items()}
    return read_page(
        case["html"].encode(),
        url=case.get("url", URL),
        content_type="text/html; charset=utf-8",
        headers=case.get("headers", {}),
        options=ReadOptions(**options),
    )


@pytest.mark.parametrize("case", cases())
def test_document_says(case: dict[str, Any]) -> None:
    given = {name: frozen(value) for name, value in case.get("options", {}).items()}
    page, options = page_of(case), DocumentOptions(**given)
    fields = page_fields(page, options)
    fields |= mapped_fields(page, options.metadata, options.extra_fields)
    expected = {name: value for name, value in case.items() if name not in GIVEN}
    assert {name: fields.get(name) for name in expected} == expected
    assert [name for name in case.get("absent", ()) if name in fields] == []
    assert [name for name, value in fields.items() if value in ("", None, [], {})] == []


@pytest.mark.behaviour("MD-15")
def test_fields_get_the_names_of_the_index() -> None:
    document = {"url": "u", "body": "b", "title": "t"}
    renamed = rename(document, (("url", "id"), ("body", "content_t")))
    assert renamed == {"id": "u", "content_t": "b", "title": "t"}
    assert list(renamed) == ["id", "content_t", "title"]


def test_no_more_keywords_are_looked_at_than_any_author_writes() -> None:
    page = Page(URL, URL, "text/html")
    page.metas = {"keywords": ("a," * 50_000,), "news_keywords": ("late",)}
    assert document_keywords(page) == (["a"], {"a": MAX_KEYWORDS})
