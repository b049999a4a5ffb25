"""The one result that a visit comes to."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from sitecrawl.crawl.discovery import Reference
from sitecrawl.crawl.visit import ContentHashes, ResponseFacts, Visit
from sitecrawl.frontier.base import Candidate, DueUrl
from sitecrawl.policy.decision import ALLOWED, Admission, refuse
from sitecrawl.policy.outcomes import Outcome

SITE = "http://a.test"
LINK = Candidate(SITE, 2, f"{SITE}/b")
TO_LINK = Reference(Admission(ALLOWED, LINK.url, LINK.url, 2, SITE), LINK, (LINK,))


def visit_of_a_page() -> Visit:
    """A visit that has just begun."""
    return Visit(DueUrl(SITE, 1, f"{SITE}/", 0, "seed", None), 1.0)


def test_a_visit_ends_once() -> None:
    visit = visit_of_a_page()
    visit.end(Outcome.FILE_INGESTED, "ok")
    with pytest.raises(RuntimeError, match="has ended before"):
        visit.end(Outcome.FILE_INGESTED, "ok")


def test_a_result_has_all_that_a_visit_came_to() -> None:
    visit = visit_of_a_page()
    visit.sent(2.0)
    visit.duration = 0.5
    visit.response = ResponseFacts(200, 10, etag='"a"')
    visit.candidates.append(LINK)
    visit.canonical_found(TO_LINK)
    visit.hashes = ContentHashes("text", "document")
    result = visit.end_concluded(Outcome.FILE_INGESTED, "ok", document={"id": "1"})
    assert (result.outcome, result.reason) == (Outcome.NON_CANONICAL, "non_canonical")
    assert (result.started_at, result.duration, result.status, result.bytes) == (2.0, 0.5, 200, 10)
    assert (result.content_hash, result.document_hash) == ("text", "document")
    assert (result.canonical, result.target, result.candidates) == (LINK.url, LINK, (LINK, LINK))
    assert (result.etag, result.document, result.again) == ('"a"', {"id": "1"}, False)
    with pytest.raises(FrozenInstanceError):
        result.reason = "other"  # type: ignore[misc]


def test_a_response_counts_no_longer_when_the_request_is_sent_anew() -> None:
    visit = visit_of_a_page()
    visit.response = ResponseFacts(302, 10)
    visit.redirected(LINK.url, TO_LINK)
    visit.sent(3.0)
    visit.response = ResponseFacts(200, 20)
    result = visit.end(Outcome.FILE_INGESTED, "ok")
    assert (result.status, result.redirect_to, result.target) == (200, None, None)
    assert result.candidates == (LINK,), "else it would count as seen and be lost"


def test_a_refused_target_is_reported_with_the_outcome() -> None:
    visit = visit_of_a_page()
    refused = Reference(TO_LINK.admission._replace(decision=refuse("scope", "scope = origin")))
    visit.redirected(LINK.url, refused)
    assert visit.end(Outcome.REDIRECT, "redirect").detail == "the target is refused: scope = origin"


def test_a_retry_waits_for_its_own_time() -> None:
    visit = visit_of_a_page()
    visit.not_before = 5.0
    result = visit.end(Outcome.RATE_LIMITED, "rate_limited", retry_at=9.0)
    assert (result.again, result.not_before) == (True, 9.0)
