"""Every transition of a visit, in every phase, and the one result that it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import product

import pytest

from sitecrawl.crawl.discovery import Reference
from sitecrawl.crawl.visit import TRANSITIONS, ContentHashes, ResponseFacts, Visit, VisitPhase
from sitecrawl.frontier.base import Candidate, DueUrl
from sitecrawl.policy.decision import ALLOWED, Admission, refuse
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.transitions import IllegalTransitionError

SITE = "http://a.test"
PHASES = ("BEGUN", "SENT", "ANSWERED", "ENDED")
IN_PAGE = (None, None, "ANSWERED", None)
FOLLOWING = {
    "sent": ("SENT", "SENT", "SENT", None),
    "answered": ("ANSWERED", "ANSWERED", "ANSWERED", None),
    "redirected": IN_PAGE,
    "links_found": IN_PAGE,
    "canonical_found": IN_PAGE,
    "hashed": IN_PAGE,
    "concluded": IN_PAGE,
    "end": ("ENDED", "ENDED", "ENDED", None),
    "withdraw": ("ENDED", "ENDED", "ENDED", None),
}
LINK = Candidate(SITE, 2, f"{SITE}/b")
TO_LINK = Reference(Admission(ALLOWED, LINK.url, LINK.url, 2, SITE), LINK, (LINK,))


def visit_in(phase: VisitPhase) -> Visit:
    """A visit in ``phase``."""
    return Visit(DueUrl(SITE, 1, f"{SITE}/", 0, "seed", None), 1.0, phase)


def _transition(visit: Visit, name: str) -> None:
    methods: dict[str, Callable[[], object]] = {
        "sent": lambda: visit.sent(2.0),
        "answered": lambda: visit.answered(ResponseFacts(200)),
        "redirected": lambda: visit.redirected(LINK.url, TO_LINK),
        "links_found": lambda: visit.links_found([LINK]),
        "canonical_found": lambda: visit.canonical_found(TO_LINK),
        "hashed": lambda: visit.hashed(ContentHashes("a", "b")),
        "concluded": lambda: visit.concluded(Outcome.REDIRECT, "refresh"),
        "end": lambda: visit.end(Outcome.FILE_INGESTED, "ok"),
        "withdraw": visit.withdraw,
    }
    methods[name]()


def test_the_table_is_complete() -> None:
    assert tuple(phase.name for phase in VisitPhase) == PHASES
    assert FOLLOWING.keys() == TRANSITIONS.keys()


@pytest.mark.parametrize(("name", "phase"), list(product(FOLLOWING, VisitPhase)))
def test_transition_of_a_visit(name: str, phase: VisitPhase) -> None:
    visit = visit_in(phase)
    following = FOLLOWING[name][PHASES.index(phase.name)]
    if following is None:
        with pytest.raises(IllegalTransitionError, match=f"{name} while {phase.name}"):
            _transition(visit, name)
        assert visit.phase is phase
        return
    _transition(visit, name)
    assert visit.phase.name == following


def test_a_result_has_all_that_a_visit_came_to() -> None:
    visit = visit_in(VisitPhase.BEGUN)
    visit.sent(2.0)
    visit.request_ended(0.5)
    visit.answered(ResponseFacts(200, 10, etag='"a"'))
    visit.links_found([LINK])
    visit.canonical_found(TO_LINK)
    visit.hashed(ContentHashes("text", "document"))
    result = visit.end_concluded(Outcome.FILE_INGESTED, "ok", document={"id": "1"})
    assert (result.outcome, result.reason) == (Outcome.NON_CANONICAL, "non_canonical")
    assert (result.started_at, result.duration, result.status, result.bytes) == (2.0, 0.5, 200, 10)
    assert (result.content_hash, result.document_hash) == ("text", "document")
    assert (result.canonical, result.target, result.candidates) == (LINK.url, LINK, (LINK, LINK))
    assert (result.etag, result.document, result.again) == ('"a"', {"id": "1"}, False)
    with pytest.raises(FrozenInstanceError):
        result.reason = "other"  # type: ignore[misc]


def test_a_response_counts_no_longer_when_the_request_is_sent_anew() -> None:
    visit = visit_in(VisitPhase.SENT)
    visit.answered(ResponseFacts(302, 10))
    visit.redirected(LINK.url, TO_LINK)
    visit.sent(3.0)
    visit.answered(ResponseFacts(200, 20))
    result = visit.end(Outcome.FILE_INGESTED, "ok")
    assert (result.status, result.redirect_to, result.target) == (200, None, None)
    assert result.candidates == (LINK,), "else it would count as seen and be lost"


def test_a_refused_target_is_reported_with_the_outcome() -> None:
    visit = visit_in(VisitPhase.ANSWERED)
    refused = Reference(TO_LINK.admission._replace(decision=refuse("scope", "scope = origin")))
    visit.redirected(LINK.url, refused)
    assert visit.end(Outcome.REDIRECT, "redirect").detail == "the target is refused: scope = origin"


def test_a_retry_waits_for_its_own_time() -> None:
    visit = visit_in(VisitPhase.ANSWERED)
    visit.postpone(5.0)
    result = visit.end(Outcome.RATE_LIMITED, "rate_limited", retry_at=9.0)
    assert (result.again, result.not_before) == (True, 9.0)
