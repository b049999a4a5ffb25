"""The tables of claims: every state of a document and of the URL that it names as canonical."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitecrawl.frontier.claims import CANONICAL, REVIEWED, ClaimantState, ClaimStep, TargetState

CASES = tomllib.loads((Path(__file__).parent / "cases" / "claims.toml").read_text("utf-8"))


@pytest.mark.parametrize(("name", "table"), [("canonical", CANONICAL), ("reviewed", REVIEWED)])
def test_what_follows_from_a_claim(
    name: str, table: Mapping[TargetState, Mapping[ClaimantState, ClaimStep]]
) -> None:
    assert table.keys() == set(TargetState)
    assert CASES[name] == {
        state.name.lower(): {place.name.lower(): step.name.lower() for place, step in row.items()}
        for state, row in table.items()
    }
