"""Runs Scrapy and writes where its CPU time went: python sampled.py FILE crawl site ...

The process is interrupted at each tick of its CPU time; what the main thread does then is
counted by the innermost part of the program that it is in. Other threads are counted by
their clocks.
"""

from __future__ import annotations

import atexit
import json
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

TICK = 0.001  # seconds; the kernel takes its own if that is longer
START = "start and end"
WAITING = "waiting"
LOOP = "asyncio"
PARSE = "lexbor's parse"
LAW = "what may be left out"
LAW_MODULES = ("sitecrawl.policy.worth.", "sitecrawl.scheduling.yields")  # with all that they call
# Beginnings of modules' names, and what they stand for; any other module counts as its caller.
PARTS = {
    "sitecrawl.web.": "reading besides",
    "sitecrawl.policy.": "policy",
    "sitecrawl.frontier.": "frontier, main thread",
    "sitecrawl.download": "fetching",  # and its middlewares
    "sitecrawl.pipelines": "pipelines and feed",
    "sitecrawl.output.exporters": "pipelines and feed",
    "sitecrawl.": "crawl: scheduling, recording",
    "scrapy.": "Scrapy",
    "pydispatch.": "Scrapy",
    "twisted.": "Twisted",
    "asyncio.": LOOP,
}


def part(frame: FrameType | None) -> str:
    """The part of the program that the main thread is in."""
    if frame is not None and frame.f_code.co_name == "read_html":  # itself only calls the parser
        return PARSE
    if frame is not None and module(frame) == "selectors":
        return WAITING
    found = ""
    while frame is not None:
        name = module(frame)
        if name.startswith(LAW_MODULES):
            return LAW
        found = found or next(
            (stands for begin, stands in PARTS.items() if name.startswith(begin)), ""
        )
        if frame.f_code.co_name == "run_forever":
            return found
        frame = frame.f_back
    return START


def module(frame: FrameType) -> str:
    """The name of the module that the frame's code is of."""
    return str(frame.f_globals.get("__name__", ""))


def main(file: Path, arguments: list[str]) -> None:
    """Run ``scrapy`` with the arguments; the file is written as the process ends."""
    counts: Counter[str] = Counter()

    def write() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        clock = time.pthread_getcpuclockid(threading.main_thread().ident or 0)
        seconds = {"main": time.clock_gettime(clock), "process": time.process_time()}
        file.write_text(json.dumps({"seconds": seconds, "counts": counts}), encoding="utf-8")

    atexit.register(write)
    signal.signal(signal.SIGPROF, lambda _, frame: counts.update((part(frame),)))
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)

    from scrapy.cmdline import execute  # noqa: PLC0415 - its import is part of the start

    execute(["scrapy", *arguments])


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:])
