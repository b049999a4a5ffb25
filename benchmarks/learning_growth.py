"""Memory, database and longest pause of learning on one large origin.

    python -m benchmarks.learning_growth [--kinds 2000] [--names 25] [--archive]

A made-up origin has so many kinds of pages (directories), ten each with pages of the same names; the
pages of every tenth kind repeat those of the kind before. ``--archive`` has one kind instead, whose
pages lead to one another. It is crawled with and without learning. Prints megabytes at most, CPU,
the bytes of what was learned in the crawl database, and the longest times for which the event loop
stood still, in seconds, at the end of the crawl and before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmarks.crawls import QUIET, SCRAPY
from benchmarks.growing_site import SYLLABLES
from fixtures.server import Answer, Page, Request, Server, page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

HERE = Path(__file__).parent
WORDS = 200
EVERY = 0.01
"""Seconds between two looks at the event loop."""
LATE = 0.05
LEARNED = {
    "worth": "SELECT count(*), coalesce(sum(length(name) + length(value)), 0) FROM worth",
    "learned": "SELECT count(*), coalesce(sum(length(words) + length(value)), 0) FROM learned",
}
WITHOUT = ("learn_worth=no", "learn_duplicates=no", "query=keep", "max_maze_share=0")


class LoopPauses:
    """Scrapy extension that writes the times for which the event loop stood still."""

    def __init__(self, crawler: Crawler) -> None:
        self._file = Path(crawler.settings["LOOP_PAUSES"])
        self._pauses: list[tuple[float, float]] = []
        self._before = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin with the spider."""
        from scrapy import signals  # noqa: PLC0415 -- the benchmark itself needs no framework

        found = cls(crawler)
        crawler.signals.connect(found.begin, signal=signals.spider_opened)
        crawler.signals.connect(found.end, signal=signals.spider_closed)
        return found

    def begin(self) -> None:
        """Look at the clock from now on."""
        self._before = time.monotonic()
        self._look()

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._before > LATE + EVERY:
            self._pauses.append((now, now - self._before - EVERY))
        self._before = now
        asyncio.get_running_loop().call_later(EVERY, self._look)

    def end(self) -> None:
        """Write seconds before the end, and seconds of each pause."""
        now = time.monotonic()
        self._file.write_text(json.dumps([(now - at, pause) for at, pause in self._pauses]))


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up origin; the pages of an ``archive`` are of one kind, each names the next."""

    kinds: int
    names: int

    def answer(self, request: Request) -> Page:
        """Return the page of a path."""
        kind, name = self._place(request.target)
        if not (0 <= kind < self.kinds and 0 <= name < self.names):
            return Answer(status=404)
        is_copy = kind % 10 == 9
        dice = random.Random((kind - is_copy) * self.names + name)
        text = " ".join("".join(dice.choices(SYLLABLES, k=3)) for _ in range(WORDS))
        links = [self.path(kind, name + 1)] if name + 1 < self.names and not is_copy else []
        if kind % 10 == 8 and kind + 1 < self.kinds:
            links.append(self.path(kind + 1, name))
        if name == 0:
            further = (each for each in (2 * kind + 1, 2 * kind + 2) if each < self.kinds)
            links += [self.path(each, 0) for each in further]
        return page(*links, title=text[:30], text=("seen " if is_copy else "") + text)

    def path(self, kind: int, name: int) -> str:
        """Return the path of a page."""
        return f"/{_word(kind)}/{_word(kind // 10 * self.names + name)}.html"

    def _place(self, target: str) -> tuple[int, int]:
        if target == "/":
            return 0, 0
        directory, _, name = target[1:].removesuffix(".html").partition("/")
        kind = _number(directory)
        return kind, _number(name) - kind // 10 * self.names


def _word(number: int) -> str:
    digits = []
    for _ in range(3):
        number, digit = divmod(number, len(SYLLABLES))
        digits.append(f"{SYLLABLES[digit]:x<3}")
    return "".join(digits)


def _number(word: str) -> int:
    parts = [word[place : place + 3].rstrip("x") for place in range(0, 9, 3)]
    if not all(part in SYLLABLES for part in parts):
        return -1
    return sum(SYLLABLES.index(part) * len(SYLLABLES) ** n for n, part in enumerate(parts))


def measure(site: Made, options: tuple[str, ...]) -> dict[str, object]:
    """Crawl the site once."""
    with Server() as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        origin = server.serve({"/robots.txt": Answer(status=404), "*": site.answer})
        arguments = [each for option in ("delay=0", *options) for each in ("-a", option)]
        database = folder / "crawl.db"
        settings = {
            "SITECRAWL_DATABASE": f"sqlite:///{database}",
            "LOOP_PAUSES": str(folder / "pauses.json"),
            "EXTENSIONS": json.dumps({"benchmarks.learning_growth.LoopPauses": 0}),
        }
        given = [each for key, value in settings.items() for each in ("-s", f"{key}={value}")]
        used = folder / "used.json"
        command = [*SCRAPY, "crawl", "site", "-a", f"start={origin}/", *arguments, *given, *QUIET]
        wrapped = [sys.executable, "-I", "-S", str(HERE / "measured.py"), str(used), *command]
        output = folder / "documents.jsonl"
        subprocess.run([*wrapped, "-O", str(output)], check=True, cwd=HERE.parent)
        pauses = json.loads((folder / "pauses.json").read_text())
        with closing(sqlite3.connect(database)) as stored:
            sizes = {each: stored.execute(query).fetchone() for each, query in LEARNED.items()}
            [(pages, documents)] = stored.execute(
                "SELECT (SELECT count(*) FROM url),"
                " (SELECT count(*) FROM document WHERE seq IS NOT NULL)"
            )
        return {
            **json.loads(used.read_text()),
            "requests": len(server.log.exchanges),
            "urls": pages,
            "documents": documents,
            "database": database.stat().st_size,
            **sizes,
            "pauses": sorted(pauses, key=lambda each: -each[1])[:8],
        }


def main() -> None:
    """Measure with and without learning."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", type=int, default=2000)
    parser.add_argument("--names", type=int, default=25)
    parser.add_argument("--archive", action="store_true")
    given = parser.parse_args()
    site = Made(1, 10_000) if given.archive else Made(given.kinds, given.names)
    for words, options in (("learning", ()), ("none", WITHOUT)):
        print(words, json.dumps(measure(site, options)), flush=True)


if __name__ == "__main__":
    main()
