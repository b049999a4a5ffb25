"""Crawls to measure: each a process of its own, its pages counted by the server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fixtures.nginx import Nginx
from fixtures.walk import plain

QUIET = ["-s", "LOG_LEVEL=WARNING"]


@dataclass(frozen=True, slots=True)
class Result:
    """One run: seconds of CPU and of the clock, megabytes at most, and what was served.

    ``pages`` are those answered with 200, ``sent`` the bytes of all bodies.
    """

    cpu: float
    wall: float
    memory: float
    pages: frozenset[str]
    sent: int

    @property
    def cost(self) -> float:
        """CPU milliseconds per page."""
        return 1000 * self.cpu / len(self.pages)


def measure(nginx: Nginx, command: Sequence[str], directory: Path, settings: str) -> Result:
    """Run one crawl to its end in ``directory``."""
    nginx.forget()
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": settings}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have their bytecode
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=directory, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    log = nginx.log()
    pages = frozenset(plain(each.origin + each.target) for each in log if each.status == 200)
    cpu = usage.ru_utime + usage.ru_stime
    return Result(cpu, wall, usage.ru_maxrss / 1024, pages, sum(each.sent for each in log))


def plain_scrapy(nginx: Nginx, starts: Sequence[str], directory: Path) -> Result:
    """The plain way, with Scrapy's own defaults and robots.txt obeyed."""
    spider = str(Path(__file__).parent / "plain_spider.py")
    command = [sys.executable, "-m", "scrapy", "runspider", spider, "-O", "plain.jsonl"]
    command += ["-a", f"start={' '.join(starts)}", "-s", "ROBOTSTXT_OBEY=1", *QUIET]
    return measure(nginx, command, directory, "")


def sitecrawl(nginx: Nginx, starts: Sequence[str], directory: Path, *options: str) -> Result:
    """The crawl as shipped, without delay, on the database in ``directory``."""
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", "site.jsonl"]
    command += ["-a", f"start={' '.join(starts)}", "-a", "delay=0", *QUIET]
    command += [word for option in options for word in ("-a", option)]
    return measure(nginx, command, directory, "sitecrawl.settings")
