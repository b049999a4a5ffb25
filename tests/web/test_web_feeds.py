"""Feeds: the resources that they name."""

from __future__ import annotations

import gzip
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fixtures.effort import effort_within
from sitecrawl.web.feeds.listings import read_feed

URL = "http://example.org/news/feed.xml"
CASES = tomllib.loads((Path(__file__).parent / "cases" / "feeds.toml").read_text("utf-8"))

named = pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"], marks=pytest.mark.behaviour(*case.get("ids", ())))
        for case in CASES["case"]
    ],
)


def entries(body: bytes, problems: list[str]) -> list[list[str]]:
    return [
        [entry.url, entry.date.isoformat() if entry.date else ""]
        for entry in read_feed(body, URL, problems)
    ]


@named
def test_entries(case: dict[str, Any]) -> None:
    for body in (case["text"].encode(), gzip.compress(case["text"].encode())):
        problems: list[str] = []
        assert entries(body, problems) == case["entries"]
        assert problems == case.get("problems", [])


def test_reading_stops_at_the_limit() -> None:
    problems: list[str] = []
    body = b"<rss>" + b"<item><link>http://example.org/</link></item>" * 20 + b"</rss>"
    assert len(list(read_feed(body, URL, problems, limit=10))) == 10
    assert problems == ["too_many_entries"]


def test_bases_within_bases_are_read_in_time() -> None:
    body = b"<feed>" + b"<x xml:base='a/'>" * 3_000 + b"<entry><link href='x'/></entry>" * 3_000
    with effort_within(800):  # else 8,000
        assert len(list(read_feed(body, URL, []))) == 3_000
