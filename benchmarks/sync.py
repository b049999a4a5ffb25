"""CPU, memory and time of `scrapy sync` and `scrapy search` on real documents.

    python -m benchmarks.sync [--sizes 5000,100000] [--targets sqlite,lancedb,pagefind,opensearch] [--preset rag]

Without ``--targets``, up to 5,000 documents go to every target, more of them to the search file. With
``--targets`` or ``--preset`` nothing is kept.
One crawl of PostgreSQL's and Python's manuals is multiplied: every copy of a document has an id, an
address and a marked body of its own. A sync is compared with a second one, which has nothing to
write: the difference is the cost of the documents. Its memory is the peak of the command's own
process; that of the processes that it starts (Pagefind's) is a figure of its own. Searches are timed
inside one process, each query several times and each time on a newly opened file: the least and the
median of the clock and of the CPU, which differ where other programs run. The whole command,
start-up included, is measured in the same way. The function that makes vectors for LanceDB returns
the same for all, so that its cost is not in the figures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.corpus import Corpus, served
from benchmarks.crawls import QUIET, used
from benchmarks.results import recorded
from fixtures.opensearch import SearchServer
from sitecrawl.frontier.documents import unpack
from sitecrawl.policy.documents.output_shapes import serialized
from sitecrawl.search.search_index import open_index
from sitecrawl.search.search_results import search
from sitecrawl.web.decompression import zstd

QUERIES = (
    *("vacuum", "create table", "how to install", "list comprehension", "transaction isolation"),
    *("string format", "regular expression", "index", "function", "the", "python", "select from"),
    *('"write-ahead log"', "pg_dump restore", "async await", "decimal -float", "replicat*"),
    *("no such words anywhere", "window functions over partition", "datetime timezone utc"),
)
VECTORS = "def embed(texts):\n    return [[1.0] * 384 for _ in texts]\n"
TARGETS = {"sqlite": "sqlite:///{}/search.sqlite", "lancedb": "lancedb:///{}/store"}
TARGETS["pagefind"] = "pagefind:///{}/search"
ENGINE = "opensearch"  # started for its figures
FEW = 5_000  # documents, of which Pagefind's own process needs 2.1 GB
REPEATS = 7


def crawled(corpus: Corpus, preset: str) -> Path:
    """The crawl database of one crawl of the manuals."""
    folder = corpus.room("crawl")
    command = [sys.executable, "-m", "scrapy", "crawl", "site", *QUIET, "-a", "delay=0"]
    command += ["-a", f"start={' '.join(corpus.starts)}", "-a", "crawl_name=sync"]
    command += ["-a", f"preset={preset}"] if preset else []
    used(command, folder, SCRAPY_SETTINGS_MODULE="sitecrawl.settings")
    return folder / ".sitecrawl" / "sync.db"


def grown(database: Path, folder: Path, size: int) -> Path:
    """A copy of the crawl database with so many documents."""
    path = folder / "sync.db"
    with closing(sqlite3.connect(database)) as small, closing(sqlite3.connect(path)) as large:
        small.backup(large)
        large.execute("DELETE FROM outbox")
        large.execute("UPDATE document SET seq = NULL")
        found = small.execute("SELECT origin, body FROM document WHERE seq IS NOT NULL").fetchall()
        [(run,)] = small.execute("SELECT max(id) FROM run")
        large.execute("DELETE FROM document")
        compressor = zstd.ZstdCompressor(level=3)
        for number in range(size):
            origin, body = found[number % len(found)]
            document = unpack(body)
            url = f"{document['url']}?copy={number}"
            id_ = hashlib.sha256(url.encode()).hexdigest()[:32]
            text = f"{document.get('body', '')}\nThis is copy {number}."
            content = serialized({**document, "url": url, "id": id_, "body": text})
            packed = compressor.compress(content, compressor.FLUSH_FRAME)
            seq = number + 1
            large.execute(
                "INSERT INTO document (url, origin, id, seq, body) VALUES (?, ?, ?, ?, ?)",
                (seq, origin, id_, seq, packed),
            )
            large.execute(
                "INSERT INTO outbox (seq, url, op, id, change, run, made_at)"
                " VALUES (?, ?, 'upsert', ?, 'new', ?, ?)",
                (seq, seq, id_, run, time.time()),
            )
        large.execute("UPDATE crawl SET seq = ?", (size,))
        large.commit()
    return path


def synchronized(database: Path, target: str, folder: Path, size: int) -> dict[str, Any]:
    """Figures of one target: CPU milliseconds a document, and megabytes at the peak."""
    (folder / "vectors.py").write_text(VECTORS)
    with ExitStack() as stack:
        if target == ENGINE:
            uri = stack.enter_context(SearchServer(ENGINE)).uri("documents")
        else:
            uri = TARGETS[target].format(folder)
        command = [sys.executable, "-m", "scrapy", "sync", uri, "-a", "embed=vectors:embed"]
        command += ["-s", f"SITECRAWL_DATABASE=sqlite:///{database}"]
        whole, idle = watched(command, folder), watched(command, folder)
    return {
        "cpu_ms": round(1000 * (whole["cpu"] - idle["cpu"]) / size, 3),
        "wall_s": round(whole["wall"], 1),
        "memory_mb": round(whole["memory"]),
        "started_memory_mb": round(whole["started"]),
        "start_cpu_ms": round(1000 * idle["cpu"]),
        "start_memory_mb": round(idle["memory"]),
    }


def watched(command: Sequence[str], folder: Path) -> dict[str, float]:
    """CPU and time of a command, and the peaks of its own process and of those that it started."""
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began, peaks = time.perf_counter(), Counter[int]()
    with (folder / "output.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for pid in (process.pid, *map(int, children)):
            with suppress(OSError, StopIteration):
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                peak = next(line for line in lines if line.startswith("VmHWM"))
                peaks[pid] = int(peak.split()[1])
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    if process.returncode:
        raise RuntimeError((folder / "output.log").read_text()[-2000:])
    return {
        "wall": time.perf_counter() - began,
        "cpu": ended[2].ru_utime + ended[2].ru_stime,
        "memory": peaks.pop(process.pid, 0) / 1024,
        "started": max(peaks.values(), default=0) / 1024,
    }


def searched(file: Path) -> dict[str, Any]:
    """Milliseconds to the results: the least and the median of each query's times."""
    walls: dict[str, list[float]] = {query: [] for query in QUERIES}
    cpus: dict[str, list[float]] = {query: [] for query in QUERIES}
    for _ in range(REPEATS):
        for query in QUERIES:
            began, cpu = time.perf_counter(), time.process_time()
            with open_index(file) as index:
                search(index, query)
            walls[query].append(1000 * (time.perf_counter() - began))
            cpus[query].append(1000 * (time.process_time() - cpu))
    slowest = max(QUERIES, key=lambda query: min(walls[query]))
    found: dict[str, Any] = {"slowest": slowest, "megabytes": round(file.stat().st_size / 1e6)}
    for name, times in (("wall", walls), ("cpu", cpus)):
        found |= {
            f"median_{name}_ms": round(median(map(median, times.values())), 1),
            f"median_least_{name}_ms": round(median(map(min, times.values())), 1),
            f"slowest_{name}_ms": round(max(map(median, times.values())), 1),
            f"slowest_least_{name}_ms": round(max(map(min, times.values())), 1),
        }
    return found


