"""Mapping of HTTP statuses and fetch failures to outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome

CONTENT_RANGE = re.compile(r"\s*bytes\s+0-(\d+)/(\d+|\*)\s*", re.IGNORECASE)
WAF_CHECKS = frozenset({"captcha", "challenge"})  # of AWS WAF, with status 405 and 202
PERMANENT = frozenset({301, 308})
TEMPORARY = frozenset({300, 302, 303, 307})


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


OK = FetchResult(Outcome.FILE_INGESTED, "ok")
NO_CONTENT = FetchResult(Outcome.NO_CONTENT, "no_content")
NOT_CHANGED = FetchResult(Outcome.FILE_DID_NOT_CHANGE, "not_modified")
PERMANENT_REDIRECT = FetchResult(Outcome.PERMANENT_REDIRECT, "permanent_redirect")
TEMPORARY_REDIRECT = FetchResult(Outcome.REDIRECT, "redirect")
REDIRECT_WITHOUT_LOCATION = FetchResult(
    Outcome.DID_NOT_UNDERSTAND_ANSWER, "redirect_without_location"
)
LOGIN_WALL = FetchResult(Outcome.LOGIN_WALL, "login_wall")
PARTIAL_CONTENT = FetchResult(Outcome.DID_NOT_UNDERSTAND_ANSWER, "partial_content")
UNKNOWN_STATUS = FetchResult(
    Outcome.DID_NOT_UNDERSTAND_ANSWER, "unknown_status", counts_against_budget=True
)
CLIENT_ERROR = FetchResult(Outcome.SERVER_BLAMED_CLIENT, "client_error")
BROKEN = FetchResult(Outcome.SERVER_INTERNAL_ERROR, "server_error", counts_against_budget=True)
BROKEN_FOR_NOW = BROKEN._replace(retryable=True)
BUSY = FetchResult(Outcome.RATE_LIMITED, "unavailable", retryable=True, counts_against_budget=True)
CHALLENGE = FetchResult(Outcome.SERVER_BLAMED_CLIENT, "challenge")

STATUSES = {
    204: NO_CONTENT,
    205: NO_CONTENT,
    304: NOT_CHANGED,
    401: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "unauthorized"),
    403: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "forbidden"),
    404: FetchResult(Outcome.FILE_NOT_FOUND, "not_found"),
    406: FetchResult(Outcome.NOT_ACCEPTABLE, "not_acceptable"),
    408: FetchResult(
        Outcome.REQUEST_TIMEOUT, "server_timeout", retryable=True, counts_against_budget=True
    ),
    410: FetchResult(Outcome.FILE_GONE, "gone"),
    429: FetchResult(Outcome.RATE_LIMITED, "rate_limited", retryable=True),
    451: FetchResult(Outcome.SERVER_BLAMED_CLIENT, "legally_unavailable"),
    500: BROKEN_FOR_NOW,
    502: BROKEN_FOR_NOW,
    503: FetchResult(
        Outcome.SERVER_INTERNAL_ERROR, "unavailable", retryable=True, counts_against_budget=True
    ),
    504: BROKEN_FOR_NOW,
    522: BROKEN_FOR_NOW,  # Cloudflare: no connection to the origin server
    524: BROKEN_FOR_NOW,  # Cloudflare: the origin server timed out
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
    "HeaderTooLargeError": FetchResult(
        Outcome.TOO_LARGE, "header_too_large", counts_against_budget=True
    ),
    "BodyTooLargeError": FetchResult(Outcome.TOO_LARGE, "body_too_large"),
    "DecodedTooLargeError": FetchResult(Outcome.TOO_LARGE, "decoded_too_large"),
    "TooSlowError": FetchResult(Outcome.REQUEST_TIMEOUT, "too_slow", counts_against_budget=True),
    "ReadTimeoutError": FetchResult(
        Outcome.REQUEST_TIMEOUT, "timeout", retryable=True, counts_against_budget=True
    ),
    "DownloadTimeoutError": FetchResult(
        Outcome.REQUEST_TIMEOUT, "timeout", retryable=True, counts_against_budget=True
    ),
    "BrokenEncodingError": FetchResult(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "broken_encoding", counts_against_budget=True
    ),
    "NoTlsError": FetchResult(Outcome.CONNECTION_FAILED, "no_tls", counts_against_budget=True),
    "TlsFailedError": FetchResult(
        Outcome.CONNECTION_FAILED, "tls_failed", counts_against_budget=True
    ),
    "CannotResolveHostError": FetchResult(
        Outcome.CONNECTION_FAILED, "dns_failed", retryable=True, counts_against_budget=True
    ),
    "DownloadConnectionRefusedError": FetchResult(
        Outcome.CONNECTION_FAILED, "connection_refused", retryable=True, counts_against_budget=True
    ),
    "MalformedResponseError": FetchResult(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "gibberish", counts_against_budget=True
    ),
    "IncompleteReadError": FetchResult(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "cut_short", retryable=True, counts_against_budget=True
    ),
    "ConnectionBrokenError": FetchResult(
        Outcome.CONNECTION_FAILED, "connection_lost", retryable=True, counts_against_budget=True
    ),
}
UNKNOWN_FAILURE = FetchResult(
    Outcome.CONNECTION_FAILED, "connection_failed", retryable=True, counts_against_budget=True
)


def answer_of_status(status: int, headers: Mapping[str, str]) -> FetchResult:
    """Return the result of a status code; ``headers`` have lower-case names."""
    if headers.get("cf-mitigated") == "challenge" or headers.get("x-amzn-waf-action") in WAF_CHECKS:
        return CHALLENGE
    if 300 <= status < 400 and status != 304:
        return _redirected(status, headers)
    if status == 503 and headers.get("retry-after"):
        return BUSY
    if status == 206 and not _whole(headers.get("content-range")):
        return PARTIAL_CONTENT
    return STATUSES.get(status) or _of_class(status)


def answer_of_failure(names: Iterable[str]) -> FetchResult:
    """Return the result of a failed fetch, by the class names of its exception and their causes."""
    known = FAILURES.keys() & set(names)
    return next((FAILURES[name] for name in FAILURES if name in known), UNKNOWN_FAILURE)


def _of_class(status: int) -> FetchResult:
    if 200 <= status < 300:
        return OK
    if 400 <= status < 500:
        return CLIENT_ERROR
    return BROKEN if 500 <= status < 600 else UNKNOWN_STATUS


def _redirected(status: int, headers: Mapping[str, str]) -> FetchResult:
    if not headers.get("location"):
        return REDIRECT_WITHOUT_LOCATION
    if status in PERMANENT:
        return PERMANENT_REDIRECT
    return TEMPORARY_REDIRECT if status in TEMPORARY else UNKNOWN_STATUS


def _whole(content_range: str | None) -> bool:
    """Return True if a 206 holds the whole body; the crawl never requests a range."""
    if not content_range:
        return True
    match = CONTENT_RANGE.fullmatch(content_range)  # RFC 9110, 14.4
    return match is not None and match[2] != "*" and int(match[1]) + 1 == int(match[2])
