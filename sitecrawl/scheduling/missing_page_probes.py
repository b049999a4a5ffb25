"""Probes for soft 404s: the response of each origin for a URL that does not exist."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import urljoin

from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from sitecrawl.crawl.visit import Visit
from sitecrawl.policy.documents.placeholders import (
    MAX_MISSING_TEXT,
    Placeholder,
    Sketch,
    is_same_page,
    names_itself_missing,
    sketch,
)
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import PROBE, SECOND_READING, own_request
from sitecrawl.responses import page_of
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.scheduling.yields import Yields
from sitecrawl.web.html.page import Page
from sitecrawl.web.media_type import is_html
from sitecrawl.web.read_options import ReadOptions

MAX_ORIGINS = 10_000  # whose error pages are remembered
REPEAT_AFTER = 600.0  # seconds after which an error page that does not match may have changed
MAX_ALIKE = 4  # pages with the same words; one more triggers a probe
MAX_ALIKE_TEXT = 1_500  # characters of each such page
MAX_SKETCHES = 1_000  # for each origin
MIN_ALIKE_WORDS = 8
NAME = "no-such-page-"  # prefix of the probed path, followed by random digits


@dataclass(slots=True)
class ErrorPage:
    """Response of an origin for a missing page.

    ``sketch`` is None if missing pages have a status of their own, are not probed yet, or show the
    home page. ``asked_at`` is in seconds of the event loop's clock.
    """

    asked_at: float = 0.0
    sketch: Sketch | None = None
    postponed: set[int] = field(default_factory=set)
    alike: dict[int, int] = field(default_factory=dict)

    def is_repeated(self, found: Sketch | None) -> bool:
        """Count a page; return True if several others had the same words."""
        if found is None:
            return False
        words = tuple(each for each in found.words if each[0] not in found.echo)
        if len(words) < MIN_ALIKE_WORDS or len(self.alike) >= MAX_SKETCHES:
            return False
        key = hash(words)
        self.alike[key] = self.alike.get(key, 0) + 1
        return self.alike[key] > MAX_ALIKE


@dataclass(eq=False, repr=False)
class MissingPageProbes:
    """Detection of soft 404s by the error page of each origin.

    A random URL is requested when a page of the origin calls itself missing, or when five pages
    have the same words. The request waits its turn, before the pages, and obeys robots.txt and the
    rules. A page that calls itself missing is visited again afterwards. Sites that answer 404, and
    sites without such pages, are probed once or never.
    """

    _queues: OriginQueues
    _tasks: BackgroundTasks
    _stats: StatsCollector
    _options: ReadOptions
    _known: OrderedDict[str, ErrorPage] = field(default_factory=OrderedDict)

    def judge(self, visit: Visit, page: Page) -> Placeholder | None:
        """Compare a page with the error page of its origin, if that is known."""
        known = self._known.get(visit.due.origin)
        if known is None or known.sketch is None or not is_html(page.content_type):
            return None
        found = sketch(page, page.url)
        if found is None or not is_same_page(found, known.sketch):
            return None
        if _is_home(page.url):  # which the site shows for every unknown URL
            known.sketch = None
            return None
        return Placeholder(Outcome.SOFT_404, "the site says the same of a page that does not exist")

    def must_ask(self, visit: Visit, page: Page) -> bool:
        """Probe the origin if necessary; return True to visit the page again afterwards."""
        if len(page.whole_text) > MAX_MISSING_TEXT or not is_html(page.content_type):
            return False
        if _is_home(page.url):
            return False
        known = self._known.get(visit.due.origin)
        missing = names_itself_missing(page)
        if not missing and (len(page.whole_text) > MAX_ALIKE_TEXT or (known and known.asked_at)):
            return False
        known = self._of(visit.due.origin)
        if visit.due.fingerprint in known.postponed:
            return False
        now = asyncio.get_running_loop().time()
        if known.asked_at and now - known.asked_at < REPEAT_AFTER:
            return False
        if not missing and not known.is_repeated(sketch(page, page.url)):
            return False
        known.asked_at = now
        known.postponed.add(visit.due.fingerprint)
        return self._ask(visit.due.origin, page.url) and missing

    def _of(self, key: str) -> ErrorPage:
        known = self._known.pop(key, None) or ErrorPage()
        self._known[key] = known
        if len(self._known) > MAX_ORIGINS:
            self._known.popitem(last=False)
        return known

    def _ask(self, key: str, near: str) -> bool:
        url = urljoin(near, f"{NAME}{secrets.randbelow(10**12):012}")
        asked = self._queues.enqueue(own_request(self, url, PROBE, key))
        self._tasks.wake()
        return asked

    def answered(self, response: Response) -> None:
        """Keep the origin's response for a page that does not exist."""
        known = self._of(response.meta[PROBE])
        known.sketch = None
        self._stats.inc_value("sitecrawl/soft_404/asked")
        if response.status != 200:
            return
        page = page_of(response, self._options)
        if is_html(page.content_type):
            known.sketch = sketch(page, response.url)

    def failed(self, failure: Failure) -> None:
        """Ignore the failure: no page of the origin is judged."""


def _is_home(url: str) -> bool:
    return url.partition("://")[2].partition("/")[2] == ""


@dataclass(eq=False, repr=False)
class SecondReadings:
    """Requests for second readings; they wait their turn, and obey robots.txt and the rules."""

    _queues: OriginQueues
    _tasks: BackgroundTasks
    _yields: Yields
    _options: ReadOptions

    def ask(self, key: str, url: str, text: str) -> None:
        """Request a page again whose text was read before."""
        self._queues.enqueue(own_request(self, url, SECOND_READING, (key, text)))
        self._tasks.wake()

    def answered(self, response: Response) -> None:
        """Learn from the difference of the two texts."""
        if response.status == 200:
            (key, first), page = response.meta[SECOND_READING], page_of(response, self._options)
            self._yields.learn_noise(key, first, page.whole_text)

    def failed(self, failure: Failure) -> None:
        """Ignore the failure: nothing is learned."""
