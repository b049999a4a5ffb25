"""Families of URLs, dates and opaque ids in them: the basis of the limits of series."""

from __future__ import annotations

import pytest

from sitecrawl.policy.traps.series import family, is_dated
from sitecrawl.policy.urls.templates import is_opaque
from sitecrawl.policy.urls.url_rules import read_target

HOME = "http://example.org"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/cal/2026/11", "/cal/2026/11/20"),
        ("/cal/2026-11", "/cal/2027-01/"),
        ("/list?page=2", "/list?page=17"),
        ("/c?year=2026&month=11", "/c?date=2026-11-20"),
        ("/item-12.html", "/item-7.html"),
        ("/s/1f2e3d4c5b6a7f8e9d", "/s/9f8e7d6c5b4a3f2e1d"),
        ("/w?q=x&start=10", "/w?start=20&q=x"),
        ("/on/20-November-2026/", "/on/1-december-2027/"),
    ],
)
def test_one_family(one: str, other: str) -> None:
    assert family(read_target(HOME + one)) == family(read_target(HOME + other)) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a/1", "/b/1"),
        ("/w?q=x&start=10", "/w?q=y&start=20"),
        ("/2026/11/one-story", "/2026/11/other-story"),
        ("/list", "/list?page=2"),
        ("/item-12", "/november-12"),
    ],
)
def test_different_families(one: str, other: str) -> None:
    assert family(read_target(HOME + one)) != family(read_target(HOME + other))


@pytest.mark.parametrize("path", ["/", "/about", "/wiki?title=Chalk", "/a/b/c?x&y=z"])
def test_no_family_without_numbers(path: str) -> None:
    assert family(read_target(HOME + path)) == ""


@pytest.mark.parametrize(
    ("path", "dated"),
    [
        ("/cal/2026/11", True),
        ("/cal/2026-11-20.html", True),
        ("/cal/202611/", True),
        ("/cal?day=3", True),
        ("/cal?from_date=20&x", True),
        ("/2026/11/the-title", False),
        ("/item/2026", False),
        ("/item/19991", False),
        ("/list?page=3", False),
        ("/x?daytona=3", False),
    ],
)
def test_dated(path: str, dated: bool) -> None:
    assert is_dated(read_target(HOME + path)) is dated


@pytest.mark.parametrize(
    "value", ["1f2e3d4c5b6a7f8e9d", "a1b2c3d4e5f6", "1699999999", "X-9_y8~z7q6w"]
)
def test_opaque(value: str) -> None:
    assert is_opaque(value)


@pytest.mark.parametrize(
    "value", ["", "2026-11-20", "granite", "a-long-title-of-2026", "123456789"]
)
def test_not_opaque(value: str) -> None:
    assert not is_opaque(value)