def started(database: Path, folder: Path) -> dict[str, float]:
    """CPU and time of the whole command, with an index that has every change."""
    command = [sys.executable, "-m", "scrapy", "search", "vacuum"]
    command += ["-s", f"SITECRAWL_DATABASE=sqlite:///{database}"]
    used(command, folder, SCRAPY_SETTINGS_MODULE="sitecrawl.settings")  # makes the search file
    runs = [
        used(command, folder, SCRAPY_SETTINGS_MODULE="sitecrawl.settings") for _ in range(REPEATS)
    ]
    found: dict[str, float] = {}
    for name in ("cpu", "wall"):
        times = [1000 * run[name] for run in runs]
        found |= {f"{name}_ms": round(median(times)), f"least_{name}_ms": round(min(times))}
    return found


def main() -> None:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="5000,100000")
    parser.add_argument("--targets", default="")
    parser.add_argument("--preset", default="")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    is_whole = not (options.targets or options.preset)
    with recorded("sync", whole=is_whole) as figures, served() as corpus:
        database = crawled(corpus, options.preset)
        figures["sizes"] = {}
        for size in sizes:
            folder = corpus.room(f"{size}")
            copy = grown(database, folder, size)
            found: dict[str, Any] = {}
            everything = (*TARGETS, ENGINE) if size <= FEW else ("sqlite",)
            for target in options.targets.split(",") if options.targets else everything:
                found[target] = synchronized(copy, target, folder, size)
                print(size, target, json.dumps(found[target]), flush=True)
            if (file := folder / "search.sqlite").exists():
                found["search"] = searched(file)
                found["command"] = started(copy, folder) if size == min(sizes) else None
                print(size, json.dumps({k: found[k] for k in ("search", "command")}), flush=True)
            figures["sizes"][str(size)] = found


if __name__ == "__main__":
    main()
