"""Dates as headers and documents write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import formatdate, parsedate_to_datetime

# W3C-DTF and what is written for it: a year alone up to fractions of a second and a zone.
_ISO = re.compile(
    r"""(?P<year>\d{4})(?:[-/]?(?P<month>\d{2})(?:[-/]?(?P<day>\d{2})
    (?:[T\s]\s*(?P<hour>\d{2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?
    \s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?)?)?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
# What servers send (RFC 9110, 5.6.7), read in half the time that the email package takes.
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: f"{number:02}" for number, name in enumerate(_MONTH_NAMES, start=1)}
_IMF = re.compile(
    rf"[A-Z][a-z]{{2}}, (\d\d) ({'|'.join(_MONTHS)}) ([12]\d{{3}}) (\d\d:\d\d:\d\d) GMT", re.ASCII
)


def read_date(text: str | None) -> datetime | None:
    """The moment that a document names, in UTC; None if it is none.

    ISO 8601 as W3C-DTF has it, or the forms of RFC 822 and HTTP. What is left out counts from
    its beginning: ``2024`` is the first of January. Without a zone it is UTC.
    """
    text = (text or "").strip()
    if not text:
        return None
    try:
        moment = _moment(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def read_http_date(text: str | None) -> float | None:
    """The UTC epoch seconds of an HTTP date in any of its forms (RFC 9110, 5.6.7), or None."""
    if not text or ":" not in text:
        return None
    moment = read_date(text)
    return moment.timestamp() if moment else None


def http_date(moment: float) -> str:
    """Epoch seconds as headers want them: ``Sun, 06 Nov 1994 08:49:37 GMT``."""
    return formatdate(moment, usegmt=True)


def _moment(text: str) -> datetime:
    """The moment of any form; raises ValueError and the like where there is none."""
    if len(text) == 25 and text[10] == "T":  # what sitemaps hold by the thousand, ten times faster
        return datetime.fromisoformat(text)
    if len(text) == 29 and (match := _IMF.fullmatch(text)):
        day, month, year, clock = match.groups()
        return datetime.fromisoformat(f"{year}-{_MONTHS[month]}-{day}T{clock}+00:00")
    match = _ISO.fullmatch(text)
    return _from_iso(match) if match else parsedate_to_datetime(text)


def _from_iso(match: re.Match[str]) -> datetime:
    """The moment of an ISO date; raises ValueError for a month 13 or an hour 25."""
    year, month, day, hour, minute, second = (
        int(match[name] or default)
        for name, default in zip(
            ("year", "month", "day", "hour", "minute", "second"), (1, 1, 1, 0, 0, 0), strict=True
        )
    )
    part = int((match["part"] or "").ljust(6, "0")[:6])
    leap = second == 60  # clocks know no leap second
    moment = datetime(year, month, day, hour, minute, 59 if leap else second, part, _zone(match))
    return moment + timedelta(seconds=leap)


def _zone(match: re.Match[str]) -> timezone:
    """The zone of an ISO date."""
    text = match["zone"] or "Z"
    if text[0] not in "+-":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[3:].lstrip(":") or 0)
    return timezone(timedelta(minutes=minutes if text[0] == "+" else -minutes))
