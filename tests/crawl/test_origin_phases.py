"""Transitions of an origin."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.answers import FailureBudget
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.scheduling.origin import (
    TRANSITIONS,
    IllegalTransitionError,
    Origin,
    OriginPhase,
    PacingSlot,
    RobotsFile,
)

SITE = "http://a.test"


def origin_in(phase: OriginPhase) -> Origin:
    """An origin without any work."""
    return Origin(
        loaded=OriginState(SITE, None, None, 0.0, None, 0.0),
        pace=Pace(),
        failure_budget=FailureBudget(),
        robots=RobotsFile(SITE),
        slot=PacingSlot(0.0),
        holds_lease=lambda: True,
        phase=phase,
    )


class Callers:
    """Calls of an origin's methods in a random order, each where its caller may make it."""

    def __init__(self, dice: random.Random) -> None:
        self.origin = origin_in(OriginPhase.UNLEASED)
        self._dice = dice
        self._refills = 0

    def step(self) -> None:
        """Draw one call; nothing happens where the phase does not let its caller make it."""
        origin = self.origin
        calls: dict[Callable[[], object], bool] = {
            lambda: origin.enqueue(Request(SITE)): True,
            origin.adhoc_requests.clear: origin.phase is not OriginPhase.LEASE_ASKED,
            origin.lease_asked: bool(
                origin.adhoc_requests and not (origin.given_up or self._refills)
            ),
            lambda: origin.lease_acquired(0.0): True,
            origin.lease_denied: origin.phase is OriginPhase.LEASE_ASKED,
            origin.work_found: True,
            self._begin_refill: origin.wants_refill(1),
            self._end_refill: bool(self._refills),
            origin.hand_over: origin.may_be_handed_over(0.0),
            lambda: origin.retry_at(DueUrl(SITE, 1, SITE, 0, "seed", None), 0.0): True,
            lambda: origin.pop_due(1.0): origin.has_work,
            lambda: origin.give_up("gone"): self._dice.random() < 0.2,
            self._rest: origin.is_done,
        }
        self._dice.choice([call for call, is_allowed in calls.items() if is_allowed])()

    def _begin_refill(self) -> None:
        self._refills += 1
        self.origin.begin_refill()

    def _end_refill(self) -> None:
        self._refills -= 1
        self.origin.refilled([], exhausted=self._dice.random() < 0.5)

    def _rest(self) -> None:
        assert not self._refills
        self.origin.rest()
        if self.origin.given_up and self._dice.random() < 0.5:
            self.origin.forgive(Pace(), FailureBudget())


def test_random_calls_find_every_transition_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: set[tuple[str, OriginPhase]] = set()

    def noted(origin: Origin, transition: str) -> None:
        taken.add((transition, origin.phase))
        move(origin, transition)

    move = Origin._move
    monkeypatch.setattr(Origin, "_move", noted)
    for seed in range(300):
        callers = Callers(random.Random(seed))
        for _ in range(60):
            callers.step()
            is_given_up = callers.origin.phase in (OriginPhase.GIVING_UP, OriginPhase.GIVEN_UP)
            assert bool(callers.origin.given_up) == is_given_up
    assert taken == {(name, phase) for name, phases in TRANSITIONS.items() for phase in phases}


def test_any_other_transition_raises() -> None:
    with pytest.raises(IllegalTransitionError, match="begin_refill while EXHAUSTED"):
        origin_in(OriginPhase.EXHAUSTED).begin_refill()


def test_a_second_refill_waits_for_the_first() -> None:
    origin = origin_in(OriginPhase.ACTIVE)
    assert origin.wants_refill(1)
    origin.begin_refill()
    assert not origin.wants_refill(1)
    assert not origin.is_done
    with pytest.raises(IllegalTransitionError):
        origin.begin_refill()
    origin.refilled([DueUrl(SITE, 1, f"{SITE}/", 0, "seed", None)], exhausted=False)
    assert (origin.phase, origin.has_work) == (OriginPhase.ACTIVE, True)


def test_nothing_is_sent_while_the_lease_is_asked_for() -> None:
    origin = origin_in(OriginPhase.ACTIVE)
    origin.begin_refill()
    origin.refilled([DueUrl(SITE, 1, f"{SITE}/", 0, "seed", None)], exhausted=False)
    origin.lease_asked()
    assert (origin.has_work, len(origin.todo)) == (False, 1)  # the lease may go on
    origin.lease_denied()
    assert (origin.has_work, len(origin.todo)) == (False, 0)


def test_work_that_is_found_during_a_refill_is_asked_for() -> None:
    origin = origin_in(OriginPhase.ACTIVE)
    origin.begin_refill()
    origin.work_found()
    origin.refilled([], exhausted=True)
    assert origin.wants_refill(1)
