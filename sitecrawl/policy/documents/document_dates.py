"""Dates of publication and last modification that a document states."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from sitecrawl.web.dates import read_date, read_http_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sitecrawl.web.html.page import Page


# The first source that has a valid date wins; of several dates there, the earliest.
PUBLISHED = (
    *("dcterms.issued", "dc.date.issued", "article:published_time", "datepublished"),
    *("dcterms.created", "dc.date.created", "dcterms.date", "dc.date", "pubdate", "date"),
)
BEFORE_THE_WEB = 631152000.0  # 1990-01-01
MOMENT = 2.0  # seconds; HTTP dates have no fractions, and clocks differ
MODIFIED = (
    *("last-modified", "dcterms.modified", "dc.date.modified", "article:modified_time"),
    *("og:updated_time", "datemodified", "revised"),
)
T = TypeVar("T")


def published_at(page: Page) -> str:
    """The moment of publication in RFC 3339, empty where the page tells none."""
    sources = _values_under(page.metas, PUBLISHED)
    sources += _values_under(page.json_ld, ("datePublished", "dateCreated"))
    sources += [(text,) for text in _values_under(page.times, ("published", "time"))]
    return _first(sources, latest=False)


def modified_at(page: Page) -> str:
    """The moment of the last modification: the document's own word, then the header's."""
    sources = _values_under(page.metas, MODIFIED) + _values_under(page.json_ld, ("dateModified",))
    sources += [(text,) for text in (*_values_under(page.times, ("modified",)), page.last_modified)]
    return _first(sources, latest=True)


def is_plausible(last_modified: str, at: float) -> bool:
    """Tell a Last-Modified header that can be right in an answer of the time ``at``, in seconds.

    A date before the web, of the moment of the answer itself, or of the future cannot;
    neither can what is no date.
    """
    moment = read_http_date(last_modified)
    return moment is not None and BEFORE_THE_WEB <= moment < at - MOMENT


def _values_under(facts: Mapping[str, T], names: Iterable[str]) -> list[T]:
    """The values that a page has under these names."""
    return [facts[name] for name in names if name in facts]


def _first(sources: Iterable[Iterable[str]], *, latest: bool) -> str:
    """The earliest or latest date of the first source that has one."""
    for source in sources:
        dates = [date for text in source if (date := read_date(text)) is not None]
        if dates:
            return rfc3339(max(dates) if latest else min(dates))
    return ""


def rfc3339(moment: datetime | float) -> str:
    """A moment, or seconds of the epoch, as documents carry it: ``2026-01-31T12:00:00Z``."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC)
    else:
        moment = datetime.fromtimestamp(int(moment), UTC)
    return moment.isoformat(timespec="seconds")[:19] + "Z"
