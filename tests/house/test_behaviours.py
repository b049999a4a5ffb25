"""Every promised behaviour has a test, or says why not."""

from __future__ import annotations

import pytest

from scripts import behaviours
from scripts.behaviours import Behaviour


def test_rows_and_tests_agree() -> None:
    _, rows = behaviours.load()
    assert list(behaviours.problems(rows, behaviours.read_proofs())) == []


@pytest.mark.parametrize(
    ("row", "proofs", "problem"),
    [
        (Behaviour("F-01", "F", "x"), {}, "F-01 has no test"),
        (Behaviour("F-01", "F", "x", optional="why"), {"F-01": frozenset({"t"})}, "still marked"),
        (Behaviour("F-01", "F", "x", optional="y"), {"F-99": frozenset({"t"})}, "F-99 is no row"),
    ],
)
def test_what_disagrees_is_named(row: Behaviour, proofs: behaviours.Proofs, problem: str) -> None:
    (found,) = behaviours.problems([row], proofs)
    assert problem in found


def test_the_listing_names_the_proofs() -> None:
    rows = [Behaviour("F-01", "F", "fetches"), Behaviour("L-01", "L", "links")]
    lines = behaviours.listing(
        {"F": "Fetching", "L": "Links"}, rows, {"F-01": frozenset({"tests/a.py::b"})}, ["F"]
    )
    assert list(lines) == ["", "Fetching (F)", "  F-01  fetches", "        tests/a.py::b"]
