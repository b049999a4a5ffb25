"""Processes of `scrapy crawls`: one for each crawl, a bounded number at a time, in one log."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

from sitecrawl.console.terminal import print_errors
from sitecrawl.statuses import (
    ALREADY_RUNNING,
    BAD_USAGE,
    DATABASE_ERROR,
    DONE,
    INTERRUPTED,
    NO_RESULT,
    STARTS_FAILED,
)

SEVERITY = (DONE, ALREADY_RUNNING, STARTS_FAILED, NO_RESULT, BAD_USAGE, DATABASE_ERROR)
"""Exit statuses from harmless to bad; any other, such as that of a killed process, is worse."""
FORWARDED = {
    signal.SIGINT: signal.SIGINT,
    signal.SIGTERM: signal.SIGTERM,
    signal.SIGHUP: signal.SIGTERM,  # which would kill a crawl
}
"""Signals that end this process, each with the one that the crawls get."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """Exit status and duration of a crawl that was started."""

    crawl: str
    status: int
    seconds: float


def worst_status(statuses: Iterable[int]) -> int:
    """Return the status that stands for all."""
    return max(statuses, key=[*SEVERITY, *range(256)].index, default=DONE)


@dataclass(frozen=True, slots=True)
class CrawlJob:
    """A crawl to run: its name, its command line, and the hosts of its starts."""

    name: str
    command: Sequence[str]
    hosts: frozenset[str]


class CrawlJobs:
    """Runs crawls, a bounded number at a time, and never two with a start on the same host.

    Signals that end this process end the crawls. Each has a session of its own, so that Ctrl-C
    reaches it once, from here.
    """

    def __init__(self, jobs: Iterable[CrawlJob], count: int) -> None:
        self._waiting = list(jobs)
        self._count = count
        self._running: list[subprocess.Popen[str]] = []
        self._stopping = Event()

    def run(self) -> list[JobResult]:
        """Run all to the end; return the results of those that were started."""
        heard = [each for each in FORWARDED if signal.getsignal(each) != signal.SIG_IGN]  # nohup
        before = {each: signal.signal(each, self._stop) for each in heard}
        results: list[JobResult] = []
        running: dict[Future[JobResult], CrawlJob] = {}
        try:
            with ThreadPoolExecutor(self._count) as pool:
                while (job := self._ready(running.values())) or running:
                    if job:
                        self._waiting.remove(job)
                        running[pool.submit(self._run, job)] = job
                        continue
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    results += [each.result() for each in done]
                    running = {each: own for each, own in running.items() if each not in done}
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return results

    def _ready(self, running: Collection[CrawlJob]) -> CrawlJob | None:
        if self._stopping.is_set() or len(running) == self._count:
            return None
        busy = {host for each in running for host in each.hosts}
        return next((job for job in self._waiting if not job.hosts & busy), None)

    def _stop(self, number: int, _: object) -> None:
        self._stopping.set()
        for process in list(self._running):
            process.send_signal(FORWARDED[signal.Signals(number)])

    def _run(self, job: CrawlJob) -> JobResult:
        if self._stopping.is_set():
            return JobResult(job.name, INTERRUPTED, 0.0)
        began = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 -- this program's own command
            job.command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._running.append(process)
        if self._stopping.is_set():  # the signal may have come before the process was in the list
            process.terminate()
        print_errors([f"[{job.name}] begins"])
        with process:
            for line in process.stderr or ():
                print_errors([f"[{job.name}] {line.rstrip()}"])
            code = process.wait()
        self._running.remove(process)
        status = code if code >= 0 else 128 - code  # as in shells
        seconds = time.monotonic() - began
        print_errors([f"[{job.name}] ended with status {status} after {seconds:.0f} s"])
        return JobResult(job.name, status, round(seconds, 3))
