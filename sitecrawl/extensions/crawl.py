"""Build the parts of a crawl, and begin it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from sitecrawl.components import params_of
from sitecrawl.config.assembly import Citations, agent, database_url
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.page_callback import PageCallback
from sitecrawl.crawl.progress import Outlook
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.run_summary import Failures
from sitecrawl.crawl.seeds import SeedRedirects, SeedReport
from sitecrawl.crawl.visit import Visit
from sitecrawl.frontier.opening import open_frontier
from sitecrawl.frontier.threaded import Frontier
from sitecrawl.output.delivery import Delivery
from sitecrawl.policy.documents.obedience import refresh_target
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.urls.path_limits import RedirectChains
from sitecrawl.scheduling.background import BackgroundTasks, EngineWaker
from sitecrawl.scheduling.fetch_outcomes import LoginWalls, VisitRequests
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.listed_pages import ListedPages
from sitecrawl.scheduling.listing_requests import ListingRequests
from sitecrawl.scheduling.missing_page_probes import MissingPageProbes, SecondReadings
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.origin_knowledge import OriginKnowledge, ParameterMeanings
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.scheduling.passes import Passes
from sitecrawl.scheduling.robots_files import RobotsFiles, UsageFiles
from sitecrawl.scheduling.work_sharing import RequestBudget, WorkSharing
from sitecrawl.scheduling.worker_processes import WorkerProcess, WorkerProcesses
from sitecrawl.scheduling.yields import Yields
from sitecrawl.web.html.page import Page

if TYPE_CHECKING:
    from sitecrawl.scheduling.login import Login

NO_CONTACT = (
    "No contact is set: whoever runs the site cannot reach you. Give a web page or mail address "
    "with -a contact=..."
)
ROGUE = "The robots exclusion standard is ignored: robots.txt and the robots directives of pages."
PAUSES = {
    "overload": "429 or Retry-After",
    "slow_answers": "its slow answers",
    "crawl_delay": "robots.txt",
}
"""Causes of a pause, other than the option ``delay``."""
WATCH_SECONDS = 0.5
POLICIES = frozenset({"do_not_crawl", "query_policy"})

logger = logging.getLogger(__name__)


class Crawl:
    """The parts that scheduler, middlewares, spider and pipelines share.

    Each part is built after those that it uses, and returns values to those above it or sends
    them an ``Event``. Scrapy's components get the parts they need from ``crawl_of``.
    """

    _watching: asyncio.Task[None] | None = None

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        stats, settings = crawler.stats, crawler.settings
        params = self._params = params_of(crawler)
        cite = self._cite = Citations(params, spider.configuration.sources)
        self._crawler = crawler
        self.is_worker = bool(settings["SITECRAWL_COORDINATOR"])
        processes = [WorkerProcess(*each) for each in settings["SITECRAWL_WORKER_PROCESSES"] or ()]
        workers = self.workers = WorkerProcesses(processes) if processes else None
        owner = self.owner = FrontierOwner(frontier_of(crawler), spider.configuration)
        self.engine = EngineWaker(crawler)
        tasks = self.tasks = BackgroundTasks(owner, self.engine)
        options = params.document_options()
        self.delivery = Delivery(crawler, owner, options, workers is not None)
        # A coordinator sends the changes in their order, with those of its workers.
        deliver = self.delivery.send if workers is None else lambda _: None
        recorder = self.recorder = Recorder(owner, deliver, stats)
        starts = self.seed_report = SeedReport(recorder)
        robots = self.robots = RobotsFiles(params, agent(params), stats)
        self.usage_files = UsageFiles(params, robots)
        discovery = self.discovery = discovery_of(crawler, cite)
        dates = ListedPages(params, owner, recorder)
        yields = Yields(params, owner, recorder, discovery, tasks, settings=cite)
        meanings = ParameterMeanings(discovery, owner, recorder, tasks)
        knowledge = OriginKnowledge(dates, yields, meanings, owner, tasks)
        leased = LeasedOrigins(params, owner, recorder, tasks, knowledge, workers)
        self.leased = leased
        redirects = self.seed_redirects = SeedRedirects(discovery, owner)
        queues = self.queues = OriginQueues(
            params, discovery, owner, recorder, robots, leased, redirects, tasks
        )
        LoginWalls(params, leased, recorder)
        self._failures = Failures(recorder)
        self.budget = RequestBudget(params.max_pages, owner, tasks)
        self.work_sharing = WorkSharing(owner, leased, queues, self.counters)
        pages = self.page_callback = PageCallback(spider.parse, recorder, discovery)
        self.visit_requests = VisitRequests(pages.callback, queues, recorder, stats, params)
        self.listing_requests = listings = ListingRequests(
            params, discovery, owner, leased, tasks, queues, starts, stats
        )
        robots.rules_known.connect(listings.named)
        self.probes = MissingPageProbes(queues, tasks, stats, spider.read_options)
        readings = SecondReadings(queues, tasks, yields, spider.read_options)
        yields.second_reading.connect(readings.ask)
        self.passes = Passes(params, owner, leased, tasks, listings, discovery)

    @cached_property
    def login(self) -> Login | None:
        """The login by a form, which few crawls load."""
        if not self._params.logs_in:
            return None
        from sitecrawl.scheduling.login import Login  # noqa: PLC0415

        return Login(self._params, self.queues, self.tasks, self._crawler.stats)

    async def begin(self, urls: Sequence[str]) -> None:
        """Add the starts to the frontier, and lease the first origins."""
        seeds, refused = self.discovery.seeds(urls)
        for admission in refused:
            self.seed_report.refused(admission.url, admission.decision)
        self.seed_report.begin(seeds)
        await self.seed_redirects.begin(seeds)
        if self.is_worker:
            self._end_with_coordinator()
            self.leased.acquire()
        else:
            if not (self._params.contact or self._params.user_agent):
                logger.warning("%s", NO_CONTACT)
            if self._params.rogue:
                logger.warning("%s", ROGUE)
            await self.passes.begin(seeds)
        self.passes.listen()
        self.work_sharing.begin()
        if self.workers is not None and self.owner.failure is None:
            self.workers.changed.connect(self.tasks.wake)
            self.workers.begin()
            self.delivery.follow()
        self._watching = asyncio.create_task(self._watch_for_interrupt())

    def _end_with_coordinator(self) -> None:
        """End this worker process when the other end of its pipe closes."""
        lifeline = self._crawler.settings.getint("SITECRAWL_LIFELINE")
        loop = asyncio.get_running_loop()

        def end() -> None:
            loop.remove_reader(lifeline)
            os.kill(os.getpid(), signal.SIGTERM)

        loop.add_reader(lifeline, end)

    async def _watch_for_interrupt(self) -> None:
        """Stop waiting for a lost crawl database when the crawl is interrupted.

        Scrapy sends no signal before all items are processed, which may wait for the database.
        """
        while self._crawler.crawling:  # noqa: ASYNC110 -- Scrapy sends nothing
            await asyncio.sleep(WATCH_SECONDS)
        self.owner.frontier.stop_reconnecting()

    def stop_watching(self) -> None:
        """Wait for a lost crawl database again, as the end of the crawl needs it."""
        if self._watching is not None:
            self._watching.cancel()

    async def outlook(self, rate: float) -> Outlook:
        """Return the work left at a rate in pages per second; raises FrontierError.

        It takes no less time than the pauses of the slowest origin.
        """
        backlog = await self.owner.frontier.backlog()
        waiting = await self.owner.frontier.waiting_by_origin()
        held = (origin for key in waiting if (origin := self.leased.origins.get(key)))
        least, slowest = max(
            ((waiting[origin.key] * origin.last_pause, origin) for origin in held),
            key=itemgetter(0),
            default=(0.0, None),
        )
        seconds = max(backlog.waiting / rate, least) if rate else None
        slow = None
        if slowest is not None and slowest.last_pause and least >= (seconds or 0.0) / 2:
            slow = slowest.key, f"{slowest.last_pause:.3g} s by {self._cause(slowest)}"
        return Outlook(backlog.waiting, backlog.origins, seconds, slow)

    def _cause(self, origin: Origin) -> str:
        if origin.robots.failures:
            return "retries of robots.txt"
        return PAUSES.get(origin.pace.cause(origin.last_pause)) or self._cite.setting("delay")

    def counters(self) -> dict[str, Any]:
        """Return the numeric stats of this worker, and the facts that the end and ``scrapy explain``
        show. The lines of a worker process are counted by the one that writes them."""
        stats, knowledge = self._crawler.stats.get_stats(), self.leased.knowledge
        numbers = {name: each for name, each in stats.items() if isinstance(each, int | float)}
        if self.is_worker:
            numbers.pop("item_scraped_count", None)
        return {
            **numbers,
            "refusals": self.discovery.refusals.as_stored(),
            **self.leased.given_up(),
            **self.seed_report.as_stored(),
            **self._failures.as_stored(),
            "unchanged_by_dates": knowledge.dates.skipped,
            "left_out": knowledge.yields.as_stored(),
        }

    @property
    def checks_links(self) -> bool:
        """True if the crawl only looks for dead links and makes no documents."""
        return bool(self._params.mode == "check")

    def refreshed(self, visit: Visit, page: Page) -> bool:
        """Record a page that only redirects its visitors; return False for any other."""
        params = self._params
        target = refresh_target(page, delay=params.refresh_delay, min_text=params.refresh_min_text)
        if target is None:
            return False
        visit.redirected(target, self.discovery.redirect(visit.due, target))
        visit.conclusion = Outcome.REDIRECT, "refresh"
        return True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Crawl:
        """Build once for each crawl, and connect the parts to the crawl's signals."""
        crawl = cls(crawler)
        crawl.visit_requests.postponed.connect(crawl.budget.refund)
        connect = crawler.signals.connect
        connect(crawl.spider_opened, signals.spider_opened)
        connect(crawl.delivery.find_feeds, signals.spider_opened)
        connect(crawl.page_callback.dropped, signals.item_dropped)
        connect(crawl.page_callback.broken, signals.item_error)
        return crawl

    def spider_opened(self) -> None:
        """End a crawl without a database before any request.

        An earlier end would leave a traceback: Scrapy can close only what it has opened.
        """
        if self.owner.failure is not None:
            raise CloseSpider("database_error")


