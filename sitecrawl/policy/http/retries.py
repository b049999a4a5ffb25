"""Retries of failed requests within a run, and their back-off."""

from __future__ import annotations

from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome

FIRST_BACKOFF = 1.0  # seconds, doubled each time
MAX_LIMITED = 3
NOBODY_THERE = frozenset({"connection_refused", "dns_failed"})
"""Reasons for which the address of a start is probably wrong: it is tried a second time, no more."""


def backoff(times_before: int) -> float:
    """Return the seconds before retry number ``times_before`` + 1."""
    return FIRST_BACKOFF * 2.0**times_before


def retry_wait(
    answer: FetchResult,
    times_before: int,
    *,
    retries: int,
    max_wait: float,
    retry_after: float = 0.0,
) -> float | None:
    """Return the seconds until a URL is retried in this run; None if it is not.

    ``retry_after`` is the wait that the response asks for this URL. A URL that was refused because
    the origin is overloaded (429, 503 with Retry-After) did not fail: its retries have a separate
    limit, and the pause after a 429 concerns the origin alone.
    """
    is_limited = answer.outcome is Outcome.RATE_LIMITED
    if not answer.retryable or times_before >= (MAX_LIMITED if is_limited else retries):
        return None
    wait = max(0.0 if is_limited else backoff(times_before), retry_after)
    return wait if wait <= max_wait else None
