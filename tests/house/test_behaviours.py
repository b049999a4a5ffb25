"""Every promised behaviour has a test, or says why not."""

from __future__ import annotations

import pytest

from scripts import behaviours
from scripts.behaviours import Behaviour


@pytest.fixture(scope="module")
def proofs() -> behaviours.Proofs:
    return behaviours.collect()


def test_rows_and_tests_agree(proofs: behaviours.Proofs) -> None:
    _, rows = behaviours.load()
    assert list(behaviours.problems(rows, proofs)) == []


def test_the_page_is_current(proofs: behaviours.Proofs) -> None:
    titles, rows = behaviours.load()
    assert behaviours.PAGE.read_text(encoding="utf-8") == behaviours.render(titles, rows, proofs)


@pytest.mark.parametrize(
    ("row", "proofs", "problem"),
    [
        (Behaviour("F-01", "F", "x"), {}, "F-01 has no test"),
        (Behaviour("F-01", "F", "x", planned="later"), {"F-01": frozenset({"t"})}, "still marked"),
        (Behaviour("F-01", "F", "x", optional="why"), {"F-01": frozenset({"t"})}, "still marked"),
        (Behaviour("F-01", "F", "x", planned="later"), {"F-99": frozenset({"t"})}, "unknown"),
    ],
)
def test_what_disagrees_is_named(row: Behaviour, proofs: behaviours.Proofs, problem: str) -> None:
    (found,) = behaviours.problems([row], proofs)
    assert problem in found


def test_settling_drops_only_what_is_proven() -> None:
    text = 'F-01 = { does = "x", planned = "p" }\nF-02 = { does = "y", planned = "p" }\n'
    settled = 'F-01 = { does = "x" }\nF-02 = { does = "y", planned = "p" }\n'
    assert behaviours.settle(text, {"F-01": frozenset({"t"})}) == settled
