"""Results of fetches: by HTTP status and failure, retries within a run, the failure budget of an origin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome

CONTENT_RANGE = re.compile(r"\s*bytes\s+0-(\d+)/(\d+|\*)\s*", re.IGNORECASE)
WAF_CHECKS = frozenset({"captcha", "challenge"})  # of AWS WAF, with status 405 and 202
FOLLOWED = frozenset({301, 302, 303, 307, 308})
"""Statuses of redirects that are followed where the response is no page, as to a robots.txt."""
FIRST_BACKOFF = 1.0  # seconds, doubled each time
MAX_LIMITED = 3
NOBODY_THERE = frozenset({"connection_refused", "dns_failed"})
"""Reasons for which the address of a start is probably wrong: it is tried a second time, no more."""
DEFAULT_PATIENCE = 5
MAX_RATE_LIMITED_IN_ROW = 2


class FetchResult(NamedTuple):
    """Result of a fetch: its outcome, and the consequences.

    ``reason`` is one snake_case word more precise than the outcome. ``retryable``: the condition
    may pass, so the URL may be retried in the same run. ``counts_against_budget``: the condition
    may last, so it counts against the origin's failure budget.
    """

    outcome: Outcome
    reason: str
    retryable: bool = False
    counts_against_budget: bool = False


def _failing(outcome: Outcome, reason: str, *, retryable: bool = False) -> FetchResult:
    """Return the result of a condition that may last."""
    return FetchResult(outcome, reason, retryable=retryable, counts_against_budget=True)


_passing = partial(_failing, retryable=True)
OK = FetchResult(Outcome.FILE_INGESTED, "ok")
NO_CONTENT = FetchResult(Outcome.NO_CONTENT, "no_content")
PERMANENT_REDIRECT = FetchResult(Outcome.PERMANENT_REDIRECT, "permanent_redirect")
REDIRECTS = {
    **dict.fromkeys((301, 308), PERMANENT_REDIRECT),
    **dict.fromkeys((300, 302, 303, 307), FetchResult(Outcome.REDIRECT, "redirect")),
}
REDIRECT_WITHOUT_LOCATION = FetchResult(
    Outcome.DID_NOT_UNDERSTAND_ANSWER, "redirect_without_location"
)
LOGIN_WALL = FetchResult(Outcome.LOGIN_WALL, "login_wall")
PARTIAL_CONTENT = FetchResult(Outcome.DID_NOT_UNDERSTAND_ANSWER, "partial_content")
UNKNOWN_STATUS = _failing(Outcome.DID_NOT_UNDERSTAND_ANSWER, "unknown_status")
BROKEN = _failing(Outcome.SERVER_INTERNAL_ERROR, "server_error")
BUSY = _passing(Outcome.RATE_LIMITED, "unavailable")
CHALLENGE = FetchResult(Outcome.SERVER_BLAMED_CLIENT, "challenge")
CLASSES = {2: OK, 4: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "client_error"), 5: BROKEN}
STATUSES = {
    **dict.fromkeys((204, 205), NO_CONTENT),
    304: FetchResult(Outcome.FILE_DID_NOT_CHANGE, "not_modified"),
    401: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "unauthorized"),
    403: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "forbidden"),
    404: FetchResult(Outcome.FILE_NOT_FOUND, "not_found"),
    406: FetchResult(Outcome.NOT_ACCEPTABLE, "not_acceptable"),
    408: _passing(Outcome.REQUEST_TIMEOUT, "server_timeout"),
    410: FetchResult(Outcome.FILE_GONE, "gone"),
    429: FetchResult(Outcome.RATE_LIMITED, "rate_limited", retryable=True),
    451: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "legally_unavailable"),
    503: _passing(Outcome.SERVER_INTERNAL_ERROR, "unavailable"),
    # Cloudflare: no connection to the origin server (522), which timed out (524)
    **dict.fromkeys((500, 502, 504, 522, 524), BROKEN._replace(retryable=True)),
}
# In order of priority: the first name among a failure's causes decides.
FAILURES = {
    "RendererMissingError": FetchResult(Outcome.CANCELLED, "renderer_missing"),
    "RendererLostError": FetchResult(Outcome.CANCELLED, "renderer_lost", retryable=True),
    "RenderTimeoutError": FetchResult(Outcome.REQUEST_TIMEOUT, "render_timeout"),
    "RenderTooLargeError": FetchResult(Outcome.TOO_LARGE, "render_too_large"),
    "NotArchivedError": FetchResult(Outcome.CANCELLED, "not_archived"),
    "ArchiveFailedError": FetchResult(Outcome.CANCELLED, "archive_failed"),
    "KeyExpiredError": FetchResult(Outcome.CANCELLED, "key_expired"),
    "AddressRefusedError": FetchResult(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, "private_address"),
    "UnsupportedURLSchemeError": FetchResult(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, "scheme"),
    "HeaderTooLargeError": _failing(Outcome.TOO_LARGE, "header_too_large"),
    "BodyTooLargeError": FetchResult(Outcome.TOO_LARGE, "body_too_large"),
    "DecodedTooLargeError": FetchResult(Outcome.TOO_LARGE, "decoded_too_large"),
    "TooSlowError": _failing(Outcome.REQUEST_TIMEOUT, "too_slow"),
    "ReadTimeoutError": _passing(Outcome.REQUEST_TIMEOUT, "timeout"),
    "DownloadTimeoutError": _passing(Outcome.REQUEST_TIMEOUT, "timeout"),
    "BrokenEncodingError": _failing(Outcome.DID_NOT_UNDERSTAND_ANSWER, "broken_encoding"),
    "NoTlsError": _failing(Outcome.CONNECTION_FAILED, "no_tls"),
    "TlsFailedError": _failing(Outcome.CONNECTION_FAILED, "tls_failed"),
    "CannotResolveHostError": _passing(Outcome.CONNECTION_FAILED, "dns_failed"),
    "DownloadConnectionRefusedError": _passing(Outcome.CONNECTION_FAILED, "connection_refused"),
    "MalformedResponseError": _failing(Outcome.DID_NOT_UNDERSTAND_ANSWER, "gibberish"),
    "IncompleteReadError": _passing(Outcome.DID_NOT_UNDERSTAND_ANSWER, "cut_short"),
    "ConnectionBrokenError": _passing(Outcome.CONNECTION_FAILED, "connection_lost"),
}
UNKNOWN_FAILURE = _passing(Outcome.CONNECTION_FAILED, "connection_failed")


def answer_of_status(status: int, headers: Mapping[str, str]) -> FetchResult:
    """Return the result of a status code; ``headers`` have lower-case names."""
    if headers.get("cf-mitigated") == "challenge" or headers.get("x-amzn-waf-action") in WAF_CHECKS:
        return CHALLENGE
    if 300 <= status < 400 and status != 304:
        found = REDIRECTS.get(status, UNKNOWN_STATUS)
        return found if headers.get("location") else REDIRECT_WITHOUT_LOCATION
    if status == 503 and headers.get("retry-after"):
        return BUSY
    if status == 206 and not _whole(headers.get("content-range")):
        return PARTIAL_CONTENT
    return STATUSES.get(status) or CLASSES.get(status // 100, UNKNOWN_STATUS)


def answer_of_failure(names: Iterable[str]) -> FetchResult:
    """Return the result of a failed fetch, by the class names of its exception and their causes."""
    known = FAILURES.keys() & set(names)
    return next((FAILURES[name] for name in FAILURES if name in known), UNKNOWN_FAILURE)


def _whole(content_range: str | None) -> bool:
    """Return True if a 206 holds the whole body; the crawl never requests a range."""
    if not content_range:
        return True
    match = CONTENT_RANGE.fullmatch(content_range)  # RFC 9110, 14.4
    return match is not None and match[2] != "*" and int(match[1]) + 1 == int(match[2])


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


@dataclass(slots=True)
class FailureBudget:
    """Number of failures that an origin has left; each other response gives one back.

    So an origin that is down is given up, and one with some broken pages is not. Repeated failures
    of one URL count once: two such URLs would otherwise stop a healthy site. A 429 neither costs
    nor gives, but an origin that keeps refusing after two doubled pauses counts as failing.

    ``has_new_failures``: part of the budget was spent on URLs that had not failed in the last run.
    """

    left: int = DEFAULT_PATIENCE
    limits_in_row: int = 0
    has_new_failures: bool = False
    failed: set[int] = field(default_factory=set)
    full: int = field(init=False)

    def __post_init__(self) -> None:
        self.full = self.left

    def record_failure(self) -> bool:
        """Count one failure; return True when the budget is exhausted."""
        self.left = max(self.left - 1, 0)
        return self.exhausted

    def record_result(
        self,
        answer: FetchResult,
        fingerprint: int | None = None,
        *,
        failed_before: bool = False,
        is_excused: bool = False,
    ) -> bool:
        """Count one result of a known URL; return True when the budget is exhausted.

        ``failed_before``: its last visit in an earlier run failed too. ``is_excused``: all pages of
        its kind fail, which was charged before.
        """
        limited = answer.outcome is Outcome.RATE_LIMITED
        self.limits_in_row = self.limits_in_row + 1 if limited else 0
        known = fingerprint in self.failed or is_excused
        fails = answer.counts_against_budget and not known
        if answer.counts_against_budget and fingerprint is not None:
            self.failed.add(fingerprint)
        elif not (limited or answer.counts_against_budget or self.exhausted):
            self.left = min(self.left + 1, self.full)
        if fails or self.limits_in_row > MAX_RATE_LIMITED_IN_ROW:
            self.has_new_failures = self.has_new_failures or limited or not failed_before
            return self.record_failure()
        return self.exhausted

    @property
    def is_charged(self) -> bool:
        """True if failures, or a 429, were counted."""
        return bool(self.failed or self.limits_in_row or self.left < self.full)

    @property
    def exhausted(self) -> bool:
        """True if the origin is to be skipped for the rest of the run."""
        return self.left == 0

    @property
    def failed_like_last_run(self) -> bool:
        """True if only URLs exhausted it that had failed in the last run as well."""
        return self.exhausted and not self.has_new_failures