def crawl_of(crawler: Crawler) -> Crawl:
    """Return the crawl of a crawler; raises RuntimeError if the extension is not enabled."""
    crawl = crawler.get_extension(Crawl)
    if crawl is None:
        raise RuntimeError("the extension sitecrawl.extensions.crawl.Crawl is not enabled")
    return crawl


def frontier_of(crawler: Crawler) -> Frontier:
    """Return the frontier of a crawl."""
    spider: Any = crawler.spider
    params, settings = params_of(crawler), crawler.settings
    options = replace(
        params.state_options(),
        key=spider.rules.key,
        owner=settings["SITECRAWL_OWNER"] or "",
        delivered_by=settings["SITECRAWL_COORDINATOR"] or "",
        crawls=not settings.get("SITECRAWL_WORKER_PROCESSES"),
    )
    return open_frontier(database_url(settings["SITECRAWL_DATABASE"], params), options)


def discovery_of(crawler: Crawler, cite: Citations) -> Discovery:
    """Return the discovery of links by the rules of the crawl's spider."""
    spider: Any = crawler.spider
    params = params_of(crawler)
    return Discovery(
        spider.rules,
        spider.limits,
        RedirectChains.build(cite),
        crawler.stats,
        follows=params.follows,
        stores_links=params.store_links != "none",
        stores_outside=params.store_links in {"outside", "assets"},
        logged=POLICIES if params.log_blocked else frozenset(),
    )
