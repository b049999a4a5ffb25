"""An index survives the histories of ``benchmarks.histories``: a few of them, at eight pages."""

from __future__ import annotations

import pytest

from benchmarks.histories.__main__ import run_history
from benchmarks.histories.faults import HISTORIES

CHOSEN = (
    "canonical: pairs",
    "cache: pairs swapped",
    "empty: the template",
    "error: random words",
    "302: maintenance",
    "410: all",
)


@pytest.mark.slow
@pytest.mark.behaviour("K-13", "DEL-12")
@pytest.mark.parametrize("name", CHOSEN)
def test_a_failing_site_costs_an_index_one_document_at_most(name: str) -> None:
    [history] = [history for history in HISTORIES if history.name == name]
    assert run_history(history, 8).wrong == []
