"""Request headers: identification, content negotiation, credentials, validators."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Literal

from sitecrawl.policy.documents.document_dates import BEFORE_THE_WEB, MOMENT
from sitecrawl.web.dates import http_date, read_http_date
from sitecrawl.web.feeds.listings import FEED_TYPES
from sitecrawl.web.urls.url import origin

Wanted = Literal["page", "feed", "robots"]

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml")
LISTING_TYPES = (*FEED_TYPES, "application/gzip", *PAGE_TYPES)
UNCONFIGURED = "contact not configured"


def user_agent(version: str, contact: str = "", own: str = "") -> str:
    """Return the User-Agent: product, version and contact, or ``own`` with the contact added."""
    product = own or f"sitecrawl/{version}"
    if contact and contact not in product:
        return f"{product} (+{contact})"
    return product if own or contact else f"{product} ({UNCONFIGURED})"


def accept(wanted: Wanted, extra: tuple[str, ...] = ()) -> str:
    """Return the Accept header: the wanted types and no others."""
    if wanted == "robots":
        return "text/plain, text/html;q=0.5"
    types = PAGE_TYPES if wanted == "page" else LISTING_TYPES
    return ", ".join(dict.fromkeys((*types, *extra)))


@dataclass(frozen=True, slots=True)
class HeaderPolicy:
    """Headers of every request of a crawl, in addition to those of the protocol.

    ``auth`` maps origins to user:password, ``origin_headers`` origins to their own headers;
    ``headers``, which may contain a key, are sent to ``start_origins`` alone. The start origins may
    grow during a crawl.
    """

    agent: str
    from_email: str = ""
    referer: Literal["always", "first", "never"] = "first"
    accept_extra: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    start_origins: AbstractSet[str] = frozenset()
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    auth: Mapping[str, str] = field(default_factory=dict)

    def of(
        self, url: str, *, wanted: Wanted = "page", referrer: str | None = None, known: bool = False
    ) -> dict[str, str]:
        """Return the headers of a request for ``url``, which ``referrer`` links to.

        ``known``: the URL was fetched with content before.
        """
        found = {"User-Agent": self.agent, "Accept": accept(wanted, self.accept_extra)}
        optional = {
            "From": self.from_email,
            "Referer": self._referer(url, referrer, known=known),
            "Authorization": self._authorization(url),
        }
        found.update((name, value) for name, value in optional.items() if value)
        place = origin(url)
        common = self.headers if place in self.start_origins else {}
        return {**found, **common, **self.origin_headers.get(place, {})}

    def _referer(self, url: str, referrer: str | None, *, known: bool) -> str:
        if not referrer or self.referer == "never" or (known and self.referer == "first"):
            return ""
        if referrer.startswith("https:") and not url.startswith("https:"):
            return ""  # RFC 9110, 10.1.3
        return referrer.partition("#")[0]

    def _authorization(self, url: str) -> str:
        credentials = self.auth.get(origin(url)) if self.auth else None
        if credentials is None:
            return ""
        return "Basic " + b64encode(credentials.encode()).decode("ascii")  # RFC 7617, 2


def conditional(etag: str | None, last_modified: str | None) -> dict[str, str]:
    """Return the headers of a conditional request.

    ``etag`` and ``last_modified`` are header values, sent unchanged.
    """
    found = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in found.items() if value}


def modified_since(last_modified: str | None, visited_at: float) -> str | None:
    """Return the If-Modified-Since value of a page that was read at ``visited_at``, in seconds.

    The server's own date is sent back unchanged. A future date is replaced by that of the visit:
    the next change may be earlier and would be answered with 304. A date before the web, which
    all files of some containers have, says nothing about changes; the result is then None.
    """
    moment = read_http_date(last_modified)
    if moment is None:
        return last_modified or http_date(visited_at)
    if moment > visited_at + MOMENT:
        return http_date(visited_at)
    return last_modified if moment >= BEFORE_THE_WEB else None
