"""CPU time of reading pages: lexbor's parse alone against ``read_page``.

    python benchmarks/reading.py [DIRECTORY ...]

Prints the median and mean over real documentation pages, in microseconds.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

DIRECTORIES = (
    "/usr/share/doc/python-django-doc",
    "/usr/share/doc/git-doc",
    "/usr/share/doc/debian-handbook",
)
PAGES_EACH = 60
ROUNDS = 5


def bodies(directories: list[str]) -> list[bytes]:
    """The same sample of pages every time."""
    chosen: list[bytes] = []
    for directory in directories:
        files = sorted(path for path in Path(directory).rglob("*.html") if path.is_file())
        sample = random.Random(1).sample(files, min(PAGES_EACH, len(files)))
        chosen += [path.read_bytes() for path in sample]
    return chosen


def parse(body: bytes) -> None:
    """One parse and nothing else."""
    LexborHTMLParser(body, scripting=True)


def read(body: bytes) -> None:
    """All facts of a page."""
    read_page(
        body,
        url="https://example.org/manual/page.html",
        content_type="text/html; charset=utf-8",
        headers={},
        options=ReadOptions(),
    )


def microseconds(action: Callable[[bytes], None], body: bytes) -> float:
    """The fastest of several rounds, in CPU time."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        action(body)
        times.append(time.thread_time() - start)
    return min(times) * 1e6


def main() -> None:
    """Measure and print."""
    sample = bodies(sys.argv[1:] or list(DIRECTORIES))
    pairs = [(microseconds(parse, body), microseconds(read, body)) for body in sample]
    parses, reads = zip(*pairs, strict=True)
    extra = [whole - part for part, whole in pairs]
    print(f"{len(sample)} pages, mean {fmean(map(len, sample)):.0f} bytes")
    for name, times in (("parse", parses), ("read_page", reads), ("beyond the parse", extra)):
        print(f"{name:18} median {median(times):7.0f} µs   mean {fmean(times):7.0f} µs")


if __name__ == "__main__":
    main()
