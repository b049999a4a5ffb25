"""Several workers on one crawl: shares, speed, CPU per page, and the servers' log as witness.

    python -m benchmarks.workers [--case NAME] [--workers 1 2] [--database sqlite postgres]
    python -m benchmarks.workers --case even --workers 1 2 4 8 --rounds 3
    python -m benchmarks.workers --case kills --origins 500 --pages 20 --workers 4

Cases: ``even``: origins of one size; ``core``: the same, with all processes on one core; ``apart``: each
worker has a crawl of its own, with its part of the origins; ``huge``: half of all pages are on one
origin; ``slow``: the last worker gets a tenth of the time; ``late``: the last one starts when a quarter
is fetched; ``kills``: two workers are killed and one is stopped for longer than its lease. Each worker has a user agent of its own, so that the log of the server tells
what it fetched.

The rate is that of the middle four fifths of the pages. CPU per page (user and system time of the
process trees) is that of the workers without their starts, and beside it that of the PostgreSQL server
and of nginx, which run on the same cores. ``start`` is the CPU of a worker of as many as crawl one page
of each origin at the same time, each apart: processes that start together on few cores need more than
one does alone. ``at most`` is what these cores allow: the rate at which all of them would be busy with
that CPU per page, divided by the rate of one worker. ``by CPU`` is how much sooner the busiest worker
has done its pages than a single one has done all, by their CPU: the rate with a core for each worker and
others for the servers. ``uneven`` is the difference between the most and the fewest pages of a worker,
in percent of their mean. With several ``--rounds`` the runs are interleaved, and each figure is the
median.

    python -m benchmarks.workers --case even core apart --workers 1 2 4 --pages 150

makes the table of docs/scaling.md. ``core`` is made with the fewest workers only: one worker and the
servers on one core are what two of them on two cores, beside the servers, can be compared with (``times
one core``). ``apart`` is made with the most workers only, and shows what that many processes cost on these
cores if they share nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from statistics import median

from benchmarks.corpus import end_in_order
from benchmarks.results import recorded
from fixtures.nginx import Nginx, Served
from fixtures.postgres import PostgresServer

CASES = ("even", "core", "apart", "huge", "slow", "late", "kills")
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
]
LEASE_SECONDS = 60.0  # as in StateOptions
CORES = len(os.sched_getaffinity(0))
SLICE = 0.1  # seconds, of which a slow worker runs a tenth
SECONDS = 900


def name(number: int) -> str:
    """A path without digits, so that no rule takes the pages for a series."""
    digits = [WORDS[int(each)] for each in str(number)]
    return f"{'-'.join(digits)}.html"


def write_site(folder: Path, pages: int, seed: int) -> None:
    """Write a tree of pages, each with text of its own and ten links below it."""
    dice = random.Random(seed)
    folder.mkdir()
    for number in range(pages):
        below = [name(10 * number + n + 1) for n in range(10) if 10 * number + n + 1 < pages]
        links = "".join(f'<li><a href="{each}">{each}</a>' for each in below)
        text = " ".join("".join(dice.choices("bcdfgaeiou", k=6)) for _ in range(400))
        file = "index.html" if number == 0 else name(number)
        page = f"<!doctype html><title>{text[:30]}</title><ul>{links}</ul><p>{text}</p>"
        (folder / file).write_text(page)


@dataclass
class Worker:
    """A worker under way, the times for which it was stopped, and its seconds of CPU at the end."""

    number: int
    process: subprocess.Popen[bytes]
    killed: bool = False
    stops: list[tuple[float, float]] = field(default_factory=list)
    cpu: float = 0.0

    def wait(self) -> int:
        """Wait for the end; return the exit status."""
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = used.ru_utime + used.ru_stime
        return self.process.returncode


class Run:
    """One crawl by some workers."""

    def __init__(self, nginx: Nginx, urls: Sequence[str], folder: Path, delay: float) -> None:
        """Each of the ``urls`` is the database of a crawl with its part of the origins."""
        self._nginx = nginx
        self._urls = urls
        self._folder = folder
        self._delay = delay
        self.workers: list[Worker] = []
        self.wall = 0.0

    def start(self) -> Worker:
        """Start another worker."""
        number = len(self.workers)
        crawls = len(self._urls)
        origins = list(self._nginx.origins.values())[number % crawls :: crawls]
        starts = self._folder / f"starts{number}.txt"
        starts.write_text("\n".join(f"{origin}/" for origin in origins))
        options = [
            f"start=@{starts.name}",
            "crawl_name=workers",
            f"delay={self._delay}",
            f"user_agent=worker{number}/1.0",
        ]
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", f"{number}.jsonl"]
        command += [
            "-s",
            f"SITECRAWL_DATABASE={self._urls[number % crawls]}",
            "-s",
            "LOG_LEVEL=INFO",
        ]
        command += [word for option in options for word in ("-a", option)]
        environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with (self._folder / f"{number}.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self._folder, env=environment, stdout=log, stderr=log
            )
        self.workers.append(Worker(number, process))
        return self.workers[-1]

    def fetched(self) -> int:
        """Number of requests so far."""
        return len(self._nginx.log())

    def wait_for(self, share: float, pages: int) -> None:
        """Wait until a share of the pages was fetched."""
        deadline = time.monotonic() + SECONDS
        while self.fetched() < share * pages and time.monotonic() < deadline:
            time.sleep(0.2)

    def crawl(self, case: str, workers: int, pages: int) -> None:
        """Start the workers, disturb them as the case says, and wait for their end."""
        began = time.monotonic()
        late = case == "late" and workers > 1
        for _ in range(workers - late):
            self.start()
        if late:
            self.wait_for(0.25, pages)
            self.start()
        slowed = threading.Event()
        slower = threading.Thread(target=self._slow, args=(self.workers[-1], slowed))
        if case == "slow" and workers > 1:
            slower.start()
        if case == "kills":
            self._disturb(pages)
        statuses = [worker.wait() for worker in self.workers if not worker.killed]
        slowed.set()
        self.wall = time.monotonic() - began
        if any(statuses):
            raise RuntimeError(f"statuses {statuses}, logs in {self._folder}")

    def _slow(self, worker: Worker, ended: threading.Event) -> None:
        """Let a worker run for a tenth of the time."""
        while not ended.is_set() and worker.process.returncode is None:
            for signal_, seconds in ((signal.SIGSTOP, 0.9), (signal.SIGCONT, 0.1)):
                try:
                    os.kill(worker.process.pid, signal_)
                except ProcessLookupError:
                    return
                time.sleep(seconds * SLICE)

    def _disturb(self, pages: int) -> None:
        """Kill two workers, replace one, and stop one for longer than its lease."""
        for share, act in ((0.1, "kill"), (0.2, "stop"), (0.5, "kill")):
            self.wait_for(share, pages)
            alive = [each for each in self.workers if not (each.killed or each.stops)]
            if act == "kill":
                alive[-1].killed = True
                alive[-1].process.kill()
                alive[-1].wait()
                continue
            stopped, began = alive[0], time.time()
            stopped.process.send_signal(signal.SIGSTOP)
            threading.Timer(1.1 * LEASE_SECONDS, self._go_on, (stopped, began)).start()
            stopped.stops.append((began, began + 1.1 * LEASE_SECONDS))

    @staticmethod
    def _go_on(worker: Worker, began: float) -> None:
        worker.process.send_signal(signal.SIGCONT)
        worker.stops[:] = [(began, time.time())]


@dataclass(frozen=True)
class Finding:
    """Facts of the server's log about a run."""

    pages: Counter[str]
    twice: int
    overlaps: int
    soon: int
    after_loss: int
    needless: int
    distinct: int

    @classmethod
    def of(cls, log: Sequence[Served], run: Run, delay: float) -> Finding:
        """Examine the log: pages of each worker, and what should not be."""
        found = [each for each in log if each.status in (200, 404)]
        counts = Counter((each.origin, each.target) for each in found)
        by_origin = defaultdict(list)
        for each in found:
            by_origin[each.origin].append(each)
        overlaps = soon = 0
        for exchanges in by_origin.values():
            exchanges.sort(key=lambda each: each.started)
            for before, after in pairwise(exchanges):
                overlaps += after.started < before.ended - 0.002  # the log has milliseconds
                soon += after.started < before.ended + delay - 0.01
        stopped = {
            f"worker{worker.number}/1.0": end for worker in run.workers for _, end in worker.stops
        }
        killed = {f"worker{each.number}/1.0" for each in run.workers if each.killed}
        late = cls._after_loss(found, stopped, killed)
        needless = cls._needless(found, killed | stopped.keys())
        pages = Counter(each.agent.split("/")[0] for each in found if each.target != "/robots.txt")
        twice = sum(count - 1 for count in counts.values())
        distinct = sum(target != "/robots.txt" for _, target in counts)
        return cls(pages, twice, overlaps, soon, late, needless, distinct)

    @staticmethod
    def _needless(found: Sequence[Served], failed: set[str]) -> int:
        """Count requests for what a worker that was neither killed nor stopped had fetched."""
        had: set[tuple[str, str]] = set()
        needless = 0
        for each in sorted(found, key=lambda each: each.started):
            needless += (each.origin, each.target) in had
            if not any(each.agent.startswith(agent) for agent in failed):
                had.add((each.origin, each.target))
        return needless

    @staticmethod
    def _after_loss(found: Sequence[Served], stopped: dict[str, float], killed: set[str]) -> int:
        """Count pages that a stopped worker fetched after its stop although others had done so.

        What killed workers had not stored has to be fetched again.
        """
        first: dict[tuple[str, str], float] = {}
        for each in sorted(found, key=lambda each: each.started):
            if not any(each.agent.startswith(agent) for agent in killed | stopped.keys()):
                first.setdefault((each.origin, each.target), each.started)
        return sum(
            each.started > end
            and each.target != "/robots.txt"
            and first.get((each.origin, each.target), each.started) < each.started
            for each in found
            for agent, end in stopped.items()
            if each.agent.startswith(agent)
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one run: seconds of CPU of each worker and of the servers, and pages a second."""

    pages: int
    missing: int
    shares: list[int]
    rate: float
    wall: float
    workers: list[float]
    server: float
    nginx: float
    finding: Finding

    @property
    def uneven(self) -> float:
        """Difference between the most and the fewest pages of a worker, in percent of the mean."""
        return 100 * (max(self.shares) - min(self.shares)) * len(self.shares) / sum(self.shares)

    def cores_allow(self, start: float) -> float:
        """Return the pages per second with which all cores would be busy."""
        servers = 1000 * (self.server + self.nginx) / self.pages
        return 1000 * CORES / (self.cpu_of_page(start) + servers)

    def cpu_of_page(self, start: float) -> float:
        """Return the milliseconds of CPU of the workers per page, without their starts."""
        return 1000 * (sum(self.workers) - start * len(self.workers)) / self.pages

    def busiest(self, start: float) -> float:
        """Return the seconds of CPU of the busiest worker without its start."""
        return max(self.workers) - start


@dataclass(slots=True)
class Runs:
    """Runs of one case with one number of workers, and the CPU of the start of one of them."""

    runs: list[Measured] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    @property
    def start(self) -> float:
        """Seconds of CPU of the start of a worker."""
        return median(self.starts)

    @property
    def rate(self) -> float:
        """Pages per second."""
        return median(each.rate for each in self.runs)

    @property
    def busiest(self) -> float:
        """Seconds of CPU of the busiest worker."""
        return median(each.busiest(self.start) for each in self.runs)

    @property
    def cpu_of_page(self) -> float:
        """Milliseconds of CPU of the workers per page."""
        return median(each.cpu_of_page(self.start) for each in self.runs)


def rate_of(log: Sequence[Served]) -> float:
    """Return the pages per second of the middle four fifths."""
    ends = sorted(each.ended for each in log)
    tenth = len(ends) // 10
    return (len(ends) - 2 * tenth) / max(ends[-tenth - 1] - ends[tenth], 0.001)


def cpu_of(process: int) -> float:
    """Return the seconds of CPU of a process and of its children, also of those that have ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except FileNotFoundError:  # ended meanwhile
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_of(int(child)) for child in children)


