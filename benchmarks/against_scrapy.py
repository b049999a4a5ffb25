"""CPU per page of ``scrapy crawl site`` against a plain CrawlSpider, on three real sites.

    python -m benchmarks.against_scrapy [ROUNDS]

Both crawl the same pages from the same nginx, by turns; each figure is the median of the
rounds. CPU is user and system time of the whole process; pages are counted by the server.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fixtures import real_sites
from fixtures.nginx import Nginx
from fixtures.walk import plain

QUIET = ["-s", "LOG_LEVEL=WARNING"]


@dataclass(frozen=True, slots=True)
class Result:
    """One run: seconds of CPU and of the clock, megabytes at most, and the pages fetched."""

    cpu: float
    wall: float
    memory: float
    pages: frozenset[str]

    @property
    def cost(self) -> float:
        """CPU milliseconds per page."""
        return 1000 * self.cpu / len(self.pages)


def measure(nginx: Nginx, command: Sequence[str], directory: Path, settings: str) -> Result:
    """Run one crawl to its end in ``directory``."""
    nginx.forget()
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": settings}
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=directory, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    served = (each for each in nginx.log() if each.status == 200)
    pages = frozenset(plain(each.origin + each.target) for each in served)
    return Result(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, pages)


def plain_scrapy(nginx: Nginx, starts: Sequence[str], directory: Path) -> Result:
    """The plain way, with Scrapy's own defaults and robots.txt obeyed."""
    spider = str(Path(__file__).parent / "plain_spider.py")
    command = [sys.executable, "-m", "scrapy", "runspider", spider, "-O", "plain.jsonl"]
    command += ["-a", f"start={' '.join(starts)}", "-s", "ROBOTSTXT_OBEY=1", *QUIET]
    return measure(nginx, command, directory, "")


def sitecrawl(nginx: Nginx, starts: Sequence[str], directory: Path) -> Result:
    """The crawl as shipped, without delay and on a new database."""
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", "site.jsonl"]
    command += ["-a", f"start={' '.join(starts)}", "-a", "delay=0", *QUIET]
    return measure(nginx, command, directory, "sitecrawl.settings")


def table(results: dict[str, list[Result]]) -> str:
    """The medians in Markdown, with the ratio to the first row."""
    lines = [
        "| crawler | CPU ms/page | pages/s | RSS MB | pages | CPU ratio |",
        "|---|---|---|---|---|---|",
    ]
    base = median(run.cost for run in next(iter(results.values())))
    for name, runs in results.items():
        cost = median(run.cost for run in runs)
        speed = median(len(run.pages) / run.wall for run in runs)
        memory = median(run.memory for run in runs)
        pages = len(runs[-1].pages)
        lines.append(
            f"| {name} | {cost:.2f} | {speed:.0f} | {memory:.0f} | {pages} | {cost / base:.2f} |"
        )
    return "\n".join(lines)


def main(rounds: int) -> None:
    """Run the rounds and print the table, and what only one of them fetched."""
    results: dict[str, list[Result]] = {"plain Scrapy CrawlSpider": [], "sitecrawl": []}
    with tempfile.TemporaryDirectory() as name, real_sites.served(Path(name)) as (nginx, starts):
        for number in range(rounds):
            for crawler, runs in zip((plain_scrapy, sitecrawl), results.values(), strict=True):
                directory = Path(name) / f"{crawler.__name__}-{number}"
                directory.mkdir()
                runs.append(crawler(nginx, starts, directory))
    print(table(results))
    theirs, ours = (runs[-1].pages for runs in results.values())
    print(f"\nonly plain Scrapy fetched: {sorted(theirs - ours)}")
    print(f"only sitecrawl fetched: {sorted(ours - theirs)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
