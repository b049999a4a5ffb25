"""Facts that one parse finds on a page, by tables of pages."""

from __future__ import annotations

from typing import Any

import pytest
from page_cases import load, read, told

from sitecrawl.web.media_type import sniff

GIVEN = {"ids", "name", "html", "bytes", "url", "type", "headers", "options"}
TABLES = (
    *("page_content", "page_comments", "page_links", "page_robots"),
    *("page_text", "page_metadata", "page_refresh"),
)


@pytest.mark.parametrize("case", [case for table in TABLES for case in load(table)])
def test_page_tells(case: dict[str, Any]) -> None:
    page = read(case)
    expected = {name: value for name, value in case.items() if name not in GIVEN}
    assert expected
    assert {name: told(page, name) for name in expected} == expected


@pytest.mark.parametrize(
    "declared", [None, "*/*", "html", "; charset=utf-8", "text/html,text/html"]
)
def test_sniffed_markup_is_read_in_the_encoding_it_declares(declared: str | None) -> None:
    body = b"<html><meta charset=koi8-r><title>\xc1</title>"
    page = read({"html": body.decode("latin-1"), "bytes": True, "type": declared})
    expected = "\ufffd" if declared and "charset" in declared else "\u0430"
    assert (page.content_type, page.title) == ("text/html", expected)


@pytest.mark.behaviour("K-26")
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>> endobj", ""),
        (b"%!PS-Adobe-3.0\n%%Title: (x)\n", ""),
        (b"% PDF- is the word that begins a document to print", "text/plain"),
        (b"\x89PNG\r\n\x1a\n", ""),
        (b" \n<!DOCTYPE html><p>", "text/html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>", "text/xml"),
    ],
)
def test_sniffed_types(body: bytes, kind: str) -> None:
    assert sniff(body) == kind
