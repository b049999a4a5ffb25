"""Times and durations in the words of a person who waits."""

from __future__ import annotations

from datetime import UTC, datetime

UNITS = ((3 * 86400.0, 86400.0, "d"), (2 * 3600.0, 3600.0, "h"), (120.0, 60.0, "min"))
"""From which length on a unit is used, its seconds, and its sign."""


def span(seconds: float) -> str:
    """A duration in the one unit that suits it: ``46 h``, ``12 d``, ``90 s``."""
    length = abs(seconds)
    for least, size, unit in UNITS:
        if length >= least:
            return f"{length / size:.0f} {unit}"
    return f"{length:.0f} s"


def ago(at: float, now: float) -> str:
    """How long ago a moment was."""
    return f"{span(now - at)} ago"


def ahead(at: float, now: float) -> str:
    """How long until a moment; one that has passed is now."""
    return f"in {span(at - now)}" if at > now else "now"


def stamp(at: float | None) -> str | None:
    """A moment as RFC 3339 in UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
