"""Passes of a crawl: one, or several with an interval between them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.frontier.base import Candidate
from sitecrawl.reqmeta import ListingRequest
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.listing_requests import ListingRequests

EXAMPLES = 3
SHARE = 0.05  # of the requests, at most, are for sitemaps and feeds in mid-pass
RETIRED = (
    "%d URLs are no longer starts (%s). When they are due, the rules apply to them as to any other "
    "link, and to the URLs that were in scope because of them; those that no page or sitemap names "
    "are deleted once all pages were read"
)

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Passes:
    """Passes of a crawl; the interval begins when a pass has ended."""

    _params: CrawlParams
    _owner: FrontierOwner
    _leased: LeasedOrigins
    _tasks: BackgroundTasks
    _listing_requests: ListingRequests
    _discovery: Discovery
    _seeds: Sequence[Candidate] = ()
    _ended: bool = False
    _timer: asyncio.TimerHandle | None = None
    _listener: asyncio.TimerHandle | None = None
    _task: asyncio.Task[None] | None = None

    async def begin(self, seeds: Sequence[Candidate]) -> None:
        """Begin the first pass."""
        self._seeds = seeds
        with self._owner.failures_end_crawl():
            await self._give_starts()
        self._leased.acquire()

    def listen(self) -> None:
        """Request sitemaps and feeds again in a pass that lasts longer than the interval.

        They are at most a twentieth of the requests.
        """
        params = self._params
        if params.interval and params.activity != "refresh":
            wait = max(params.interval, params.delay * self._listing_requests.count / SHARE)
            self._listener = asyncio.get_running_loop().call_later(wait, self._listen)

    def more(self) -> bool:
        """Return True if another pass follows, now that nothing is left to do."""
        wait = self._params.interval
        if wait and not (self._ended or self._timer or self._task):
            self._timer = asyncio.get_running_loop().call_later(wait, self._start)
        return bool(self._timer or self._task)

    def end(self) -> None:
        """Start no further pass."""
        self._ended = True
        for timer in (self._timer, self._listener):
            if timer is not None:
                timer.cancel()

    async def _give_starts(self) -> None:
        params, frontier = self._params, self._owner.frontier
        retired = await frontier.retire_starts(() if params.lists_pages else self._seeds)
        if retired:
            logger.info(RETIRED, len(retired), ", ".join(retired[:EXAMPLES]))
        self._discovery.watch(each for _, each in await frontier.unnamed_starts())
        if params.lists_pages:
            if params.activity != "refresh":
                for seed in self._seeds:
                    self._listing_requests.ask(
                        ListingRequest(seed.url, params.lists_pages, start=seed.url)
                    )
            return
        await frontier.add(self._seeds)
        if params.considers == "starts":
            await frontier.unskip(self._seeds)
        if params.revisits_starts:
            await frontier.mark_due(self._seeds)

    def _listen(self) -> None:
        if not (self._timer or self._task):
            self._listing_requests.listen()
        self.listen()

    def _start(self) -> None:
        self._timer = None
        if not (self._leased.busy or self._tasks.busy):
            self._task = asyncio.create_task(self._next())
            self._task.add_done_callback(self._begun)

    async def _next(self) -> None:
        frontier = self._owner.frontier
        with self._owner.failures_end_crawl():
            await self._leased.renew()
            self._discovery.limits.begin_pass()
            if self._params.considers != "starts":
                await frontier.requeue_due()
            if self._params.activity != "refresh":
                self._listing_requests.begin_pass()
                if not self._params.lists_pages:
                    await frontier.mark_due(self._seeds)
        self._leased.acquire()

    def _begun(self, _: asyncio.Task[None]) -> None:
        self._task = None
        self._tasks.wake()
