"""Which failures are tried again within a run, and how long after."""

from __future__ import annotations

from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome

FIRST_BACKOFF = 1.0  # seconds, doubled each time
MAX_LIMITED = 3


def backoff(times_before: int) -> float:
    """Seconds before a failed request is sent again, ``times_before`` having been so already."""
    return FIRST_BACKOFF * 2.0**times_before


def retry_wait(
    answer: FetchResult,
    times_before: int,
    *,
    retries: int,
    max_wait: float,
    retry_after: float = 0.0,
) -> float | None:
    """Seconds until a URL is tried again in this run; None where it is not.

    ``retry_after`` is the wait that the answer asks for this URL. A URL that was turned away
    because the origin has too much to do (429, 503 with Retry-After) did not fail: its tries have
    a bound of their own, and the pause after a 429 is the origin's alone.
    """
    is_limited = answer.outcome is Outcome.RATE_LIMITED
    if not answer.retryable or times_before >= (MAX_LIMITED if is_limited else retries):
        return None
    wait = max(0.0 if is_limited else backoff(times_before), retry_after)
    return wait if wait <= max_wait else None
