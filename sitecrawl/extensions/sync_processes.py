"""Keep the targets of the option ``sync`` equal while the crawl runs, a process for each."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl.config.assembly import database_url
from sitecrawl.sync.beside_crawl import SyncOutcome, SyncTask
from sitecrawl.sync.target import shown_target, target_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

LAST_PASS_SECONDS = 600  # after the end of the crawl
DEFAULT_REALM = "default"

logger = logging.getLogger(__name__)


class SyncProcesses:
    """Starts the processes with the crawl, and ends them after its last change.

    The crawl never waits for them, except at its very end; nothing that they do makes it fail.
    """

    def __init__(self, tasks: Sequence[SyncTask]) -> None:
        self._tasks = tasks
        self._running: list[tuple[subprocess.Popen[str], asyncio.Task[None]]] = []

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

    def spider_opened(self) -> None:
        """Start a process for each target."""
        for task in self._tasks:
            process = subprocess.Popen(
                [sys.executable, "-m", "sitecrawl.sync.beside_crawl"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert process.stdin is not None
            process.stdin.write(task.written())
            process.stdin.flush()
            self._running.append((process, asyncio.create_task(_report_end(task.uri, process))))

    async def engine_stopped(self) -> None:
        """End every process after a last pass; all changes are in the crawl database by now."""
        for process, _ in self._running:
            _close_input(process)
        reports = [report for _, report in self._running]
        if reports:
            await asyncio.wait(reports, timeout=LAST_PASS_SECONDS)
        for process, report in self._running:
            if process.poll() is None:
                process.kill()
            await report


async def _report_end(uri: str, process: subprocess.Popen[str]) -> None:
    """Wait for the end of a process, and log how its target stands."""
    while process.poll() is None:  # noqa: ASYNC110 - a process sends no event
        await asyncio.sleep(0.1)
    assert process.stdout is not None
    assert process.stderr is not None
    name, output, errors = shown_target(uri), process.stdout.read(), process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    try:
        outcome = SyncOutcome(**json.loads(output))
    except ValueError:
        last = errors.strip().rpartition("\n")[2] or "it was killed"
        outcome = SyncOutcome(error=f"The process ended with status {process.returncode}: {last}")
    if outcome.error:
        logger.error("sync: %s Later: scrapy sync %s", outcome.error, name)
    elif outcome.refused:
        logger.warning(
            "sync: %s refused %d documents; scrapy frontier refused lists them.",
            name,
            outcome.refused,
        )
    else:
        logger.info("sync: %s has every change.", name)


def _close_input(process: subprocess.Popen[str]) -> None:
    """Tell a process that the crawl has ended."""
    assert process.stdin is not None
    try:
        process.stdin.close()
    except BrokenPipeError:
        logger.debug("A process of sync had ended before.")
