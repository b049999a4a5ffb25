"""Keep the targets of the option ``sync`` equal while the crawl runs, a process for each."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl import typed_program
from sitecrawl.config.assembly import database_url
from sitecrawl.sync.beside_crawl import SyncOutcome, SyncTask
from sitecrawl.sync.target import shown_target, target_options
from sitecrawl.web.urls.identity import DEFAULT_REALM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

LAST_PASS_SECONDS = 600  # after the end of the crawl

logger = logging.getLogger(__name__)


class SyncProcesses:
    """Starts the processes with the crawl, and ends them after its last change.

    The crawl never waits for them, except at its very end; nothing that they do makes it fail.
    """

    def __init__(self, tasks: Sequence[SyncTask]) -> None:
        self._tasks = tasks
        self._running: list[tuple[Process, asyncio.Task[None]]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SyncProcesses:
        """Read the targets; raises NotConfigured without any."""
        spider: Any = crawler.spider
        params = spider.configuration.params
        if not params.sync:
            raise NotConfigured
        url = database_url(crawler.settings["SITECRAWL_DATABASE"], params)
        realm = params.realm if params.realm != DEFAULT_REALM else None
        options = target_options(params)
        extension = cls([SyncTask(url, uri, realm, options) for uri in params.sync])
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    async def spider_opened(self) -> None:
        """Start a process for each target."""
        for task in self._tasks:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "sitecrawl.sync.beside_crawl"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
            )
            assert process.stdin is not None
            process.stdin.write(task.written().encode())
            self._running.append((process, asyncio.create_task(_report_end(task.uri, process))))

    async def engine_stopped(self) -> None:
        """End every process after a last pass; all changes are in the crawl database by now."""
        for process, _ in self._running:
            assert process.stdin is not None
            process.stdin.close()
        reports = [report for _, report in self._running]
        if reports:
            await asyncio.wait(reports, timeout=LAST_PASS_SECONDS)
        for process, report in self._running:
            if process.returncode is None:
                process.kill()
            await report


async def _report_end(uri: str, process: Process) -> None:
    """Read what a process writes until it ends, and log how its target stands."""
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
    await process.wait()
    name = shown_target(uri)
    try:
        outcome = SyncOutcome(**json.loads(output.rpartition(b"\n")[2]))
    except ValueError:
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2] or "it was killed."
        outcome = SyncOutcome(error=f"The process ended with status {process.returncode}: {last}")
    for line in outcome.lines:
        logger.warning("sync: %s", line)
    if outcome.error:
        logger.error("sync: %s Later: %s sync %s", outcome.error, typed_program(), name)
    elif outcome.busy:
        logger.info("sync: %s is left to the process of another worker, which goes on.", name)
    elif outcome.refused:
        logger.warning(
            "sync: %s refused %d documents; %s frontier refused lists them.",
            name,
            outcome.refused,
            typed_program(),
        )
    else:
        logger.info("sync: %s has every change.", name)
