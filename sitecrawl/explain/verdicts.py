"""The verdict on a URL, in one line."""

from __future__ import annotations

from sitecrawl.console.terminal import ago, ahead
from sitecrawl.explain.explanation import Explanation, ScheduleForecast
from sitecrawl.frontier.records import UrlState
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import READ, REDIRECTS, Outcome
from sitecrawl.policy.refusal_reasons import ROBOTS_TXT_UNREACHABLE


def verdict(explanation: Explanation, now: float) -> str:
    """Return the treatment of the URL by a crawl that begins at ``now`` (UTC epoch seconds)."""
    refusal, stored = explanation.refusal, explanation.stored
    if refusal is not None:
        sure = (
            refusal.rule != ROBOTS_TXT_UNREACHABLE.name
            and stored is not None
            and stored.seq is not None
        )
        return f"refused: {refusal.detail}{'; its document would be deleted' if sure else ''}"
    why = explanation.given_up
    given_up = f"; the last run gave up its origin: {why}" if why else ""
    if stored is None or stored.outcome is None:
        return f"{_never_asked(explanation)}{given_up}"
    other = f" (asked for as {stored.url})" if stored.url != explanation.admission.url else ""
    due = _due(explanation.forecast, stored, now)
    gone = f", {deletion(*explanation.deleted, now)}" if explanation.deleted else ""
    return f"{_visited(stored, stored.outcome, now)}{other}{gone}, {due}{given_up}"


def deletion(at: float, reason: str, now: float) -> str:
    """Return the words for a document that was deleted at ``at``."""
    return f"its document was deleted {ago(at, now)} ({reason})"


def _never_asked(explanation: Explanation) -> str:
    robots = "" if explanation.robots.verdict != "unknown" else ", unless robots.txt forbids it"
    stored, forecast = explanation.stored, explanation.forecast
    if stored is not None:
        reason = forecast.skip_reason(stored)
        if reason:
            return f"waiting, but skipped: {reason}"
        later = f", tomorrow at the earliest: {forecast.spent}" if forecast.spent else ""
        return f"waiting: would be crawled{robots}{later}"
    may_be = forecast.follows and explanation.left_out
    left = f"; it may be {explanation.left_out}" if may_be else ""
    return f"{forecast.unknown()}{robots if forecast.findable else ''}{left}"


def _visited(stored: UrlState, outcome: Outcome, now: float) -> str:
    at = ago(stored.visited_at or 0.0, now)
    if outcome in READ:
        return f"crawled {at}{_unwritten(stored)}"
    if outcome in REDIRECTS:
        return f"redirected {at} to {stored.redirect_to}"
    words = "failed" if outcome in FAILED else "produced no document"
    return f"{words} {at} ({format_outcome(stored, outcome)})"


def _unwritten(stored: UrlState) -> str:
    """Return the reason why a page that was read has no document of its own, if any."""
    if stored.seq is not None and not stored.deletion:
        return ""
    if stored.outcome is Outcome.NOINDEX:
        return " (noindex: no document)"
    if stored.outcome in (Outcome.USAGE_FORBIDDEN, Outcome.NOTHING_NEW):
        return f" ({stored.detail}: no document)"
    if stored.kept_for and stored.seq is None:
        words = "duplicate of" if stored.because == "duplicate" else "stands under"
        return f" ({words} {stored.kept_for})"
    if stored.outcome is Outcome.NON_CANONICAL:
        return f" (stands under {stored.canonical})"
    return " (duplicate of another page)" if stored.outcome is Outcome.DUPLICATE else ""


def format_outcome(stored: UrlState, outcome: Outcome) -> str:
    """Return the last outcome with its status and its more precise reason."""
    name = outcome.name.lower()
    reason = None if stored.reason == "ok" or (stored.reason or "") in name else stored.reason
    status = f"status {stored.status}" if stored.status else None
    return ", ".join(word for word in (name, reason, status) if word)


def _due(forecast: ScheduleForecast, stored: UrlState, now: float) -> str:
    if reason := forecast.skip_reason(stored):
        return f"skipped: {reason}"
    if forecast.spent and (stored.waiting or (stored.due or now) <= now):
        return f"would be crawled again tomorrow at the earliest: {forecast.spent}"
    if stored.waiting:
        return "would be crawled again now"
    if stored.outcome is Outcome.RATE_LIMITED and (stored.due or 0.0) > now:
        return f"due {ahead(stored.due or 0.0, now)}, as requested (Retry-After)"
    if why := forecast.early_reason(stored):
        return f"due now: {why}"
    if stored.due is None:
        return "never due unless requeued (scrapy frontier retry URL)"
    return f"due {ahead(stored.due, now)}"
