"""Request what an origin says in files about the use of its pages, if the crawl has a purpose."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks

from sitecrawl.http.fetch_errors import LeaseExpiredError
from sitecrawl.reqmeta import ORIGIN, USAGE_FILE, own_request
from sitecrawl.scheduling.origin import Hold, Origin
from sitecrawl.web.robots.usage_statements import MAX_LICENSES
from sitecrawl.web.robots.usage_terms import TDMREP, Terms, read_terms, terms_of
from sitecrawl.web.urls.url import origin as origin_key

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.scheduling.robots_files import RobotsFiles
    from sitecrawl.web.robots.usage_statements import Statement


@dataclass(slots=True)
class _Files:
    """The files of one origin: those to be requested, that being requested, and the terms of each."""

    pending: deque[str]
    expires_at: float
    terms: dict[str, tuple[Terms, ...]] = field(default_factory=dict)
    asked: str = ""


class UsageFiles:
    """``/.well-known/tdmrep.json`` of each origin, and the licences on it that it names.

    They are requested before its pages, like robots.txt, and as often; a licence that a page names,
    before the page is visited again. A file that cannot be read says nothing. Each response or
    failure is one of ``robots``.
    """

    def __init__(self, params: CrawlParams, robots: RobotsFiles) -> None:
        self._wanted = bool(params.purpose) and params.obey_robots and not params.rogue
        self._lifetime = params.robots_lifetime
        self._robots = robots
        self._files: dict[str, _Files] = {}

    def due(self, origin: Origin, now: float) -> bool:
        """Return True if a file must be requested before the pages of the origin."""
        if not self._wanted or origin.given_up:
            return False
        files = self._files.get(origin.key)
        if files is None or files.expires_at <= now:
            named = dict.fromkeys(self._robots.licenses(origin))
            own = [url for url in named if origin_key(url) == origin.key]
            terms = files.terms if files else {}
            urls = dict.fromkeys([origin.key + TDMREP, *own[:MAX_LICENSES], *terms])
            files = self._files[origin.key] = _Files(deque(urls), now + self._lifetime, terms)
        return bool(files.pending)

    def named_by_page(self, origin: Origin, urls: Iterable[str]) -> bool:
        """Return True if a page must be visited again, after licences that it names."""
        files = self._files.get(origin.key)
        if files is None:
            return False
        new = [url for url in urls if url not in files.terms and origin_key(url) == origin.key]
        room = 1 + MAX_LICENSES - len(files.terms)  # one is tdmrep.json
        files.pending.extend(url for url in new[:room] if url not in files.pending)
        return bool(new[:room])

    def request(self, origin: Origin) -> Request:
        """Make the request for the origin's next file."""
        origin.hold(Hold.TERMS)
        files = self._files[origin.key]
        files.asked = files.pending.popleft()
        return own_request(self, files.asked, USAGE_FILE, files, origin)

    def statements(self, origin: Origin, url: str) -> Iterator[Statement]:
        """Yield what the files of an origin say about the use of ``url``."""
        files = self._files.get(origin.key)
        for terms in files.terms.values() if files else ():
            yield from terms_of(terms, url)

    def answered(self, response: Response) -> None:
        """Read a file; any status but 200 says nothing."""
        body = response.body if response.status == 200 else b""
        files: _Files = response.meta[USAGE_FILE]
        files.terms[files.asked] = read_terms(body, files.asked)
        self._go_on(response.meta[ORIGIN])

    def failed(self, failure: Failure) -> None:
        """Keep what was read earlier of a file that could not be fetched, or was not allowed to be."""
        request: Request = failure.request  # type: ignore[attr-defined]
        files: _Files = request.meta[USAGE_FILE]
        if isinstance(failure.value, LeaseExpiredError):  # nothing was sent
            files.pending.appendleft(files.asked)
        else:
            files.terms.setdefault(files.asked, ())
        self._go_on(request.meta[ORIGIN])

    def _go_on(self, origin: Origin) -> None:
        origin.go_on(Hold.TERMS)
        self._robots.request_ended.send(origin)
