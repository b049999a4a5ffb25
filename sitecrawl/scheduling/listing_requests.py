"""Requests for listings (sitemaps, feeds), queued at their origin; their URLs become candidates."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response  # scrapy-poet evaluates the annotations of callbacks
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.seeds import SeedReport
from sitecrawl.frontier.base import FrontierError
from sitecrawl.http.fetch_errors import exception_names
from sitecrawl.policy.http.answers import FOLLOWED, FetchResult, answer_of_failure, retry_wait
from sitecrawl.policy.urls.url_rules import read_target
from sitecrawl.reqmeta import SITEMAP, UNCHANGED, ListingRequest, own_request
from sitecrawl.responses import answer_of, header, location
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.web.feeds.listings import ENTITY_IN_LOCATION, FEED_TYPES, FORMATS, ListedUrl
from sitecrawl.web.feeds.listings import FEED as FEED_FORMAT
from sitecrawl.web.feeds.listings import SITEMAP as SITEMAP_FORMAT
from sitecrawl.web.html.page import Page
from sitecrawl.web.media_type import declared_type
from sitecrawl.web.urls.url import origin as origin_key
from sitecrawl.web.urls.url import resolve
from sitecrawl.web.validators import retry_after

MAX_STEPS = 5  # from an index to a sitemap that it names, redirects included
MAX_FILES = 100  # in one pass
MAX_FEEDS = 5  # of those that the head of a start names
BATCH = 500

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class ListingRequests:
    """Requests for sitemaps and feeds, which are not pages: neither counted nor written.

    A temporary failure is retried, as for pages; a file that cannot be read is logged and skipped
    until the next pass or run.
    """

    _params: CrawlParams
    _discovery: Discovery
    _owner: FrontierOwner
    _leased: LeasedOrigins
    _tasks: BackgroundTasks
    _queues: OriginQueues
    _seed_report: SeedReport
    _stats: StatsCollector
    _asked: dict[str, ListingRequest] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _named_by: dict[str, list[str]] = field(default_factory=dict)

    def begin_pass(self) -> None:
        """Request again the listings named by a start or a robots.txt, but not by others."""
        self._open.clear()
        earlier, self._asked = self._asked, {}
        for asked in earlier.values():
            if not asked.steps:
                self.ask(asked)

    def listen(self) -> None:
        """Request them in mid-pass, unless requests for listings are still queued."""
        if not self._open:
            self.begin_pass()

    @property
    def count(self) -> int:
        """Number of listings that were requested in this pass."""
        return len(self._asked)

    def named(self, origin: Origin) -> None:
        """Request the sitemaps that an origin's robots.txt names, except on hosts out of scope."""
        if self._params.reads_sitemaps and origin.robots.rules is not None:
            self._ask_in_scope(origin.robots.rules.sitemaps, SITEMAP_FORMAT.name, origin.key)

    def named_by_start(self, page: Page) -> None:
        """Request the feeds that the page of a start names in its head, if the crawl listens."""
        if self._params.reads_feeds:
            urls = [each.url for each in page.alternates if declared_type(each.type) in FEED_TYPES]
            self._ask_in_scope(urls[:MAX_FEEDS], FEED_FORMAT.name, origin_key(page.url))

    def _ask_in_scope(self, urls: Iterable[str], kind: str, key: str) -> None:
        scope = self._discovery.rules.scope
        for url in urls:
            if origin_key(url) == key or scope.covers(read_target(url)):
                self.ask(ListingRequest(url, kind))

    def ask(self, asked: ListingRequest) -> None:
        """Queue a request for a listing at its origin, once a pass."""
        if asked.url not in self._asked:
            self._enqueue(asked)

    def _enqueue(self, asked: ListingRequest) -> None:
        if len(self._asked) >= MAX_FILES or asked.steps > MAX_STEPS:
            self._count("left_out")
            return
        if len(self._asked) == MAX_FILES - 1:
            logger.warning(
                "After %d sitemaps and feeds no further one is read in this pass", MAX_FILES
            )
        self._asked[asked.url] = asked
        self._open.add(asked.url)
        if not asked.url.startswith(("http://", "https://")):
            self._failed(asked, "its scheme cannot be crawled")
            return
        if self._queues.enqueue(self._request(asked)):
            self._tasks.wake()

    def _request(self, asked: ListingRequest) -> Request:
        return own_request(self, asked.url, SITEMAP, asked)

    async def answered(self, response: Response) -> None:
        """Read a response, or follow its redirect."""
        asked: ListingRequest = response.meta[SITEMAP]
        self._open.discard(asked.url)
        target = resolve(location(response.headers), asked.url)
        if response.status in FOLLOWED and target:
            self._ask_next(asked, [target])
        elif response.status != 200:
            wait = retry_after(header(response.headers, "Retry-After"), time.time())
            self._failed_with(
                answer_of(response), asked, f"it answered {response.status}", wait or 0.0
            )
        elif UNCHANGED in response.flags and asked.url in self._named_by:
            self._count("unchanged")
            self._ask_next(asked, self._named_by[asked.url])
        else:
            await self._read(asked, response.body)

    def failed(self, failure: Failure) -> None:
        """Handle a listing that could not be fetched, or was not allowed to be."""
        asked: ListingRequest = failure.request.meta[SITEMAP]  # type: ignore[attr-defined]
        self._open.discard(asked.url)
        why = failure.getErrorMessage()
        if isinstance(failure.value, IgnoreRequest):
            self._failed(asked, why)
        else:
            self._failed_with(answer_of_failure(exception_names(failure.value)), asked, why)

    def _failed_with(
        self, answer: FetchResult, asked: ListingRequest, why: str, rest: float = 0.0
    ) -> None:
        """Retry after a temporary failure, not before ``rest`` seconds; give up otherwise."""
        wait = retry_wait(
            answer,
            asked.attempts,
            retries=self._params.retries,
            max_wait=self._params.max_wait,
            retry_after=rest,
        )
        if wait is None:
            self._failed(asked, why)
            return
        self._stats.inc_value(f"sitecrawl/retries/{answer.reason}")
        self._open.add(asked.url)
        self._queues.enqueue_retry(self._request(replace(asked, attempts=asked.attempts + 1)), wait)
        self._tasks.wake()

    def _failed(self, asked: ListingRequest, why: str) -> None:
        self._count("failed")
        logger.warning("The %s %s is not read: %s", asked.kind, asked.url, why)
        if asked.start is not None:
            self._seed_report.failed(
                asked.start, f"the {asked.kind} {asked.url} is not read: {why}"
            )

    async def _read(self, asked: ListingRequest, body: bytes) -> None:
        problems: list[str] = []
        entries = FORMATS[asked.kind].read(body, asked.url, problems)
        found, listings = 0, list[str]()
        try:
            while batch := list(islice(entries, BATCH)):
                found += len(batch)
                listings += [entry.url for entry in batch if entry.is_listing]
                await self._take(asked, batch)
        except FrontierError as error:
            self._owner.fail(error)
            return
        if dropped := problems.count(ENTITY_IN_LOCATION):
            self._count("dropped", dropped)
        problems = list(dict.fromkeys(problems))
        if not found and (problems or asked.start or asked.kind != FEED_FORMAT.name):
            self._failed(asked, f"it names no page ({', '.join(problems) or 'it is empty'})")
            return
        self._count("read")
        self._count("entries", found)
        if not problems:
            self._named_by[asked.url] = listings
        words = f" ({', '.join(problems)})" if problems else ""
        logger.info("The %s %s names %d URLs%s", asked.kind, asked.url, found, words)

    def _ask_next(self, asked: ListingRequest, urls: Iterable[str]) -> None:
        for url in urls:
            self.ask(replace(asked, url=url, steps=asked.steps + 1))

    async def _take(self, asked: ListingRequest, entries: list[ListedUrl]) -> None:
        frontier = self._owner.frontier
        pages = [entry.url for entry in entries if not entry.is_listing]
        is_news = asked.url in self._named_by
        candidates = self._discovery.listed(pages, asked.url, asked.kind, is_news=is_news)
        given = {entry.url: entry.date for entry in entries}
        dated = [(each, date) for url, each in candidates.items() if (date := given[url])]
        times = [(each, date.timestamp()) for each, date in dated]
        requeue, listed = FORMATS[asked.kind].dates_requeue, self._leased.knowledge.dates
        if not requeue:
            listed.note(times)
        await frontier.add(list(candidates.values()))
        if requeue:
            await frontier.record_feed_dates(dated)
        else:
            await listed.queue_changed(times)
        self._ask_next(asked, (entry.url for entry in entries if entry.is_listing))
        self._leased.acquire()

    def _count(self, what: str, number: int = 1) -> None:
        self._stats.inc_value(f"sitecrawl/sitemaps/{what}", number)
