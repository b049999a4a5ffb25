"""One crawl of a site by a checkout of this project, and its marks."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.corpus import ROOT
from benchmarks.real_sites.site import NEUTRAL, Marks, Served

ALWAYS = ("delay=0", "politeness=0")
SHUFFLED = "benchmarks.real_sites.shuffled"
_MEASURED = ROOT / "benchmarks" / "measured.py"
_GRACE = 60  # seconds that a crawl which took too long has to end in order


def python_of(checkout: Path) -> str:
    """The interpreter of a checkout's own environment, or this one."""
    own = checkout / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def crawl(
    checkout: Path,
    served: Served,
    folder: Path,
    options: Sequence[str],
    *,
    max_pages: int,
    longest: float,
    seed: int | None = None,
) -> Marks:
    """Crawl a site in a new folder, with as many requests and for as many seconds at most.

    With a ``seed`` the order of the crawl is random.
    """
    folder.mkdir()
    before = served.requests()
    command = [python_of(checkout), str(_MEASURED), str(folder / "used.json")]
    command += [python_of(checkout), "-m", "scrapy" if seed is None else SHUFFLED]
    command += ["crawl", "site", "-O", "site.jsonl"]
    for option in (f"start={served.start}", f"max_pages={max_pages}", *ALWAYS, *options):
        command += ["-a", option]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment |= {"PYTHONPATH": str(checkout), "SEED": str(seed)}
    began = time.monotonic()
    in_time = run_bounded(command, folder, environment, longest)
    seconds = time.monotonic() - began
    requests = served.requests() - before
    by_itself = finish_reason(folder) == "finished" and requests < max_pages
    used = folder / "used.json"
    return _marks(
        served,
        _documents(folder / "site.jsonl"),
        requests=requests,
        ended=in_time and by_itself,
        seconds=seconds,
        cpu=json.loads(used.read_text())["cpu"] if used.exists() else 0.0,
    )


def run_bounded(
    command: Sequence[str], folder: Path, environment: dict[str, str], longest: float
) -> bool:
    """Run a crawl in a folder, ended after so many seconds; True if it ended before."""
    with (folder / "crawl.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        process.wait(longest)
        return True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def finish_reason(folder: Path) -> str | None:
    """Finish reason of the last run in a folder's crawl database."""
    for database in (folder / ".sitecrawl").glob("*.db"):
        with closing(sqlite3.connect(database)) as connection:
            row = connection.execute("SELECT finish_reason FROM run ORDER BY id DESC").fetchone()
            return row[0] if row else None
    return None


def _documents(file: Path) -> list[str]:
    """URLs of the documents that stand at the end."""
    standing: dict[str, str] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            change = json.loads(line)
            if change["op"] == "delete":
                standing.pop(change["id"], None)
            else:
                standing[change["id"]] = change["url"]
    return list(standing.values())


def _marks(
    served: Served, documents: list[str], *, requests: int, ended: bool, seconds: float, cpu: float
) -> Marks:
    shown = [served.page_of(url) for url in documents]
    found = {each for each in shown if each and each in served.pages}
    counted = [each for each in shown if each != NEUTRAL]
    return Marks(
        found=len(found),
        pages=len(served.pages),
        documents=len(counted),
        lists=len(shown) - len(counted),
        garbage=sum(each not in served.pages for each in counted),
        requests=requests,
        ended=ended,
        seconds=seconds,
        cpu=cpu,
    )
