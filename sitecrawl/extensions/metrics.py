"""Export the metrics of a crawl to Prometheus: a text file, a port on loopback, or both."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from sitecrawl.components import Component, params_of
from sitecrawl.config.assembly import database_url
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.extensions.crawl_ending import ending_of
from sitecrawl.frontier.base import FrontierError, VisitResult
from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.opening import open_change_log, open_records
from sitecrawl.frontier.records import SiteCounts
from sitecrawl.policy.outcomes import READ
from sitecrawl.statuses import SUCCESSES
from sitecrawl.web.urls.identity import DEFAULT_REALM

if TYPE_CHECKING:
    from sitecrawl.extensions.metric_families import CrawlMeasurements

LOOPBACK = "127.0.0.1"
MIN_SECONDS = 0.1
RECENT_RUNS = 100

logger = logging.getLogger(__name__)


class Metrics(Component):
    """Metrics that are renewed at intervals, and when the run begins and ends.

    The file is replaced atomically. Neither a file that cannot be written nor a port that is taken
    ends the crawl; each is logged once.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings, params = crawler.settings, params_of(crawler)
        path, self._port = settings["SITECRAWL_METRICS"], settings.getint("SITECRAWL_METRICS_PORT")
        if not (path or self._port):
            raise NotConfigured
        name, self._realm = params.database_name, params.realm
        self._path = path.replace("NAME", name)
        self._seconds = max(settings.getfloat("SITECRAWL_STATISTICS_SECONDS"), MIN_SECONDS)
        self._url = database_url(settings["SITECRAWL_DATABASE"], params)
        families: Any = import_module("sitecrawl.extensions.metric_families")
        self._exposition: Any = import_module("prometheus_client.exposition")
        self._collector = families.CrawlCollector()
        crawl = name if params.realm == DEFAULT_REALM else f"{name}/{params.realm}"
        self._now: CrawlMeasurements = families.CrawlMeasurements(
            crawl, {}, time.time(), running=True
        )
        self._read_at: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._server: Any = None
        self._unwritable = False
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    def spider_opened(self) -> None:
        """Open the port, and begin to measure."""
        crawl = crawl_of(self._crawler)
        crawl.recorder.visit_committed.connect(self._note)
        if self._port:
            try:
                self._server, _ = self._exposition.start_http_server(
                    self._port, LOOPBACK, self._collector.registry
                )
            except OSError as error:
                text = "SITECRAWL_METRICS_PORT: %s:%d cannot be opened: %s"
                logger.error(text, LOOPBACK, self._port, error.strerror)
        self._task = asyncio.create_task(self._watch())

    def _note(self, visit: VisitResult) -> None:
        if visit.outcome in READ:
            self._read_at[visit.due.origin] = visit.started_at

    async def _watch(self) -> None:
        if crawl_of(self._crawler).owner.failure is None:
            await self._count_stored()
        while True:
            await self._measure()
            await asyncio.sleep(self._seconds)

    async def _measure(self) -> None:
        crawl = crawl_of(self._crawler)
        with suppress(FrontierError):  # a more important call will report the same error
            counters = await crawl.work_sharing.counters()
            waiting = await crawl.owner.frontier.backlog()
            states = {
                "waiting": waiting.origins,
                "leased": len(crawl.leased.origins),
                "given_up": len(counters["given_up"]),
            }
            waits = waiting.waiting
            self._now = replace(self._now, stats=counters, waiting=waits, origins=states)
        await self._publish()

    async def _count_stored(self) -> None:
        with suppress(FrontierError):
            sites, targets, success_at = await asyncio.to_thread(self._stored)
            success_at = self._now.success_at or success_at
            self._now = replace(self._now, sites=sites, targets=targets, success_at=success_at)

    def _stored(self) -> tuple[Sequence[SiteCounts], Sequence[TargetLag], float | None]:
        with open_records(self._url) as records:
            sites = records.site_counts(self._realm)
            runs = records.runs(self._realm, RECENT_RUNS)
        with open_change_log(self._url) as log:
            targets = log.targets()
        ends = (
            run.finished_at
            for run in runs
            if run.finished_at and run.counters.get("sitecrawl/exit_status") in SUCCESSES
        )
        return sites, targets, next(ends, None)

    async def _publish(self) -> None:
        sites = [
            replace(site, read_at=max(site.read_at, self._read_at.get(site.key, 0.0)))
            for site in self._now.sites
        ]
        self._collector.measurements = replace(self._now, sites=sites)
        if self._path:
            await asyncio.to_thread(self._write)

    def _write(self) -> None:
        try:
            self._exposition.write_to_textfile(self._path, self._collector.registry)
        except OSError as error:
            if not self._unwritable:
                text = "SITECRAWL_METRICS: %s cannot be written: %s"
                logger.error(text, self._path, error.strerror)
            self._unwritable = True

    async def engine_stopped(self) -> None:
        """Write the last state once everything else is written, and close the port."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        end = ending_of(self._crawler)
        ending = end.result
        states = {
            "waiting": self._now.origins.get("waiting", 0) if ending.waiting else 0,
            "leased": 0,
            "given_up": len(end.counters.get("given_up", ())),
        }
        self._now = replace(
            self._now,
            origins=states,
            stats=end.counters or dict(self._crawler.stats.get_stats()),
            running=False,
            waiting=ending.waiting,
            exit_status=ending.status,
            failed_starts=len(ending.failed_starts),
            success_at=time.time() if ending.is_normal else None,
        )
        await self._count_stored()
        await self._publish()
        if self._server is not None:
            await asyncio.to_thread(self._server.shutdown)
            self._server.server_close()
