"""Placeholder pages: what a page lacks decides, and words never decide against a text."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from fixtures.effort import effort_within
from sitecrawl.policy.documents.placeholders import judge_page
from sitecrawl.policy.outcomes import PLACEHOLDERS
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

CASES = tomllib.loads(
    (Path(__file__).parent / "cases" / "placeholders.toml").read_text(encoding="utf-8")
)["case"]
URL = "https://www.example.org/folder/page"
MENU = "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/contact>Contact</a></nav>"


@pytest.mark.behaviour("EMP-01", "EMP-05")
@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_page_is_a_placeholder_by_what_it_lacks(case: dict[str, Any]) -> None:
    body = f"{MENU if case.get('menu') else ''}{case['html']}".encode()
    page = read_page(body, url=URL, content_type="text/html", headers={}, options=ReadOptions())
    found = judge_page(page, body, PLACEHOLDERS)
    assert (found.kind if found else "") == case.get("kind", ""), found


@pytest.mark.behaviour("EMP-05")
def test_a_page_with_the_links_of_a_site_is_none() -> None:
    for case in CASES:
        body = f"{MENU}{case['html']}<a href=/folder/page/below>Below</a>".encode()
        page = read_page(body, url=URL, content_type="text/html", headers={}, options=ReadOptions())
        assert judge_page(page, body, PLACEHOLDERS) is None, case["name"]


def test_a_title_of_megabytes_is_judged_by_its_beginning() -> None:
    body = b"<title>Log in " + b"word " * 1_000_000 + b"</title><input type=password>"
    page = read_page(body, url=URL, content_type="text/html", headers={}, options=ReadOptions())
    with effort_within(200):
        judge_page(page, body, PLACEHOLDERS)
