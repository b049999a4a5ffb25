"""A refusal that a run recorded holds while the options that decided have the same values."""

from __future__ import annotations

from typing import Any

import pytest

from sitecrawl.explain.explanation import RECORDED_REASONS, PastRefusal
from sitecrawl.policy.decision import Step


@pytest.mark.parametrize(
    ("reason", "before", "now", "refused"),
    [
        ("depth", {"max_depth": 1}, {"max_depth": 1}, True),
        ("depth", {"max_depth": 1}, {"max_depth": 1, "deny": ["x"]}, True),
        ("depth", {"max_depth": 1}, {"max_depth": 2}, False),
        ("depth", {"max_depth": 1}, {}, False),
        ("endless", {}, {"max_depth": 1}, True),
    ],
)
def test_it_holds_for_the_same_options_whatever_set_them(
    reason: str, before: dict[str, Any], now: dict[str, Any], *, refused: bool
) -> None:
    past = PastRefusal(RECORDED_REASONS[reason], before, "max_depth 1 (site.toml) (in run 3)")
    steps = [
        Step("deny", "passed", "deny ''"),
        Step(reason, "passed", "max_depth 1 (-a max_depth)"),
    ]
    marked = past.mark(steps, now)
    assert marked[0] == steps[0]
    assert (marked[1].verdict == "refused") is refused
