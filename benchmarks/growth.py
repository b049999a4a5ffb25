"""Cost of a page in a whole crawl at 10,000, 100,000 and 1,000,000 known URLs.

    python -m benchmarks.growth [--sizes 10000,100000,1000000] [--pages 2000] [--rounds 3]
                                [--only sqlite|postgresql]

``scrapy crawl site`` goes on with a crawl of which so many URLs are known and 10,000 wait,
on a made-up site of 20 origins: 50 links a page, 45 known and 5 new. The known ones are the
same on every page (as menus are), or anywhere among all that are known, which no memory of
the last pages helps with. A crawl of one page on the same database is taken off, so that
the figure is that of a further page; memory is the process's peak.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

from benchmarks.corpus import end_in_order, install
from benchmarks.crawls import QUIET, used
from benchmarks.growing_site import ADDRESSES, LINKS, ORIGINS, path
from benchmarks.grown_databases import Databases, PostgresDatabases, SqliteDatabases, filled
from benchmarks.known_urls import WAITING
from benchmarks.results import recorded
from benchmarks.tables import growth as table
from fixtures.postgres import PostgresServer
from sitecrawl.config.configuration import load
from sitecrawl.frontier.base import Candidate
from sitecrawl.web.urls.identity import fingerprint, identity_key

Case = tuple[Databases, str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """A crawl of one page and one of ``pages``: CPU seconds of both, and the second's rest.

    ``server`` is CPU of the database's processes, ``memory`` megabytes.
    """

    start: float
    cpu: float
    pages: int
    server: float | None
    memory: float


class GrowingSite:
    """The site's process, and what a crawl of it is given."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.origins = [f"http://{address}:{port}" for address in ADDRESSES]
        starts = " ".join(f"{origin}/" for origin in self.origins)
        self.arguments = {"start": starts, "crawl_name": "growth", "delay": "0"}

    def candidate(self, number: int) -> Candidate:
        """The page of a number."""
        origin = self.origins[number % ORIGINS]
        url = origin + path(number)
        return Candidate(origin, fingerprint(identity_key(url)), url, 1)

    def served(self, size: int, links: str) -> list[int]:
        """The pages served since the last call; from now on so many are known."""
        with urlopen(f"{self.origins[0]}/-/{size}/{links}") as answer:
            pages: list[int] = json.load(answer)
            return pages

    def crawl(self, url: str, pages: int) -> dict[str, float]:
        """Fetch so many pages."""
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", "site.jsonl", *QUIET]
        for name, value in {**self.arguments, "max_pages": str(pages)}.items():
            command += ["-a", f"{name}={value}"]
        command += ["-s", f"SITECRAWL_DATABASE={url}"]
        return used(command, self.folder, SCRAPY_SETTINGS_MODULE="sitecrawl.settings")


@contextmanager
def growing_site(folder: Path) -> Iterator[GrowingSite]:
    """The site while it is served."""
    with socket.socket() as probe:
        probe.bind((ADDRESSES[0], 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.growing_site", str(port)]
    process = subprocess.Popen(command, cwd=Path(__file__).parent.parent)
    try:
        _wait(ADDRESSES[-1], port)
        yield GrowingSite(folder, port)
    finally:
        process.terminate()
        process.wait()


def _wait(address: str, port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"{address}:{port} does not answer")


def step(site: GrowingSite, case: Case, pages: int) -> Step:
    """Crawl on a copy of the database; raises AssertionError unless what waited was fetched."""
    databases, links, size = case
    url = databases.copy(size)
    site.served(size, links)
    single = site.crawl(url, 1)
    before = databases.server_cpu()
    many = site.crawl(url, pages)
    after = databases.server_cpu()
    fetched = site.served(size, links)
    assert len(fetched) == len(set(fetched)) == pages + 1, f"{len(fetched)} pages fetched"
    assert all(size - WAITING <= number < size for number in fetched), "not what waited"
    server = None if before is None or after is None else after - before
    return Step(single["cpu"], many["cpu"], pages, server, many["memory"])


def summary(size: int, steps: list[Step]) -> dict[str, Any]:
    """The medians of one size, in milliseconds a page."""
    servers = [each.server for each in steps if each.server is not None]
    start, pages = median(each.start for each in steps), steps[0].pages
    whole = median(each.cpu for each in steps)
    return {
        "known": size,
        "start": round(start, 3),
        "whole": round(1000 * whole / pages, 3),
        "loop": round(1000 * (whole - start) / (pages - 1), 3),
        "server": round(1000 * median(servers) / pages, 3) if servers else None,
        "memory": round(median(each.memory for each in steps), 1),
    }


def run(site: GrowingSite, kinds: list[Databases], given: argparse.Namespace) -> list[Any]:
    """Fill the databases, crawl by turns, and sum up by database and links."""
    sizes = [int(size) for size in given.sizes.split(",")]
    configuration = load(site.arguments)
    for databases in kinds:
        for size in sizes:
            filled(databases.url(size), size, site.candidate, configuration)
    found: defaultdict[tuple[str, str, int], list[Step]] = defaultdict(list)
    cases = [(databases, links, size) for databases in kinds for links in LINKS for size in sizes]
    for _ in range(given.rounds):
        for case in cases:
            found[case[0].name, *case[1:]].append(step(site, case, given.pages))
    return [
        {
            "database": databases.name,
            "links": links,
            "sizes": [summary(size, found[databases.name, links, size]) for size in sizes],
        }
        for databases in kinds
        for links in LINKS
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    given = parser.parse_args()
    end_in_order()
    with recorded("growth", whole=given.only is None) as figures, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sitecrawl-")))
        site = stack.enter_context(growing_site(folder))
        kinds: list[Databases] = []
        if given.only != "postgresql":
            kinds.append(SqliteDatabases(folder))
        if given.only != "sqlite":
            install("postgresql")
            kinds.append(PostgresDatabases(stack.enter_context(PostgresServer())))
        figures["series"] = run(site, kinds, given)
        figures["pages"], figures["rounds"] = given.pages, given.rounds
    print(table(figures))


if __name__ == "__main__":
    main()
