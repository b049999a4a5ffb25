"""End a crawl: write and deliver what remains, in the right order, and state how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider

from sitecrawl.components import Component, params_of
from sitecrawl.crawl.run_summary import (
    MAX_STARTS,
    LogLine,
    RunEnding,
    describe_failures,
    finding_lines,
    held_lines,
    known_view_lines,
)
from sitecrawl.extensions.crawl import Crawl, crawl_of
from sitecrawl.scheduling.listed_pages import unchanged_lines
from sitecrawl.scheduling.yields import left_out_lines
from sitecrawl.statuses import DATABASE_ERROR, DONE, MAX_PAGES, NO_RESULT, STARTS_FAILED


class CrawlEnding(Component):
    """The end of a crawl; ``counters`` are those of all workers, empty before it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.counters: dict[str, Any] = {}
        self.result = RunEnding(DATABASE_ERROR, "shutdown", 0)
        self._params = params_of(crawler)
        self._stats = crawler.stats
        self._finish_reason = "shutdown"
        self._collected = self._unstored = False
        connect = crawler.signals.connect
        connect(self.spider_idle, signals.spider_idle)
        connect(self.spider_closed, signals.spider_closed)
        connect(self.feeds_closed, signals.feed_exporter_closed)
        connect(self.engine_stopped, signals.engine_stopped)

    @property
    def _crawl(self) -> Crawl:
        return crawl_of(self._crawler)

    def spider_idle(self) -> None:
        """Deliver the changes that dead workers left undelivered, before the crawl ends."""
        if not self._collected and self._crawl.owner.failure is None:
            self._collected = True
            self._crawl.tasks.begin(self._crawl.delivery.collect())
            raise DontCloseSpider
        if self._crawl.budget.is_exhausted:
            raise CloseSpider(MAX_PAGES)

    async def spider_closed(self, reason: str) -> None:
        """Write and deliver the remaining lines; the feeds wait for it before they are stored."""
        self._finish_reason = reason
        self._crawl.passes.end()
        if self._crawl.workers is not None and self._crawl.owner.failure is None:
            await self._crawl.workers.end()
            await self._crawl.delivery.end_following()
        await self._crawl.work_sharing.end()
        self._crawl.stop_watching()
        try:
            await self._crawl.recorder.flush_all()
            with self._crawl.owner.failures_end_crawl():
                await self._crawl.leased.save_all()
            await self._crawl.budget.end()
        finally:
            await self._crawl.delivery.complete(finished=self._has_finished)
        ending = self.result
        with self._crawl.owner.failures_end_crawl():
            ending = await self._end()
        self._set(ending)

    def _set(self, ending: RunEnding) -> None:
        """Set the end of the run; its output may have failed before or after it was known."""
        if self._unstored and ending.status != DATABASE_ERROR:
            ending = replace(ending, status=NO_RESULT)
        self.result = ending
        self._stats.set_value("sitecrawl/exit_status", ending.status)

    async def feeds_closed(self) -> None:
        """Mark the lines that have arrived; a crawl without its output has failed."""
        stored = await self._crawl.delivery.feeds_closed()
        if not stored and self._crawl.owner.failure is None:
            self._unstored = True
            self._set(self.result)

    @property
    def _has_finished(self) -> bool:
        return self._finish_reason.startswith(("finished", MAX_PAGES, "closespider_"))

    async def _end(self) -> RunEnding:
        if self._crawl.owner.failure is not None:
            return RunEnding(self._crawl.owner.status, self._finish_reason, 0)
        report, frontier = self._crawl.seed_report, self._crawl.owner.frontier
        counters = self.counters = await self._crawl.work_sharing.counters()
        if self._crawl.workers is not None:  # the stats become those of all workers
            for name, value in counters.items():
                if isinstance(value, int | float):
                    self._stats.set_value(name, value)
        self._unstored |= any(name.startswith("sitecrawl/stopped/") for name in counters)
        await report.load_results(frontier, counters)
        failed_starts = list(report.problems().values())
        written = counters.get("item_scraped_count", 0)
        empty = not (written or self._crawl.checks_links or await frontier.has_documents())
        waiting = (await frontier.backlog()).waiting
        status = STARTS_FAILED if failed_starts else DONE
        if empty or report.read_nothing(counters, failed_starts):
            status = NO_RESULT
        if waiting and self._crawl.workers is not None:
            status = self._crawl.workers.failure or status
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
            [] if self._crawl.is_worker else await self._findings(counters),
        )

    async def _findings(self, counters: Mapping[str, Any]) -> list[LogLine]:
        """Return what all workers of the run have met, as lines; raises FrontierError."""
        links = await self._crawl.owner.frontier.dead_links() if self._crawl.checks_links else None
        return [
            *held_lines(counters.get("sitecrawl/changes_held", 0)),
            *finding_lines(counters, links),
            *unchanged_lines(counters["unchanged_by_dates"]),
            *known_view_lines(counters),
            *left_out_lines(counters["left_out"]),
        ]

    async def engine_stopped(self) -> None:
        """End the run and store its counters; the feeds are stored by now."""
        counters = self._crawl.counters()
        if self._crawl.workers is not None:  # the stats are those of all workers by now
            counters = {"sitecrawl/exit_status": self.result.status}
        counters |= {"failed_starts": list(self.result.failed_starts[:MAX_STARTS])}
        if self._has_finished and self.result.is_normal:
            await self._crawl.delivery.end()
        await self._crawl.owner.close(self._finish_reason, counters)


def ending_of(crawler: Crawler) -> CrawlEnding:
    """Return the end of a crawl; raises RuntimeError if the extension is not enabled."""
    ending = crawler.get_extension(CrawlEnding)
    if ending is None:
        raise RuntimeError("the extension sitecrawl.extensions.crawl_ending.CrawlEnding is missing")
    return ending
