"""Typed access to the keys of ``Request.meta`` that belong to sitecrawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from scrapy import Request

if TYPE_CHECKING:
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from sitecrawl.crawl.reader_processes import ReadFile
    from sitecrawl.crawl.visit import Visit
    from sitecrawl.policy.documents.obedience import RobotsVerdict
    from sitecrawl.policy.documents.placeholders import Placeholder
    from sitecrawl.scheduling.origin import Origin
    from sitecrawl.web.html.page import Page

T = TypeVar("T")
OWN = "sitecrawl_"
COPIED = frozenset({"depth", "verbatim_url"})
"""Further keys that a request inherits when it is given the ``meta`` of a response."""
VISIT = "sitecrawl_visit"
ORIGIN = "sitecrawl_origin"
ROBOTS_OF = "sitecrawl_robots_of"
RENDERED = "sitecrawl_rendered"
READ_PAGE = "sitecrawl_read_page"
MEDIA_TYPE = "sitecrawl_media_type"
FILE = "sitecrawl_file"
SITEMAP = "sitecrawl_sitemap"
PROBE = "sitecrawl_probe"
"""The origin of a missing-page probe."""
SECOND_READING = "sitecrawl_second_reading"
"""The origin of a page that is read a second time, and its text at the first."""
USAGE_FILE = "sitecrawl_usage_file"
KEPT = "sitecrawl_kept"
UNCHANGED = "unchanged"
"""Flag of a response whose body is that of an earlier one, after a 304."""
BEGAN = "sitecrawl_began"
SENT_AT = "sitecrawl_sent_at"
WIRE_BYTES = "sitecrawl_wire_bytes"
PROXY = "sitecrawl_proxy"
LOGIN = "sitecrawl_login"


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The rendering of a page: its reason, and the URL to which a script navigated."""

    reason: str
    rule: str
    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The facts of a response's page, and the verdict on its robots directives.

    ``placeholder`` is the kind of placeholder page, if it has no content of its own.
    """

    page: Page
    robots: RobotsVerdict
    placeholder: Placeholder | None = None


@dataclass(frozen=True, slots=True)
class ListingRequest:
    """Request for a listing of the format ``kind``; ``start`` is the start that led to it, if any.

    ``attempts`` counts the retries after temporary failures.
    """

    url: str
    kind: str
    steps: int = 0
    start: str | None = None
    attempts: int = 0


class Requester(Protocol):
    """A part of the crawl that requests other things than pages."""

    def answered(self, response: Response) -> Any:
        """Handle a response, of any status."""

    def failed(self, failure: Failure) -> None:
        """Handle a request without a response."""


def own_request(
    requester: Requester, url: str, key: str, value: object, origin: Origin | None = None
) -> Request:
    """Make a request that is not a visit, marked by a key of its ``meta``; ``origin``: whose slot it
    occupies, unless it is enqueued."""
    meta = {key: value, "verbatim_url": True, "handle_httpstatus_all": True}
    if origin is not None:
        meta |= occupying(origin)
    answered, failed = requester.answered, requester.failed
    return Request(url, callback=answered, errback=failed, dont_filter=True, meta=meta)


def occupying(origin: Origin) -> dict[str, object]:
    """Return the ``meta`` of a request that occupies the slot of an origin."""
    return {ORIGIN: origin, "download_slot": origin.key}


@dataclass(frozen=True, slots=True)
class MetaKey(Generic[T]):
    """A key of ``Request.meta``."""

    name: str

    def __call__(self, request: Request) -> T | None:
        """Return the value of a request, None without one."""
        return request.meta.get(self.name)


visit_of: MetaKey[Visit] = MetaKey(VISIT)
"""The crawl action of a request; None for robots.txt and foreign requests."""
origin_of: MetaKey[Origin] = MetaKey(ORIGIN)
"""The leased origin whose slot the request occupies."""
robots_of: MetaKey[Origin] = MetaKey(ROBOTS_OF)
"""The origin whose robots.txt is requested."""
read_page_of: MetaKey[ReadPage] = MetaKey(READ_PAGE)
"""The page read by the meta-robots middleware; None for requests without a visit."""
file_of: MetaKey[ReadFile] = MetaKey(FILE)
"""The file that a worker process has read; None for pages."""
rendered_of: MetaKey[RenderedPage] = MetaKey(RENDERED)
"""The browser's rendering of the page."""
sitemap_of: MetaKey[ListingRequest] = MetaKey(SITEMAP)
"""The requested sitemap or feed."""


def media_type_of(request: Request) -> str:
    """Return the media type found by header and body; empty for requests without a visit."""
    kind: str = request.meta.get(MEDIA_TYPE, "")
    return kind


def is_of_site(request: Request) -> bool:
    """Return True for robots.txt, a sitemap, a feed, or a file about usage."""
    return bool({ROBOTS_OF, SITEMAP, USAGE_FILE} & request.meta.keys())


def is_login(request: Request) -> bool:
    """Return True for a request that logs in, or looks whether the user is logged in."""
    return LOGIN in request.meta


def is_adhoc(request: Request) -> bool:
    """Return True for a project's own request: no visit, probe, login, or file about the site."""
    return not (is_of_site(request) or {VISIT, PROBE, SECOND_READING, LOGIN} & request.meta.keys())


def carries_nothing(request: Request) -> bool:
    """Return True for a plain request for a page, as ``response.follow`` makes it."""
    extras = (request.body, request.headers, request.cookies, request.cb_kwargs, request.errback)
    if request.method != "GET" or request.dont_filter or request.priority or any(extras):
        return False
    return all(name.startswith((OWN, "download_")) or name in COPIED for name in request.meta)
