"""Forking of the worker processes of ``scrapy crawl -a workers=N``."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

from scrapy.settings import BaseSettings

from sitecrawl.console.scrapy_commands import is_warning
from sitecrawl.console.terminal import CLEAR
from sitecrawl.frontier.leases import new_worker

PRIORITY = 100  # above that of the command line
NOT_OF_WORKERS = (
    "scrapy.extensions.closespider.CloseSpider",
    "sitecrawl.extensions.ignored_settings.IgnoredSettings",
    "sitecrawl.extensions.configuration_changes.ConfigurationChanges",
    "sitecrawl.extensions.progress_log.Progress",
    "sitecrawl.extensions.progress_log.ProgressLog",
    "sitecrawl.extensions.metrics.Metrics",
)
"""Extensions that see the whole crawl."""


def fork_workers(settings: BaseSettings, count: int) -> None:
    """Fork the workers; each returns from here once the crawl has begun, with settings of its own.

    Call it before an event loop is made. The settings name the other end of each process's pipe.
    All write one log.
    """
    coordinator = new_worker()
    processes: list[tuple[int, int, int]] = []
    if settings["LOG_FILE"] and not settings.getbool("LOG_FILE_APPEND"):
        Path(settings["LOG_FILE"]).open("w").close()  # as Scrapy does, also through a link
        settings.set("LOG_FILE_APPEND", True, PRIORITY)  # noqa: FBT003 -- a setting's value
    for number in range(1, count + 1):
        lifeline, lifeline_in = os.pipe()
        pid = os.fork()
        if pid == 0:
            for _, _, other in processes:
                os.close(other)
            os.close(lifeline_in)
            _become_worker(settings, coordinator, lifeline)
            return
        os.close(lifeline)
        processes.append((number, pid, lifeline_in))
    settings.set("SITECRAWL_OWNER", coordinator, PRIORITY)
    settings.set("SITECRAWL_WORKER_PROCESSES", processes, PRIORITY)


def _become_worker(settings: BaseSettings, coordinator: str, lifeline: int) -> None:
    """Turn this process into a worker, whose lines go to the database."""
    os.setsid()  # Ctrl-C reaches the coordinator alone
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not os.read(lifeline, 1):  # the coordinator ended before the crawl began
        os._exit(0)
    if settings["LOG_LEVEL"] != "DEBUG":
        logging.getLogger("scrapy.core.engine").addFilter(is_warning)
    shows_progress = sys.stderr.isatty() and not settings["LOG_FILE"]
    for name, value in {
        "FEEDS": {},
        "STATS_DUMP": False,
        "LOG_FORMAT": f"{CLEAR if shows_progress else ''}{settings['LOG_FORMAT']}",
        "SITECRAWL_COORDINATOR": coordinator,
        "SITECRAWL_LIFELINE": lifeline,
    }.items():
        settings.set(name, value, PRIORITY)
    table = dict(settings.getdict("EXTENSIONS"))
    settings.set("EXTENSIONS", {**table, **dict.fromkeys(NOT_OF_WORKERS)}, PRIORITY)
