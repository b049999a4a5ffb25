"""The politeness receipt: gaps against the promise, and what followed an overload."""

from __future__ import annotations

import pytest

from sitecrawl.policy.http.politeness import MAX_PAUSES, Pause, Receipt


def test_an_origin_asked_once_has_no_gaps() -> None:
    receipt = Receipt()
    receipt.sent(10.0, 1.0)
    summary = receipt.summary()
    assert (summary.requests, summary.promised) == (1, 1.0)
    assert (summary.smallest, summary.median, summary.spare) == (None, None, None)


def test_gaps_are_between_the_beginnings_of_requests() -> None:
    receipt = Receipt()
    for at, promised in ((0.0, 0.0), (1.0, 0.5), (3.0, 0.5), (3.6, 0.5), (5.6, 0.5)):
        receipt.sent(at, promised)
    summary = receipt.summary()
    assert summary.requests == 5
    assert summary.smallest == pytest.approx(0.6)
    assert summary.median == pytest.approx(1.0, rel=0.05)
    assert summary.spare == pytest.approx(0.1)


def test_an_overload_has_the_pause_that_followed() -> None:
    receipt = Receipt()
    receipt.sent(0.0, 1.0)
    receipt.overloaded(429, 5.0, 1_700_000_000.0)
    receipt.sent(6.0, 1.0)
    receipt.overloaded(503, None, 1_700_000_007.0)
    summary = receipt.summary()
    assert (summary.limited, summary.unavailable) == (1, 1)
    assert summary.pauses == (
        Pause(1_700_000_000.0, 429, 5.0, 6.0),
        Pause(1_700_000_007.0, 503, None, None),
    )


def test_the_size_does_not_depend_on_the_number_of_requests() -> None:
    receipt = Receipt()
    for number in range(1000):
        receipt.sent(number * 1.5, 1.0)
        receipt.overloaded(429, None, number)
    summary = receipt.summary()
    assert summary.limited == 1000
    assert len(summary.pauses) == MAX_PAUSES
    assert all(pause.waited == 1.5 for pause in summary.pauses)
