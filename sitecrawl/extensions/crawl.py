"""Build the parts of a crawl, and end them in the right order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CloseSpider, DontCloseSpider

from sitecrawl.config.assembly import agent, database_url
from sitecrawl.config.rules_from_options import Citations
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.page_callback import PageCallback
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.run_summary import (
    MAX_STARTS,
    Failures,
    LogLine,
    Outlook,
    RunEnding,
    RunSummary,
    SlowOrigin,
    dead_link_lines,
    describe_failures,
    placeholder_lines,
    textless_document_lines,
)
from sitecrawl.crawl.seeds import SeedRedirects, SeedReport
from sitecrawl.frontier import open_frontier
from sitecrawl.frontier.base import FrontierError, Outcome
from sitecrawl.http.fetch_errors import ARCHIVE_FAILED
from sitecrawl.output.delivery import Delivery
from sitecrawl.policy.documents.obedience import refresh_target
from sitecrawl.policy.http.redirects import RedirectChains
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.engine_waker import EngineWaker
from sitecrawl.scheduling.fetch_outcomes import VisitRequests
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.listed_pages import ListedPages, unchanged_lines
from sitecrawl.scheduling.listing_requests import ListingRequests
from sitecrawl.scheduling.missing_page_probes import MissingPageProbes
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.scheduling.passes import Passes
from sitecrawl.scheduling.request_budget import RequestBudget
from sitecrawl.scheduling.robots_files import RobotsFiles
from sitecrawl.scheduling.work_sharing import WorkSharing
from sitecrawl.scheduling.worker_processes import WorkerProcess, WorkerProcesses
from sitecrawl.scheduling.yields import Yields, left_out_lines
from sitecrawl.statuses import DATABASE_ERROR, DONE, NO_RESULT, STARTS_FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.visit import Visit
    from sitecrawl.frontier.base import Change
    from sitecrawl.frontier.state_options import StateOptions
    from sitecrawl.policy.documents.placeholders import Placeholder
    from sitecrawl.scheduling.origin import Origin
    from sitecrawl.web.html.page import Page

NO_CONTACT = (
    "No contact is set: whoever runs the site cannot reach you. Give a web page or mail address "
    "with -a contact=..."
)
ROGUE = "The robots exclusion standard is ignored: robots.txt and the robots directives of pages."
LIMIT = "closespider_"  # Scrapy's CLOSESPIDER_... settings
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

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        stats = crawler.stats
        params = spider.configuration.params
        url = database_url(crawler.settings["SITECRAWL_DATABASE"], params)
        self._crawler = crawler
        self._watching: asyncio.Task[None] | None = None
        self._stats = stats
        self._finish_reason = "shutdown"
        self._collected = self._unstored = False
        self.counters: dict[str, Any] = {}
        self.ending = RunEnding(DATABASE_ERROR, self._finish_reason, 0)
        self._params = params
        self._cite = Citations(params, spider.configuration.sources)
        settings = crawler.settings
        self.workers = workers_of(settings)
        self._is_worker = bool(settings["SITECRAWL_COORDINATOR"])
        options = replace(
            state_of(params),
            key=spider.rules.key,
            owner=settings["SITECRAWL_OWNER"] or "",
            delivered_by=settings["SITECRAWL_COORDINATOR"] or "",
            crawls=self.workers is None,
        )
        self.owner = FrontierOwner(open_frontier(url, options), spider.configuration)
        self.engine = EngineWaker(crawler)
        self.tasks = BackgroundTasks(self.owner, self.engine)
        self.delivery = Delivery(
            crawler,
            self.owner,
            params.document_options(),
            of_workers=self.workers is not None,
        )
        deliver = self.delivery.send if self.workers is None else leave_to_collection
        self.recorder = Recorder(self.owner, deliver, stats)
        self.seed_report = SeedReport(self.recorder)
        self.robots = RobotsFiles(params, agent(params), stats)
        self.discovery = Discovery(
            spider.rules,
            spider.limits,
            RedirectChains.build(self._cite),
            stats,
            follow=params.follows,
            stores_links=params.store_links != "none",
            stores_outside=params.store_links in {"outside", "assets"},
            logged=POLICIES if params.log_blocked else frozenset(),
        )
        self.listed_pages = ListedPages(params, self.owner, self.recorder, self.tasks)
        self.yields = Yields(
            params,
            self.owner,
            self.recorder,
            self.discovery,
            self.tasks,
            settings=Citations(params, spider.configuration.sources),
        )
        self.leased = LeasedOrigins(
            params,
            self.owner,
            self.recorder,
            self.tasks,
            listed_pages=self.listed_pages,
            yields=self.yields,
            workers=self.workers,
        )
        self.seed_redirects = SeedRedirects(self.discovery, self.owner)
        self.queues = OriginQueues(
            params,
            self.discovery,
            self.owner,
            self.recorder,
            robots=self.robots,
            leased=self.leased,
            listed_pages=self.listed_pages,
            yields=self.yields,
            seed_redirects=self.seed_redirects,
            seed_report=self.seed_report,
            tasks=self.tasks,
        )
        if self.workers is not None:
            self.workers.changed.connect(self.tasks.wake)
        self.summary = RunSummary(
            stats,
            self.discovery,
            self.leased,
            self.seed_report,
            failures=Failures(self.recorder),
            listed_pages=self.listed_pages,
            yields=self.yields,
            writes_output=not self._is_worker,
        )
        self.budget = RequestBudget(params.max_pages, self.owner, self.tasks)
        self.work_sharing = WorkSharing(self.owner, self.leased, self.queues, self.summary)
        self.page_callback = PageCallback(spider.parse, self.recorder, self.discovery)
        self.visit_requests = VisitRequests(
            self.page_callback.callback,
            self.queues,
            self.recorder,
            stats,
            params,
        )
        self.listing_requests = ListingRequests(
            self.discovery,
            self.owner,
            self.leased,
            self.tasks,
            queues=self.queues,
            robots=self.robots,
            listed_pages=self.listed_pages,
            seed_report=self.seed_report,
            stats=stats,
            params=params,
        )
        self.probes = MissingPageProbes(self.queues, self.tasks, stats, spider.read_options)
        self.passes = Passes(
            params,
            self.owner,
            self.leased,
            self.tasks,
            self.listing_requests,
            discovery=self.discovery,
        )

    async def begin(self, urls: Sequence[str]) -> None:
        """Add the starts to the frontier, and lease the first origins."""
        seeds, refused = self.discovery.seeds(urls)
        for admission in refused:
            self.seed_report.refused(admission.url, admission.decision)
        self.seed_report.begin(seeds)
        await self.seed_redirects.begin(seeds)
        if self._is_worker:
            self._end_with_coordinator()
            self.leased.acquire()
        else:
            self._warn()
            await self.passes.begin(seeds)
        self.passes.listen()
        self.work_sharing.begin()
        if self.workers is not None and self.owner.failure is None:
            self.workers.begin()
            self.delivery.follow()
        self._watching = asyncio.create_task(self._watch_for_interrupt())

    def _warn(self) -> None:
        if not (self._params.contact or self._params.user_agent):
            logger.warning("%s", NO_CONTACT)
        if self._params.rogue:
            logger.warning("%s", ROGUE)

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

    async def outlook(self, rate: float) -> Outlook:
        """Return the work left at a rate in pages per second; raises FrontierError."""
        backlog = await self.owner.frontier.backlog()
        waiting = await self.owner.frontier.waiting_by_origin()
        held = (self.leased.origins.get(key) for key in waiting)
        slowest = max(
            (self._slow_origin(origin, waiting[origin.key]) for origin in held if origin),
            key=lambda slow: slow.seconds,
            default=None,
        )
        return Outlook.of(backlog.waiting, backlog.origins, rate, slowest)

    def _slow_origin(self, origin: Origin, waiting: int) -> SlowOrigin:
        pause = origin.last_pause
        cause = origin.pace.cause(pause)
        words = PAUSES.get(cause) or self._cite.setting("delay")
        if origin.robots.failures:
            words = "retries of robots.txt"
        return SlowOrigin(origin.key, waiting, pause, words)

    def stood_in(self, visit: Visit, placeholder: Placeholder) -> None:
        """Conclude the visit of a page that has no content of its own."""
        visit.concluded(placeholder.outcome, placeholder.kind)
        visit.described(placeholder.detail)

    @property
    def checks_links(self) -> bool:
        """True if the crawl only looks for dead links and makes no documents."""
        return bool(self._params.mode == "check")

    def checked(self, visit: Visit) -> None:
        """Conclude the visit of a page that was read only for its links."""
        visit.concluded(Outcome.FILE_INGESTED, "checked")

    def refreshed(self, visit: Visit, page: Page) -> bool:
        """Record a page that only redirects its visitors; return False for any other."""
        params = self._params
        target = refresh_target(page, delay=params.refresh_delay, min_text=params.refresh_min_text)
        if target is None:
            return False
        visit.redirected(target, self.discovery.redirect(visit.due, target))
        visit.concluded(Outcome.REDIRECT, "refresh")
        return True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Crawl:
        """Build once for each crawl, and connect the parts to the crawl's signals."""
        crawl = cls(crawler)
        connect = crawler.signals.connect
        connect(crawl.spider_opened, signals.spider_opened)
        connect(crawl.delivery.find_feeds, signals.spider_opened)
        connect(crawl.spider_closed, signals.spider_closed)
        connect(crawl.spider_idle, signals.spider_idle)
        connect(crawl.engine_stopped, signals.engine_stopped)
        connect(crawl.page_callback.dropped, signals.item_dropped)
        connect(crawl.page_callback.broken, signals.item_error)
        connect(crawl.feeds_closed, signals.feed_exporter_closed)
        return crawl

    def spider_opened(self) -> None:
        """End a crawl without a database before any request.

        An earlier end would leave a traceback: Scrapy can close only what it has opened.
        """
        if self.owner.failure is not None:
            raise CloseSpider("database_error")

    def spider_idle(self) -> None:
        """Deliver the changes that dead workers left undelivered, before the crawl ends."""
        if self._collected or self.owner.failure is not None:
            return
        self._collected = True
        self.tasks.begin(self.delivery.collect())
        raise DontCloseSpider

    async def spider_closed(self, reason: str) -> None:
        """Write and deliver the remaining lines; the feeds wait for it before they are stored."""
        self._finish_reason = reason
        self._unstored = reason == ARCHIVE_FAILED
        self.passes.end()
        await self._end_workers()
        await self.work_sharing.end()
        if self._watching is not None:
            self._watching.cancel()
        try:
            await self.recorder.flush_all()
            await self._save_origins()
            await self.budget.end()
        finally:
            await self.delivery.complete(finished=self._has_finished)
        try:
            ending = await self._end()
        except FrontierError as error:
            self.owner.fail(error)
            ending = self.ending
        self._set_ending(ending)

    def _set_ending(self, ending: RunEnding) -> None:
        """Set the end of the run; its output may have failed before or after it was known."""
        if self._unstored and ending.status != DATABASE_ERROR:
            ending = replace(ending, status=NO_RESULT)
        self.ending = ending
        self._stats.set_value("sitecrawl/exit_status", ending.status)

    async def _end_workers(self) -> None:
        """End the worker processes that still run, and send their last changes."""
        if self.workers is not None and self.owner.failure is None:
            await self.workers.end()
            await self.delivery.end_following()

    async def feeds_closed(self) -> None:
        """Mark the lines that have arrived; a crawl without its output has failed."""
        stored = await self.delivery.feeds_closed()
        if not stored and self.owner.failure is None:
            self._unstored = True
            self._set_ending(self.ending)

    @property
    def _has_finished(self) -> bool:
        """Return True if the crawl ended by itself or at one of its limits, not by a signal."""
        return self._finish_reason == "finished" or self._finish_reason.startswith(LIMIT)

    async def _save_origins(self) -> None:
        try:
            await self.leased.save_all()
        except FrontierError as error:
            self.owner.fail(error)

    async def _end(self) -> RunEnding:
        """Return the end of the run; raises FrontierError."""
        if self.owner.failure is not None:
            return RunEnding(self.owner.status, self._finish_reason, 0)
        report, frontier = self.seed_report, self.owner.frontier
        counters = self.counters = await self.work_sharing.counters()
        self._combine(counters)
        await report.load_results(frontier, counters)
        failed_starts = list(report.problems().values())
        written = counters.get("item_scraped_count", 0)
        empty = not (written or self.checks_links or await frontier.has_documents())
        waiting = (await frontier.backlog()).waiting
        status = STARTS_FAILED if failed_starts else DONE
        if empty or report.read_nothing(counters, failed_starts):
            status = NO_RESULT
        if waiting and self.workers is not None:
            status = self.workers.failure or status
        max_pages = self._params.max_pages
        return RunEnding(
            status,
            self._finish_reason,
            waiting,
            failed_starts,
            report.starts,
            report.no_document(counters) if empty else "",
            describe_failures(counters["failed_pages"]),
            counters["given_up"],
            f"max_pages {max_pages}" if max_pages else "",
            await frontier.out_of_budget(),
            self._params.max_pages_per_day,
            [] if self._is_worker else await self._findings(counters),
        )

    def _combine(self, counters: Mapping[str, Any]) -> None:
        """Set the stats to what all workers of the run have met, if this process started them."""
        if self.workers is not None:
            for name, value in counters.items():
                if isinstance(value, int | float):
                    self._stats.set_value(name, value)

    async def _findings(self, counters: Mapping[str, Any]) -> list[LogLine]:
        """Return what all workers of the run have met, as lines; raises FrontierError."""
        links = await self.owner.frontier.dead_links() if self.checks_links else None
        return [
            *(() if links is None else dead_link_lines(links)),
            *placeholder_lines(counters["placeholder_pages"]),
            *textless_document_lines(counters["textless_documents"]),
            *unchanged_lines(counters["unchanged_by_dates"]),
            *left_out_lines(counters["left_out"]),
        ]

    async def engine_stopped(self) -> None:
        """End the run and store its counters; the feeds are stored by now."""
        counters = self.summary.counters()
        if self.workers is not None:  # the stats are those of all workers by now
            counters = {"sitecrawl/exit_status": self.ending.status}
        counters |= {"failed_starts": list(self.ending.failed_starts[:MAX_STARTS])}
        if self._has_finished and self.ending.is_normal:
            await self.delivery.end()
        await self.owner.close(self._finish_reason, counters)


def leave_to_collection(_: Change) -> None:
    """Do nothing with a change: the coordinator sends it in its order, with those of the workers."""


def workers_of(settings: BaseSettings) -> WorkerProcesses | None:
    """Return the worker processes that this process has started, if any."""
    processes = settings.get("SITECRAWL_WORKER_PROCESSES")
    if not processes:
        return None
    return WorkerProcesses([WorkerProcess(*each) for each in processes])


def crawl_of(crawler: Crawler) -> Crawl:
    """Return the crawl of a crawler; raises RuntimeError if the extension is not enabled."""
    crawl = crawler.get_extension(Crawl)
    if crawl is None:
        raise RuntimeError("the extension sitecrawl.extensions.crawl.Crawl is not enabled")
    return crawl


def state_of(params: CrawlParams) -> StateOptions:
    """Return the options of the crawl's state; a check of links visits every page each time."""
    options = replace(params.state_options(), activity=params.considers, delay=params.delay)
    options = replace(options, reading=params.reading, following=params.following)
    return replace(options, force=True) if params.mode == "check" else options
