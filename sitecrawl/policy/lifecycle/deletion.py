"""Deletion policy: when a document that disappeared from its site is deleted, and why."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.policy.outcomes import Outcome

AT_ONCE = {
    Outcome.FILE_GONE: "gone",
    Outcome.NOINDEX: "noindex",
    Outcome.USAGE_FORBIDDEN: "usage",
    Outcome.BLOCKED_BY_ROBOTS_TXT: "robots_txt",
    Outcome.BLOCKED_URL_BY_LOCAL_POLICY: "excluded",
    Outcome.DROPPED: "dropped",
    Outcome.UNWANTED_TYPE: "unwanted_type",
    Outcome.FILE_OF_UNKNOWN_TYPE: "unwanted_type",
    Outcome.NOT_ACCEPTABLE: "unwanted_type",
    Outcome.PERMANENT_REDIRECT: "redirected",
    Outcome.NON_CANONICAL: "non_canonical",
    Outcome.DUPLICATE: "duplicate",
}
CONFIRMED = {
    Outcome.FILE_NOT_FOUND: "not_found",
    Outcome.SOFT_404: "not_found",
    Outcome.REDIRECT: "redirected",
}
UNREACHABLE = frozenset(
    {
        Outcome.SERVER_BLAMED_CLIENT,
        Outcome.SERVER_INTERNAL_ERROR,
        Outcome.DID_NOT_UNDERSTAND_ANSWER,
        Outcome.CONNECTION_FAILED,
        Outcome.REQUEST_TIMEOUT,
    }
)


@dataclass(frozen=True, slots=True)
class Deletion:
    """Evidence required for a deletion, and the ``share`` of an origin's documents that may be lost.

    A page that returns 404 is deleted after ``confirmations`` such responses in a row, one that
    cannot be fetched after ``unreachable_after`` failures in a row (0: never). losses.py has the
    meaning of the share.
    """

    confirmations: int = 3
    unreachable_after: int = 0
    share: float = 0.1


def deletion_reason(rule: Deletion, outcome: Outcome, missing: int, failures: int) -> str | None:
    """Return the reason to delete the document of a URL now; None to keep it.

    ``missing`` counts the consecutive 404 responses, ``failures`` the consecutive failed visits,
    both including this one.
    """
    if outcome in CONFIRMED and missing >= rule.confirmations:
        return CONFIRMED[outcome]
    if outcome in UNREACHABLE and 0 < rule.unreachable_after <= failures:
        return "unreachable"
    return AT_ONCE.get(outcome)
