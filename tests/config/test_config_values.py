"""Conversion of arguments and TOML values to the values of options."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from sitecrawl.config import types as base

CASES = tomllib.loads((Path(__file__).parent / "cases" / "values.toml").read_text())["case"]


def read(kind: str, text: object) -> Any:
    value = TypeAdapter(getattr(base, kind)).validate_python(text)
    return list(value) if isinstance(value, tuple) else value


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=f"{case['type']} {case['text']!r}") for case in cases]


@pytest.mark.parametrize("case", named([case for case in CASES if "means" in case]))
def test_value_is_read(case: dict[str, Any]):
    assert read(case["type"], case["text"]) == case["means"]


@pytest.mark.parametrize("case", named([case for case in CASES if "refused" in case]))
def test_value_is_refused(case: dict[str, Any]):
    with pytest.raises(ValidationError) as caught:
        read(case["type"], case["text"])
    assert case["refused"] in str(caught.value)
