"""Dates of publication and last modification, as stated by a document."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, TypeVar

from sitecrawl.web.dates import read_http_date, read_local_date
from sitecrawl.web.text_dates import date_in_path, dates_in
from sitecrawl.web.urls.url import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sitecrawl.web.html.page import Page


# The first source that has a valid date wins; of several dates there, the earliest.
PUBLISHED = (
    *("dcterms.issued", "dc.date.issued", "article:published_time", "datepublished"),
    *("og:article:published_time", "og:published_time", "article:published", "publication_date"),
    *("publish_date", "publish-date", "publishdate", "publishtime", "pubdate", "pub_date"),
    *("parsely-pub-date", "sailthru.date", "sw-pubdate", "cxenseparse:recs:publishtime"),
    *("citation_publication_date", "uploaddate", "video:release_date", "rnews:datepublished"),
    *("dcterms.created", "dc.date.created", "dcterms.date", "dc.date", "date"),
)
LOCAL_METAS = (*PUBLISHED, "sailthru.date")
QUARTER, MAX_OFFSET = timedelta(minutes=15), timedelta(hours=14)  # of zones
_ZONE = re.compile(r"(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\W*$", re.IGNORECASE)
BEFORE_THE_WEB = 631152000.0  # 1990-01-01
MOMENT = 2.0  # seconds; HTTP dates have no fractions, and clocks differ
MODIFIED = (
    *("last-modified", "dcterms.modified", "dc.date.modified", "article:modified_time"),
    *("og:updated_time", "datemodified", "revised"),
)
BEFORE_HEADING = 200  # characters searched for a date before the heading
NEAR_HEADING = 3_000  # characters searched for a date
MAX_TEXT = 8_000  # characters searched for a line that says what it dates
MAX_DATE_LINE = 120  # characters of a line with date and author; more is a sentence of the text
_COPYRIGHT = re.compile(r"©|\(c\)|copyright|all rights", re.IGNORECASE)
_DATE_LABEL = re.compile(
    r"\b(?:publish|posted|written|created|date:|datum|veröffentlicht|erschienen|geschrieben"
    r"|erstellt|stand:|publié|publicado|pubblicato|gepubliceerd)",
    re.IGNORECASE,
)
T = TypeVar("T")


def publication(page: Page, *, from_text: bool) -> tuple[str, str]:
    """Return the publication date in RFC 3339, and its source; both empty if there is none.

    A date in the URL or in the text is a day. ``from_text`` allows a date in the text: the one
    nearest to the page's first heading. A guess of the page comes last.
    """
    stated: dict[str, list[tuple[str, ...]]] = {
        "meta": _values_under(page.metas, PUBLISHED),
        "json_ld": _values_under(page.json_ld, ("datePublished", "dateCreated", "uploadDate")),
        "time": [(text,) for text in _values_under(page.times, ("published", "time"))],
    }
    day = date_in_path(split(page.url).path)
    for source, values in stated.items():
        moment = _first_moment(values, latest=False)
        if moment is not None:
            moment = _in_local_zone(moment, page)
            if day is None or day == moment.date():
                return local_rfc3339(moment), source
            break
    source = "url" if day is not None else "text"
    if day is None and from_text:
        day = date_by_heading(page)
    return (f"{day.isoformat()}T00:00:00Z", source) if day is not None else ("", "")


def date_by_heading(page: Page) -> date | None:
    """Return the date on a line near the page's heading, else on a line that says what it dates.

    The search goes from just before the heading downwards, then further up; lines that say what
    they date come last.
    """
    text = page.stable_text or page.text
    start = max(0, page.heading_at - BEFORE_HEADING)
    found = _date_line(text, start, start + NEAR_HEADING, None)
    if found is None and start:
        found = _date_line(text, max(0, start - NEAR_HEADING), start, None)
    return found or _date_line(text, 0, MAX_TEXT, _DATE_LABEL)


def _date_line(text: str, start: int, until: int, label: re.Pattern[str] | None) -> date | None:
    """Return the first date on a short line in a range of a text; the line must match ``label``."""
    for at, day in dates_in(text, start, until):
        first = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        line = text[first : min(end if end >= 0 else len(text), at + MAX_DATE_LINE)]
        is_short = len(line) <= MAX_DATE_LINE and not _COPYRIGHT.search(line)
        if is_short and (label is None or label.search(line)):
            return day
    return None


def modified_at(page: Page) -> str:
    """Return the last modification as the document states it, else as the header does."""
    sources = _values_under(page.metas, MODIFIED) + _values_under(page.json_ld, ("dateModified",))
    sources += [(text,) for text in (*_values_under(page.times, ("modified",)), page.last_modified)]
    moment = _first_moment(sources, latest=True)
    return local_rfc3339(moment) if moment is not None else ""


def is_plausible(last_modified: str, at: float) -> bool:
    """Return True if a Last-Modified header can be right in a response at ``at``, in seconds.

    A date before the web, at the time of the response, or in the future cannot; nor can an invalid
    one.
    """
    moment = read_http_date(last_modified)
    return moment is not None and BEFORE_THE_WEB <= moment < at - MOMENT


def _values_under(facts: Mapping[str, T], names: Iterable[str]) -> list[T]:
    """Return the values that a page has under these names."""
    return [facts[name] for name in names if name in facts]


def _first_moment(sources: Iterable[Iterable[str]], *, latest: bool) -> datetime | None:
    """Return the earliest or latest date of the first source that has one."""
    for source in sources:
        moments = [moment for text in source if (moment := read_local_date(text)) is not None]
        if moments:
            return max(moments) if latest else min(moments)
    return None


def _in_local_zone(moment: datetime, page: Page) -> datetime:
    """Return a moment stated in UTC in the zone in which the page states it elsewhere.

    A date without a zone is the same moment in local time if both differ by a zone's offset.
    """
    if moment.utcoffset() or not moment.second:
        return moment
    texts = [text for name in LOCAL_METAS for text in page.metas.get(name, ())]
    texts += [
        text for name in ("datePublished", "dateCreated") for text in page.json_ld.get(name, ())
    ]
    for text in (*texts, *page.times.values()):
        other = read_local_date(text)
        if other is None or not other.second:
            continue
        if other == moment and other.utcoffset():
            return other
        offset = other.replace(microsecond=0) - moment.replace(microsecond=0)
        is_zone = offset and not offset % QUARTER and abs(offset) <= MAX_OFFSET
        if is_zone and not other.utcoffset() and not _ZONE.search(text):
            return moment.astimezone(timezone(offset))
    return moment


def local_rfc3339(moment: datetime) -> str:
    """Format a datetime with its own offset, so that its day is the one that readers see."""
    text = moment.replace(microsecond=0).isoformat()
    return f"{text[:19]}Z" if text[19:] == "+00:00" else text


def rfc3339(moment: datetime | float) -> str:
    """Format a datetime, or epoch seconds, in UTC as in documents: ``2026-01-31T12:00:00Z``."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC)
    else:
        moment = datetime.fromtimestamp(int(moment), UTC)
    return moment.isoformat(timespec="seconds")[:19] + "Z"
