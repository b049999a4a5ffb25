"""Every transition of an origin and of its robots.txt, in every phase."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.failure_budget import FailureBudget
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.scheduling.origin import (
    ROBOTS_TRANSITIONS,
    TRANSITIONS,
    GivenUp,
    Origin,
    OriginPhase,
    PacingSlot,
    RobotsFile,
    RobotsPhase,
)
from sitecrawl.transitions import IllegalTransitionError

SITE = "http://a.test"
PHASES = (
    "UNLEASED",
    "LEASE_ASKED",
    "LEASED_ELSEWHERE",
    "ACTIVE",
    "EXHAUSTED",
    "GIVEN_UP",
    "LEAVING",
)

FOLLOWING = {
    "lease_asked": ("LEASE_ASKED", None, None, "LEASE_ASKED", "LEASE_ASKED", None, "LEASE_ASKED"),
    "lease_acquired": (*["ACTIVE"] * 5, "GIVEN_UP", "ACTIVE"),
    "lease_denied": (*["LEASED_ELSEWHERE"] * 5, "GIVEN_UP", "LEASED_ELSEWHERE"),
    "lease_cancelled": (None, "UNLEASED", "UNLEASED", None, None, None, None),
    "work_found": (
        *("ACTIVE", "LEASE_ASKED", "LEASED_ELSEWHERE", "ACTIVE"),
        *("ACTIVE", "GIVEN_UP", "LEAVING"),
    ),
    "begin_refill": (None, None, None, "ACTIVE", None, None, None),
    "exhausted": (
        *("UNLEASED", "LEASE_ASKED", "LEASED_ELSEWHERE"),
        *("EXHAUSTED", "EXHAUSTED", "GIVEN_UP", "LEAVING"),
    ),
    "give_up": ("GIVEN_UP",) * 7,
    "hand_over": (None, None, None, "LEAVING", "LEAVING", None, None),
    "stay": (*PHASES[:6], "ACTIVE"),
    "forgive": (*PHASES[:5], "UNLEASED", "LEAVING"),
    "rest": (*["UNLEASED"] * 3, None, "UNLEASED", "GIVEN_UP", "UNLEASED"),
}

ROBOTS_FOLLOWING = {
    "ask": ("ASKED", None, "ASKED", "ASKED", "ASKED"),
    "redirect": (None, "REDIRECTED", None, None, None),
    "read": (None, "READ", None, None, None),
    "unreachable": (None, "UNREACHABLE", None, None, None),
    "cancel": (None, "UNREAD", None, None, None),
}


def origin_in(phase: OriginPhase, *, refilling: bool = False) -> Origin:
    """An origin without any work."""
    return Origin(
        loaded=OriginState(SITE, None, None, 0.0, None, 0.0, 0),
        pace=Pace(),
        failure_budget=FailureBudget(),
        robots=RobotsFile(SITE),
        slot=PacingSlot(0.0),
        holds_lease=lambda: True,
        phase=phase,
        refilling=refilling,
        why=GivenUp("gone") if phase is OriginPhase.GIVEN_UP else None,
    )


def _transition(origin: Origin, name: str) -> None:
    methods: dict[str, Callable[[], None]] = {
        "lease_asked": origin.lease_asked,
        "lease_acquired": lambda: origin.lease_acquired(0.0),
        "lease_denied": origin.lease_denied,
        "lease_cancelled": origin.lease_cancelled,
        "work_found": origin.work_found,
        "begin_refill": origin.begin_refill,
        "exhausted": lambda: origin.refilled([], exhausted=True),
        "give_up": lambda: origin.give_up("gone"),
        "forgive": lambda: origin.forgive(Pace(), FailureBudget()),
        "rest": origin.rest,
        "hand_over": origin.hand_over,
        "stay": lambda: origin.retry_at(Request(SITE), 0.0),
    }
    methods[name]()


def test_the_tables_are_complete() -> None:
    assert tuple(phase.name for phase in OriginPhase) == PHASES
    assert FOLLOWING.keys() == TRANSITIONS.keys()
    assert ROBOTS_FOLLOWING.keys() == ROBOTS_TRANSITIONS.keys()


@pytest.mark.parametrize(("name", "phase"), list(product(FOLLOWING, OriginPhase)))
def test_transition_of_an_origin(name: str, phase: OriginPhase) -> None:
    origin = origin_in(phase, refilling=name == "exhausted")
    following = FOLLOWING[name][PHASES.index(phase.name)]
    if following is None:
        with pytest.raises(IllegalTransitionError, match=f"{name} while {phase.name}"):
            _transition(origin, name)
        assert origin.phase is phase
        return
    _transition(origin, name)
    assert origin.phase.name == following
    assert bool(origin.given_up) == (origin.phase is OriginPhase.GIVEN_UP)


@pytest.mark.parametrize(("name", "phase"), list(product(ROBOTS_FOLLOWING, RobotsPhase)))
def test_transition_of_a_robots_txt(name: str, phase: RobotsPhase) -> None:
    robots = RobotsFile(SITE, phase=phase)
    methods: dict[str, Callable[[], None]] = {
        "ask": robots.ask,
        "redirect": lambda: robots.redirect("http://b.test/robots.txt", 301),
        "read": lambda: robots.read(b"", 200),
        "unreachable": lambda: robots.unreachable(503),
        "cancel": robots.cancel,
    }
    following = ROBOTS_FOLLOWING[name][list(RobotsPhase).index(phase)]
    if following is None:
        with pytest.raises(IllegalTransitionError):
            methods[name]()
        assert robots.phase is phase
    else:
        methods[name]()
        assert robots.phase.name == following


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
    with pytest.raises(IllegalTransitionError):
        origin.refilled([], exhausted=True)


def test_nothing_is_sent_while_the_lease_is_asked_for() -> None:
    origin = origin_in(OriginPhase.ACTIVE)
    origin.begin_refill()
    origin.refilled([DueUrl(SITE, 1, f"{SITE}/", 0, "seed", None)], exhausted=False)
    origin.lease_asked()
    assert (origin.has_work, len(origin.todo)) == (False, 1)  # the lease may go on
    origin.lease_denied()
    assert (origin.has_work, len(origin.todo)) == (False, 0)
