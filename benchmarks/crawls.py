"""Crawls to measure: each a process of its own, its pages counted by the server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Corpus
from fixtures.walk import plain

HERE = Path(__file__).parent
LONGEST = 900  # seconds that a crawl may take
QUIET = ["-s", "LOG_LEVEL=ERROR"]
SCRAPY = (sys.executable, "-m", "scrapy")


@dataclass(frozen=True, slots=True)
class Result:
    """One run: seconds of CPU and of the clock, megabytes at most, and what was served.

    ``urls`` were answered with 200, in that order; ``pages`` are the different ones, a
    folder standing for its index; ``sent`` are the bytes of all bodies.
    """

    cpu: float
    wall: float
    memory: float
    urls: tuple[str, ...]
    pages: frozenset[str]
    sent: int

    @property
    def cost(self) -> float:
        """CPU milliseconds per page."""
        return 1000 * self.cpu / len(self.pages)


Crawl = Callable[[Corpus, Path], Result]


def used(command: Sequence[str], directory: Path, **variables: str) -> dict[str, float]:
    """Run a command in ``directory``; its ``cpu``, ``wall`` and ``memory``."""
    environment = {**os.environ, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have their bytecode
    file = directory / "used.json"
    wrapped = [sys.executable, "-I", "-S", str(HERE / "measured.py"), str(file), *command]
    log = directory / "output.log"
    if status := _ended(wrapped, directory, environment, log):
        tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise RuntimeError(f"{command[0]} ended with {status}:\n{tail}")
    found: dict[str, float] = json.loads(file.read_text())
    return found


def _ended(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], log: Path
) -> int:
    """The exit status of a command; whatever happens, nothing that it started goes on."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        return process.wait(LONGEST)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def measure(
    corpus: Corpus, command: Sequence[str], directory: Path, variables: Mapping[str, str]
) -> Result:
    """Run one crawl to its end in ``directory``."""
    corpus.nginx.forget()
    figures = used(command, directory, **variables)
    log = corpus.nginx.log()
    urls = tuple(each.origin + each.target for each in log if each.status == 200)
    return Result(
        **figures,
        urls=urls,
        pages=frozenset(map(plain, urls)),
        sent=sum(each.sent for each in log),
    )


def plain_scrapy(corpus: Corpus, directory: Path) -> Result:
    """The plain way, with Scrapy's own defaults and robots.txt obeyed."""
    spider = str(HERE / "plain_spider.py")
    command = [*SCRAPY, "runspider", spider, "-O", "plain.jsonl"]
    command += ["-a", f"start={' '.join(corpus.starts)}", "-s", "ROBOTSTXT_OBEY=1", *QUIET]
    return measure(corpus, command, directory, {"SCRAPY_SETTINGS_MODULE": ""})


def sitecrawl(
    corpus: Corpus,
    directory: Path,
    *options: str,
    program: Sequence[str] = SCRAPY,
    checkout: Path | None = None,
) -> Result:
    """The crawl as shipped, without delay, on the database in ``directory``.

    It is that of another ``checkout`` if one is given.
    """
    command = [*program, "crawl", "site", "-O", "site.jsonl"]
    command += ["-a", f"start={' '.join(corpus.starts)}", "-a", "delay=0", *QUIET]
    command += [word for option in options for word in ("-a", option)]
    variables = {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    if checkout is not None:
        variables["PYTHONPATH"] = str(checkout)
    return measure(corpus, command, directory, variables)
