"""The shapes of the output, by a table."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.output_shapes import written

CASES = tomllib.loads((Path(__file__).parent / "cases" / "presets.toml").read_text("utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    field_map = tuple((name, new) for name, new in case.get("field_map", ()))
    options = DocumentOptions(preset=case["preset"], field_map=field_map)
    before = repr(case["record"])
    assert written(case["record"], options) == case["written"]
    assert repr(case["record"]) == before
