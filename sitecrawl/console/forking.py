"""Forking of the worker processes of ``scrapy crawl -a workers=N``."""

from __future__ import annotations

import os
import signal
import sys

from scrapy.settings import BaseSettings

from sitecrawl.frontier.leases import new_worker

PRIORITY = 100  # above that of the command line
LOG_FORMAT = "%(levelname)s|%(name)s|%(message)s"
NOT_OF_WORKERS = (
    "scrapy.extensions.closespider.CloseSpider",
    "sitecrawl.extensions.ignored_settings.IgnoredSettings",
    "sitecrawl.extensions.configuration_changes.ConfigurationChanges",
    "sitecrawl.extensions.progress_log.Progress",
    "sitecrawl.extensions.progress_log.ProgressLog",
    "sitecrawl.extensions.metrics.Metrics",
    "sitecrawl.extensions.log_messages.JsonLog",
)
"""Extensions that see the whole crawl."""


def fork_workers(settings: BaseSettings, count: int) -> None:
    """Fork the workers; each returns from here once the crawl has begun, with settings of its own.

    Call it before an event loop is made. The settings name the other end of each process's pipes.
    """
    coordinator = new_worker()
    processes: list[tuple[int, int, int, int]] = []
    for number in range(1, count + 1):
        log, log_in = os.pipe()
        lifeline, lifeline_in = os.pipe()
        pid = os.fork()
        if pid == 0:
            for _, _, other_log, other_lifeline in processes:
                os.close(other_log)
                os.close(other_lifeline)
            os.close(log)
            os.close(lifeline_in)
            _become_worker(settings, coordinator, log_in, lifeline)
            return
        os.close(log_in)
        os.close(lifeline)
        processes.append((number, pid, log, lifeline_in))
    settings.set("SITECRAWL_OWNER", coordinator, PRIORITY)
    settings.set("SITECRAWL_WORKER_PROCESSES", processes, PRIORITY)


def _become_worker(settings: BaseSettings, coordinator: str, log: int, lifeline: int) -> None:
    """Turn this process into a worker: its log goes to the pipe, its lines to the database."""
    os.setsid()  # Ctrl-C reaches the coordinator alone
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(log, 2)
    os.close(log)
    if not os.read(lifeline, 1):  # the coordinator ended before the crawl began
        os._exit(0)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)
    for name, value in {
        "FEEDS": {},
        "STATS_DUMP": False,
        "LOG_FILE": None,
        "LOG_FORMAT": LOG_FORMAT,
        "SITECRAWL_COORDINATOR": coordinator,
        "SITECRAWL_LIFELINE": lifeline,
    }.items():
        settings.set(name, value, PRIORITY)
    table = dict(settings.getdict("EXTENSIONS"))
    settings.set("EXTENSIONS", {**table, **dict.fromkeys(NOT_OF_WORKERS)}, PRIORITY)
