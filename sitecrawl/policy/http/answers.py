"""What an answer, or the lack of one, means for the crawl."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sitecrawl.policy.outcomes import Outcome

CONTENT_RANGE = re.compile(r"\s*bytes\s+0-(\d+)/(\d+|\*)\s*", re.IGNORECASE)


class Answer(NamedTuple):
    """How a fetch ended, and what follows.

    ``reason`` is one snake_case word more precise than the outcome. ``again``: the condition may
    pass, so the URL may be tried again in the same run. ``persists``: it could last, so it costs
    the origin's patience.
    """

    outcome: Outcome
    reason: str
    again: bool = False
    persists: bool = False


OK = Answer(Outcome.FILE_INGESTED, "ok")
NO_CONTENT = Answer(Outcome.NO_CONTENT, "no_content")
NOT_CHANGED = Answer(Outcome.FILE_DID_NOT_CHANGE, "not_modified")
MOVED_FOR_EVER = Answer(Outcome.PERMANENT_REDIRECT, "permanent_redirect")
MOVED_FOR_NOW = Answer(Outcome.REDIRECT, "redirect")
NOWHERE = Answer(Outcome.DID_NOT_UNDERSTAND_ANSWER, "redirect_without_location")
PART = Answer(Outcome.DID_NOT_UNDERSTAND_ANSWER, "partial_content")
STRANGE = Answer(Outcome.DID_NOT_UNDERSTAND_ANSWER, "unknown_status", persists=True)
BLAMED = Answer(Outcome.SERVER_BLAMED_CLIENT, "client_error")
BROKEN = Answer(Outcome.SERVER_INTERNAL_ERROR, "server_error", persists=True)
BROKEN_FOR_NOW = BROKEN._replace(again=True)
BUSY = Answer(Outcome.RATE_LIMITED, "unavailable", again=True, persists=True)

STATUSES = {
    204: NO_CONTENT,
    205: NO_CONTENT,
    304: NOT_CHANGED,
    401: Answer(Outcome.SERVER_BLAMED_CLIENT, "unauthorized"),
    403: Answer(Outcome.SERVER_BLAMED_CLIENT, "forbidden"),
    404: Answer(Outcome.FILE_NOT_FOUND, "not_found"),
    406: Answer(Outcome.NOT_ACCEPTABLE, "not_acceptable"),
    408: Answer(Outcome.REQUEST_TIMEOUT, "server_timeout", again=True, persists=True),
    410: Answer(Outcome.FILE_GONE, "gone"),
    429: Answer(Outcome.RATE_LIMITED, "rate_limited", again=True),
    451: Answer(Outcome.SERVER_BLAMED_CLIENT, "legally_unavailable"),
    500: BROKEN_FOR_NOW,
    502: BROKEN_FOR_NOW,
    503: Answer(Outcome.SERVER_INTERNAL_ERROR, "unavailable", again=True, persists=True),
    504: BROKEN_FOR_NOW,
    522: BROKEN_FOR_NOW,  # of Cloudflare: no connection to the site's own server
    524: BROKEN_FOR_NOW,  # of Cloudflare: no answer of it in time
}
PERMANENT = frozenset({301, 308})
TEMPORARY = frozenset({300, 302, 303, 307})
NO_HEAD = frozenset({405, 501})  # of a server that does not know HEAD

# In order: the first name that is among a failure's causes decides.
FAILURES = {
    "RendererMissingError": Answer(Outcome.CANCELLED, "renderer_missing"),
    "RendererLostError": Answer(Outcome.CANCELLED, "renderer_lost", again=True),
    "RenderTimeoutError": Answer(Outcome.REQUEST_TIMEOUT, "render_timeout"),
    "RenderTooLargeError": Answer(Outcome.TOO_LARGE, "render_too_large"),
    "AddressRefusedError": Answer(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, "private_address"),
    "UnsupportedURLSchemeError": Answer(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, "scheme"),
    "HeaderTooLargeError": Answer(Outcome.TOO_LARGE, "header_too_large", persists=True),
    "BodyTooLargeError": Answer(Outcome.TOO_LARGE, "body_too_large"),
    "DecodedTooLargeError": Answer(Outcome.TOO_LARGE, "decoded_too_large"),
    "TooSlowError": Answer(Outcome.REQUEST_TIMEOUT, "too_slow", persists=True),
    "SilenceError": Answer(Outcome.REQUEST_TIMEOUT, "timeout", again=True, persists=True),
    "DownloadTimeoutError": Answer(Outcome.REQUEST_TIMEOUT, "timeout", again=True, persists=True),
    "BrokenEncodingError": Answer(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "broken_encoding", persists=True
    ),
    "TlsFailedError": Answer(Outcome.CONNECTION_FAILED, "tls_failed", persists=True),
    "CannotResolveHostError": Answer(
        Outcome.CONNECTION_FAILED, "dns_failed", again=True, persists=True
    ),
    "DownloadConnectionRefusedError": Answer(
        Outcome.CONNECTION_FAILED, "connection_refused", again=True, persists=True
    ),
    "GibberishError": Answer(Outcome.DID_NOT_UNDERSTAND_ANSWER, "gibberish", persists=True),
    "CutShortError": Answer(
        Outcome.DID_NOT_UNDERSTAND_ANSWER, "cut_short", again=True, persists=True
    ),
    "ConnectionBrokenError": Answer(
        Outcome.CONNECTION_FAILED, "connection_lost", again=True, persists=True
    ),
}
UNKNOWN_FAILURE = Answer(Outcome.CONNECTION_FAILED, "connection_failed", again=True, persists=True)


def answer_of_status(status: int, headers: Mapping[str, str]) -> Answer:
    """What a status code means; ``headers`` of the answer have lower-case names."""
    if 300 <= status < 400 and status != 304:
        return _redirected(status, headers)
    if status == 503 and headers.get("retry-after"):
        return BUSY
    if status == 206 and not _whole(headers.get("content-range")):
        return PART
    return STATUSES.get(status) or _of_class(status)


def answer_of_failure(names: Iterable[str]) -> Answer:
    """What a failed fetch means, by the class names of its exception and of their causes."""
    known = FAILURES.keys() & set(names)
    return next((FAILURES[name] for name in FAILURES if name in known), UNKNOWN_FAILURE)


def _of_class(status: int) -> Answer:
    if 200 <= status < 300:
        return OK
    if 400 <= status < 500:
        return BLAMED
    return BROKEN if 500 <= status < 600 else STRANGE


def _redirected(status: int, headers: Mapping[str, str]) -> Answer:
    if not headers.get("location"):
        return NOWHERE
    if status in PERMANENT:
        return MOVED_FOR_EVER
    return MOVED_FOR_NOW if status in TEMPORARY else STRANGE


def _whole(content_range: str | None) -> bool:
    """Whether a 206 holds everything after all; we never ask for a range ourselves."""
    if not content_range:
        return True
    match = CONTENT_RANGE.fullmatch(content_range)  # RFC 9110, 14.4
    return match is not None and match[2] != "*" and int(match[1]) + 1 == int(match[2])
