"""CPU time of a page, by the parts of the program.

    python -m benchmarks.shares [--rounds 3] [--corpus NAME]

Samples of several crawls together; those of the main thread are scaled to its clock.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.corpus import CORPORA, MAIN, Corpus, served
from benchmarks.crawls import HERE, sitecrawl
from benchmarks.results import recorded
from benchmarks.sampled import WAITING
from benchmarks.tables import shares as table

THREADS = "frontier's thread: crawl database"


def sampled(corpus: Corpus, directory: Path) -> dict[str, float]:
    """CPU milliseconds per page of each part, in one crawl."""
    program = [sys.executable, str(HERE / "sampled.py"), "shares.json"]
    pages = len(sitecrawl(corpus, directory, program=program).pages)
    found = json.loads((directory / "shares.json").read_text(encoding="utf-8"))
    counts, seconds = found["counts"], found["seconds"]
    counts.pop(WAITING, None)
    scale = 1000 * seconds["main"] / sum(counts.values()) / pages
    parts = {name: count * scale for name, count in counts.items()}
    return {**parts, THREADS: 1000 * (seconds["process"] - seconds["main"]) / pages}


def main() -> None:
    """Run the rounds and print the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", choices=CORPORA, default=MAIN)
    given = parser.parse_args()
    sums: Counter[str] = Counter()
    with recorded("shares") as figures, served(given.corpus) as corpus:
        for number in range(given.rounds):
            sums.update(sampled(corpus, corpus.room(str(number))))
        figures["corpus"], figures["rounds"] = given.corpus, given.rounds
        figures["rows"] = {
            name: round(total / given.rounds, 3) for name, total in sums.most_common()
        }
    print(table(figures))


if __name__ == "__main__":
    main()
