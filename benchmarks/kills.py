"""Kills crawls on the way of their lines to a file, and counts what the reader of it misses.

    .venv/bin/python -m benchmarks.kills [--kills 1000] [--only FORMAT] [--seed N]

Each crawl is the real command, killed by SIGKILL at a point that ``fixtures.faults`` names, and run
again until it ends with status 0. Whoever reads a worker's files does so each time that it has ended
well, and must have read every page then: a page that was not there is lost, one that is in the files
of the last run again is doubled, one that was there at an earlier end alone was handed over before.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from fixtures.command import Command
from fixtures.faults import ADDON, FAULT, MARK_SECONDS, MOMENTS, POINTS
from fixtures.postgres import PostgresServer
from fixtures.server import Page, Server, page

ORIGINS, PAGES = 4, 20
PASSES = {"page": 6, "export": 25, "store": 2, "end": 1}  # up to which pass, of a point
ENDED = "end after"  # the run has ended well, though its status does not tell
RARE = {"page", "end"}
KILLS_EACH = 5  # of one crawl, before it may end
GZIP = ["scrapy.extensions.postprocessing.GzipPlugin"]
SECONDS = 120


@dataclass(frozen=True)
class Format:
    """A feed that is put to the test."""

    name: str
    file: str
    way: str
    batch: int = 0
    points: tuple[str, ...] = ("page", "export", "flush", "fsync", "mark", "commit", "end")

    def options(self, worker: int) -> list[str]:
        """The command's options."""
        uri = f"{worker}-{self.file}"
        options: dict[str, object] = {"overwrite": self.way == "-O"}
        options["format"] = "csv" if "csv" in self.file else "jsonlines"
        if self.file.endswith("gz"):
            options["postprocessing"] = GZIP
        if self.batch:
            options["batch_item_count"] = self.batch
        return ["-s", f"FEEDS={json.dumps({uri: options})}"]

    def urls(self, folder: Path, worker: int) -> Iterator[str]:
        """The URL of each line in the files of a worker; whole ones only."""
        for path in sorted(folder.glob(f"{worker}-*")):
            if path.suffix not in {".part", ".joined", ".log"}:
                content = path.read_bytes()
                yield from read(gzip.decompress(content) if path.suffix == ".gz" else content, self)


WHOLE = ("page", "export", "fsync", "store", "mark", "commit", "end")
FORMATS = [
    Format("JSON lines -O", "out.jsonl", "-O"),
    Format("JSON lines -o", "out.jsonl", "-o"),
    Format("CSV -O", "out.csv", "-O"),
    Format("CSV -o", "out.csv", "-o"),
    Format("gzip -O", "out.gz", "-O", points=WHOLE),
    Format("gzip -o", "out.gz", "-o", points=WHOLE),
    Format("batches -O", "out-%(batch_id)d.jsonl", "-O", 7),
    Format("batches -o", "out-%(batch_id)d.jsonl", "-o", 7),
    Format("batches, gzip -O", "out-%(batch_id)d.gz", "-O", 7, WHOLE),
    Format("batches, gzip -o", "out-%(batch_id)d.gz", "-o", 7, WHOLE),
]


@dataclass
class Tally:
    """Results of the kills of one format on one kind of database."""

    kills: Counter[str] = field(default_factory=Counter)
    crawls: int = 0
    pages: int = 0
    lost: int = 0
    doubled: int = 0
    handed_over: int = 0


def read(content: bytes, form: Format) -> Iterator[str]:
    """The URL of each whole line."""
    text = content.decode()
    if "csv" in form.file:
        csv.field_size_limit(sys.maxsize)
        yield from (row["url"] for row in csv.DictReader(StringIO(text, newline="")))
    else:
        yield from (json.loads(line)["url"] for line in text.split("\n")[:-1])


