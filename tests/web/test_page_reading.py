"""What one parse finds on a page, by tables of pages and what they tell."""

from __future__ import annotations

from typing import Any

import pytest
from page_cases import load, read, told

GIVEN = {"ids", "name", "html", "bytes", "url", "type", "headers", "options"}
TABLES = ("page_links", "page_robots", "page_text", "page_metadata", "page_refresh")


@pytest.mark.parametrize("case", [case for table in TABLES for case in load(table)])
def test_page_tells(case: dict[str, Any]) -> None:
    page = read(case)
    expected = {name: value for name, value in case.items() if name not in GIVEN}
    assert expected
    assert {name: told(page, name) for name in expected} == expected