def sizes_of(case: str, origins: int, pages: int) -> list[int]:
    """Return the number of pages of each origin."""
    if case == "huge":
        return [pages * origins // 2, *[pages // 2] * (origins - 1)]
    return [pages] * origins


def measured(case: str, kind: str, workers: int, sizes: Sequence[int], delay: float) -> Measured:
    """One run."""
    with ExitStack() as stack:
        if case == "core":
            stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sitecrawl-workers-")))
        folder.chmod(0o755)
        roots: dict[str, Path] = {}
        for number, size in enumerate(sizes):
            root = folder / f"site{number}"
            write_site(root, size, number)
            roots[f"127.8.{number // 250}.{number % 250 + 1}"] = root
        server = stack.enter_context(PostgresServer()) if kind == "postgres" else None
        names = [f"crawl{number}" for number in range(workers if case == "apart" else 1)]
        urls = [server.url(name) if server else f"sqlite:///{folder}/{name}.db" for name in names]
        before = cpu_of(server.process) if server else 0.0
        nginx = stack.enter_context(Nginx(folder, roots))
        nginx_before = cpu_of(nginx.process)
        run = Run(nginx, urls, folder, delay)
        run.crawl(case, workers, sum(sizes))
        time.sleep(0.2)  # until the server has ended what served the workers
        used = cpu_of(server.process) - before if server else 0.0
        nginx_used = cpu_of(nginx.process) - nginx_before
        log = nginx.log()
        finding = Finding.of(log, run, delay)
    pages = finding.pages.total()
    return Measured(
        pages=pages,
        missing=sum(sizes) - finding.distinct,
        shares=[finding.pages[f"worker{each.number}"] for each in run.workers],
        rate=rate_of(log),
        wall=run.wall,
        workers=[worker.cpu for worker in run.workers],
        server=used,
        nginx=nginx_used,
        finding=finding,
    )


HEADS = (
    *("case", "database", "workers", "requests", "missing", "of each worker", "uneven", "seconds"),
    *("pages/s", "times one", "at most", "by CPU", "times one core"),
    *("start", "CPU ms/page", "times one"),
    *("of the database", "of nginx", "again", "needless", "overlaps", "too soon", "after loss"),
)


def row_of(
    case: str, kind: str, found: Runs, one: Runs | None, on_one_core: Runs | None
) -> list[str]:
    """Return the row of runs with one number of workers, compared with those of one worker."""
    runs, start = found.runs, found.start
    sums = [each.finding for each in runs]
    at_most = median(each.cores_allow(start) for each in runs)
    return [
        *(case, kind, str(len(runs[0].workers))),
        *(str(runs[0].pages), str(max(each.missing for each in runs))),
        " ".join(map(str, runs[-1].shares)),
        f"{median(each.uneven for each in runs):.0f} %",
        *(f"{median(each.wall for each in runs):.1f}", f"{found.rate:.0f}"),
        f"{found.rate / one.rate:.2f}" if one else "",
        f"{at_most / one.rate:.2f}" if one and case != "core" else "",
        f"{one.busiest / found.busiest:.2f}" if one else "",
        f"{found.rate / on_one_core.rate:.2f}" if on_one_core else "",
        *(f"{start:.2f}", f"{found.cpu_of_page:.2f}"),
        f"{found.cpu_of_page / one.cpu_of_page:.2f}" if one else "",
        f"{median(1000 * each.server / each.pages for each in runs):.2f}",
        f"{median(1000 * each.nginx / each.pages for each in runs):.2f}",
        *(str(sum(each.twice for each in sums)), str(sum(each.needless for each in sums))),
        str(sum(each.overlaps for each in sums)),
        *(str(sum(each.soon for each in sums)), str(sum(each.after_loss for each in sums))),
    ]


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The table, for a person and for a page."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{' --- |' * len(HEADS)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Run the cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASES, nargs="+", default=["even"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--origins", type=int, default=40)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    end_in_order()
    runs: defaultdict[tuple[str, str, int], Runs] = defaultdict(Runs)
    with recorded(f"workers-{'-'.join(given.case)}") as figures:
        for _, kind, workers in product(range(given.rounds), given.database, given.workers):
            short = measured("apart", kind, workers, [1] * given.origins, 0.0)
            for case in given.case:
                only = {"apart": max(given.workers), "core": min(given.workers)}
                if workers != only.get(case, workers):
                    continue
                sizes = sizes_of(case, given.origins, given.pages)
                runs[case, kind, workers].runs.append(
                    measured(case, kind, workers, sizes, given.delay)
                )
                runs[case, kind, workers].starts.append(sum(short.workers) / workers)
        rows = []
        for (case, kind, _), found in runs.items():
            one, core = (runs.get((each, kind, 1)) for each in (given.case[0], "core"))
            rows.append(row_of(case, kind, found, one, core))
        figures["rows"] = rows
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