class Campaign:
    """Crawls of one site, killed again and again."""

    def __init__(self, server: Server, postgres: PostgresServer, seed: int) -> None:
        self._random = random.Random(seed)
        self._postgres = postgres
        words = 'A line of text, with "quotes", commas\nand a second line. ' * 20
        pages: dict[str, Page] = {f"/{n}": page(text=f"Page {n}. {words}") for n in range(PAGES)}
        site = {"/": page(*pages, text="Home"), **pages}
        self._starts = [
            f"{server.serve(site, address=f'127.0.0.{n + 2}')}/" for n in range(ORIGINS)
        ]
        self._all = {f"{start}{path[1:]}" for start in self._starts for path in site}
        self.tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
        self.lost: list[str] = []

    def crawl(self, form: Format, backend: str) -> int:
        """Kill one crawl some times, let it end, and look at its files; the number of kills."""
        tally = self.tallies[form.name, backend]
        workers = self._random.choice((1, 1, 2))
        with tempfile.TemporaryDirectory(prefix="sitecrawl-kills-") as name:
            folder = Path(name)
            url = f"sqlite:///{folder}/crawl.db"
            if backend == "postgres":
                url = self._postgres.url("kills")
            killed: list[str] = []
            seen: set[str] = set()
            for _ in range(KILLS_EACH):
                faults = [self._fault(form) for _ in range(workers)]
                killed += self._killed(form, url, folder, faults, seen)
            for _ in range(2):  # the first of two workers does not wait for the other's lines
                if self._killed(form, url, folder, [""] * workers, seen):
                    raise RuntimeError("killed by somebody else")
            found = Counter(url for worker in range(workers) for url in form.urls(folder, worker))
        missing = self._all - seen
        tally.kills.update(" ".join(fault.split()[:2]) for fault in killed)
        tally.crawls += 1
        tally.pages += len(self._all)
        tally.lost += len(missing)
        tally.doubled += found.total() - len(found)
        tally.handed_over += len(self._all & (seen - found.keys()))
        if missing:
            self.lost.append(f"{form.name} {backend} {workers} {killed}: {sorted(missing)}")
            print(self.lost[-1], flush=True)
        return len(killed)

    def _killed(
        self, form: Format, url: str, folder: Path, faults: list[str], seen: set[str]
    ) -> list[str]:
        """Run a worker for each fault, and read the files of those that end well; the faults
        that killed theirs.
        """
        statuses = self._run(form, url, folder, faults)
        if wrong := set(statuses) - {0, -signal.SIGKILL}:
            logs = [path.read_text() for path in folder.glob("*.log")]
            raise RuntimeError(f"{form.name} {url} {faults}: {wrong} {logs}")
        for worker, (fault, status) in enumerate(zip(faults, statuses, strict=True)):
            if status == 0 or fault.startswith(ENDED):
                seen.update(form.urls(folder, worker))
        return [fault for fault, status in zip(faults, statuses, strict=True) if status]

    def _fault(self, form: Format) -> str:
        weights = [1 if point in RARE else 3 for point in form.points]
        [point] = self._random.choices(form.points, weights)
        moment, most = self._random.choice(MOMENTS), PASSES.get(point, 3)
        return f"{point} {moment} {self._random.randint(1, most)}"

    def _run(self, form: Format, url: str, folder: Path, faults: list[str]) -> list[int]:
        running = []
        for worker, fault in enumerate(faults):
            os.environ[FAULT], os.environ[MARK_SECONDS] = fault, "0.005"
            options = [
                "-a",
                f"start={' '.join(self._starts)}",
                "-a",
                "delay=0",
                "-a",
                "crawl_name=kills",
            ]
            options += ["-s", f"ADDONS={ADDON}", "-s", f"SITECRAWL_DATABASE={url}"]
            words = ["crawl", "site", *form.options(worker), *options]
            running.append(Command(words, folder, errors=folder / f"{worker}.log"))
        try:
            return [command.wait(SECONDS) for command in running]
        finally:
            for command in running:
                command.kill()


def table(tallies: dict[tuple[str, str], Tally]) -> Iterator[str]:
    """The results, for a person and for a page."""
    yield "| feed | database | kills | crawls | lines | lost | doubled | handed over before |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (name, backend), tally in tallies.items():
        sizes = (tally.kills.total(), tally.crawls, tally.pages)
        counts = (*sizes, tally.lost, tally.doubled, tally.handed_over)
        yield f"| {' | '.join((name, backend, *map(str, counts)))} |"
    points: Counter[str] = sum((tally.kills for tally in tallies.values()), Counter())
    yield ""
    yield "| point | " + " | ".join(MOMENTS) + " |"
    yield "| --- | --- | --- |"
    for point in POINTS:
        yield (
            f"| {point} | " + " | ".join(str(points[f"{point} {each}"]) for each in MOMENTS) + " |"
        )
    yield ""
    lost = sum(tally.lost for tally in tallies.values())
    yield f"{points.total()} kills: {lost} lines lost."


def main() -> int:
    """Run the campaign; 1 when a line was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--only", default="", metavar="FORMAT")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chosen = [form for form in FORMATS if options.only in form.name]
    with ExitStack() as stack:
        server = stack.enter_context(Server())
        campaign = Campaign(server, stack.enter_context(PostgresServer()), options.seed)
        killed = 0
        while killed < options.kills:
            for form in chosen:
                for backend in ("sqlite", "postgres"):
                    killed += campaign.crawl(form, backend)
            print(f"{killed} kills, {len(campaign.lost)} crawls with losses", flush=True)
    for line in table(campaign.tallies):
        print(line)
    return bool(campaign.lost)


if __name__ == "__main__":
    sys.exit(main())
