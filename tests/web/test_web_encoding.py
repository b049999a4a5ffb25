"""Bytes to text as browsers do it."""

from __future__ import annotations

import codecs
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fixtures.effort import effort_within
from sitecrawl.web import encoding
from sitecrawl.web.encoding import CODECS, LABELS

CASES = tomllib.loads((Path(__file__).parent / "cases" / "encodings.toml").read_text("utf-8"))


def raw(escaped: str) -> bytes:
    return escaped.encode("latin-1").decode("unicode_escape").encode("latin-1")


@pytest.mark.behaviour("C-12")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['header']} {case['body']}") for case in CASES["case"]]
)
def test_decode(case: dict[str, Any]) -> None:
    text, name = encoding.decode(raw(case["body"]), case["header"] or None)
    assert (text, name) == (case["text"], case["name"])


def test_declaration_far_down_the_head_counts() -> None:
    body = b"<script>" + b"x" * 20_000 + b"</script><meta charset=koi8-r>\xc1"
    assert encoding.decode(body, "text/html")[1] == "koi8-r"


def test_declaration_beyond_the_prescan_does_not() -> None:
    body = b"<p>" + b"x" * encoding.PRESCAN_BYTES + b"<meta charset=koi8-r>\xc1"
    assert encoding.decode(body, "text/html")[1] == "windows-1252"


def test_prescan_ends_at_the_last_declaration() -> None:
    body = b"<title>charset</title>" + b"<p class=x>" * 50 + b"\xe9"
    assert encoding.decode(body, "text/html")[1] == "windows-1252"


@pytest.mark.parametrize("name", sorted(set(LABELS.values())))
def test_every_encoding_reads_every_byte(name: str) -> None:
    assert codecs.lookup(CODECS.get(name, name))
    assert isinstance(encoding.read(bytes(range(256)) * 2, name), str)
    assert encoding.encoding_of(name) == name


@pytest.mark.parametrize("label", [" UTF-8\t", '"utf8"', "Unicode-1-1-UTF-8"])
def test_labels_are_read_without_case_and_wrapping(label: str) -> None:
    assert encoding.encoding_of(label) == "utf-8"


@pytest.mark.parametrize(
    "piece", [b"<", b"<a \"'", b"<!--", b"<meta ", b"=", b"<a'", b" encoding", b"<meta charset="]
)
def test_hostile_heads_are_read_in_linear_time(piece: bytes) -> None:
    with effort_within(200):
        encoding.decode(b"<?xml <meta " + piece * 65_536 + b"charset", "text/html")
