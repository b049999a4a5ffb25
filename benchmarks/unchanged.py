"""A second crawl of sites that did not change: its bytes and CPU against the first's.

    python -m benchmarks.unchanged [--rounds 3] [--corpus NAME]

Everything is due again at once; nginx gives validators, and answers 304.
"""

from __future__ import annotations

import argparse
from statistics import median

from benchmarks.corpus import CORPORA, MAIN, served
from benchmarks.crawls import Result, sitecrawl
from benchmarks.results import recorded
from benchmarks.tables import unchanged as table


def crawl_twice(corpus_name: str, rounds: int) -> list[tuple[Result, Result]]:
    """Two crawls on the same database, each round on a new one."""
    pairs = []
    with served(corpus_name) as corpus:
        for number in range(rounds):
            folder = corpus.room(str(number))
            first = sitecrawl(corpus, folder)
            pairs.append((first, sitecrawl(corpus, folder, "recrawl=0")))
    return pairs


def main() -> None:
    """Run the rounds and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", choices=CORPORA, default=MAIN)
    given = parser.parse_args()
    with recorded("unchanged") as figures:
        pairs = crawl_twice(given.corpus, given.rounds)
        figures["corpus"], figures["rounds"] = given.corpus, given.rounds
        crawls = list(zip(*pairs, strict=True))
        figures["cpu"] = [round(median(each.cpu for each in runs), 2) for runs in crawls]
        figures["sent"] = [median(each.sent for each in runs) for runs in crawls]
        figures["pages"] = [len(each.pages) for each in pairs[-1]]
        figures["cpu_ratio"] = round(median(b.cpu / a.cpu for a, b in pairs), 3)
        figures["sent_ratio"] = round(median(b.sent / a.sent for a, b in pairs), 5)
    print(table(figures))


if __name__ == "__main__":
    main()
