"""Parsing and formatting of dates in headers and documents."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import formatdate, parsedate_to_datetime

# W3C-DTF and its common variants: from a bare year to fractions of a second with a zone.
_ISO = re.compile(
    r"""(?P<year>\d{4})(?:[-/]?(?P<month>\d{2})(?:[-/]?(?P<day>\d{2})
    (?:[T\s]\s*(?P<hour>\d{2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?
    \s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?)?)?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
# IMF-fixdate, which servers send (RFC 9110, 5.6.7); twice as fast as the email package.
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: f"{number:02}" for number, name in enumerate(_MONTH_NAMES, start=1)}
_IMF = re.compile(
    rf"[A-Z][a-z]{{2}}, (\d\d) ({'|'.join(_MONTHS)}) ([12]\d{{3}}) (\d\d:\d\d:\d\d) GMT", re.ASCII
)
# Beyond RFC 822: AM and PM, and an offset with a colon or after GMT, as JavaScript writes it.
_OFFSET = re.compile(
    r"(?:\s|(?<=:\d\d)|\b(?:GMT|UTC?))([+-])(\d{1,2}):?(\d\d)?(?=[\s(]|$)", re.IGNORECASE
)
_HALF = re.compile(r"(?<=\d)\s*([AP])\.?M\b\.?", re.IGNORECASE)


def read_date(text: str | None) -> datetime | None:
    """Parse a date and convert it to UTC; None if the text is not a date.

    ISO 8601 as in W3C-DTF, or the forms of RFC 822 and HTTP, leniently. Missing parts take their
    first value: ``2024`` is the first of January. Without a zone, UTC is assumed.
    """
    moment = read_local_date(text)
    try:
        return moment.astimezone(UTC) if moment is not None else None
    except OverflowError:
        return None


def read_local_date(text: str | None) -> datetime | None:
    """Parse a date in the zone that it states; None if the text is not a date."""
    text = (text or "").strip()
    if not text:
        return None
    try:
        moment = _moment(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment


def read_http_date(text: str | None) -> float | None:
    """Parse an HTTP date of any form (RFC 9110, 5.6.7) to UTC epoch seconds, or None."""
    if not text or ":" not in text:
        return None
    moment = read_date(text)
    return moment.timestamp() if moment else None


def http_date(moment: float) -> str:
    """Format epoch seconds as an HTTP date: ``Sun, 06 Nov 1994 08:49:37 GMT``."""
    return formatdate(moment, usegmt=True)


def _moment(text: str) -> datetime:
    """Parse a date of any form; raise ValueError or similar if it is not one."""
    if len(text) == 25 and text[10] == "T":  # frequent in sitemaps; ten times as fast
        return datetime.fromisoformat(text)
    if len(text) == 29 and (match := _IMF.fullmatch(text)):
        day, month, year, clock = match.groups()
        return datetime.fromisoformat(f"{year}-{_MONTHS[month]}-{day}T{clock}+00:00")
    match = _ISO.fullmatch(text)
    return _from_iso(match) if match else _from_words(text)


def _from_words(text: str) -> datetime:
    """Parse a date with the name of a month; a date without a time is at midnight."""
    half = _HALF.search(text)
    text = text if ":" in text else f"{text} 00:00:00"
    moment = parsedate_to_datetime(_HALF.sub("", _OFFSET.sub(_offset, text)))
    if half is None or moment.hour > 12:
        return moment
    return moment.replace(hour=moment.hour % 12 + (12 if half[1] in "Pp" else 0))


def _offset(match: re.Match[str]) -> str:
    """Return an offset in the form of RFC 822."""
    return f" {match[1]}{match[2]:0>2}{match[3] or '00'}"


def _from_iso(match: re.Match[str]) -> datetime:
    """Return the date of an ISO match; raise ValueError for a month 13 or an hour 25."""
    year, month, day, hour, minute, second = (
        int(match[name] or default)
        for name, default in zip(
            ("year", "month", "day", "hour", "minute", "second"), (1, 1, 1, 0, 0, 0), strict=True
        )
    )
    part = int((match["part"] or "").ljust(6, "0")[:6])
    leap = second == 60  # datetime has no leap seconds
    moment = datetime(year, month, day, hour, minute, 59 if leap else second, part, _zone(match))
    return moment + timedelta(seconds=leap)


def _zone(match: re.Match[str]) -> timezone:
    """Return the zone of an ISO date, UTC if it states none."""
    text = match["zone"] or "Z"
    if text[0] not in "+-":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[3:].lstrip(":") or 0)
    return timezone(timedelta(minutes=minutes if text[0] == "+" else -minutes))
