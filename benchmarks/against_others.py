"""sitecrawl against other crawlers, and against the least that a page can cost.

    python -m benchmarks.against_others [--rounds 3] [--corpus NAME] [--only WORD ...]

Installs the others, serves the corpus, and lets all crawl it by turns, round after round;
sitecrawl crawls after each of them, so that the two have the same machine. Each figure is
the median of the rounds, and each ratio that of neighbours. CPU is user and system time of a crawl's whole
process tree; the pages are counted by the server. ``--only`` takes the rows whose names
contain one of the words, and keeps no results; sitecrawl always runs.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.competitors import COMPETITORS
from benchmarks.corpus import CORPORA, MAIN, ONE_PAGE, Corpus, generated, served
from benchmarks.crawls import HERE, Crawl, Result, measure, sitecrawl
from benchmarks.results import recorded
from benchmarks.tables import LIMIT, OURS
from benchmarks.tables import against_others as table

Results = dict[str, list[Result]]


def limit(urls: tuple[str, ...], corpus: Corpus, folder: Path) -> Result:
    """Fetch and parse ``urls`` and do nothing else."""
    (folder / "urls.txt").write_text("\n".join(urls))
    program = [sys.executable, str(HERE / "limit.py"), "urls.txt"]
    return measure(corpus, program, folder, {})


@dataclass(slots=True)
class Runs:
    """The results of all rounds by crawler.

    ``after`` holds sitecrawl's right after each of them; ``single`` are crawls of one page.
    """

    crawls: Results
    after: Results
    single: Results


def run(corpus: Corpus, single: Corpus, crawls: dict[str, Crawl], rounds: int) -> Runs:
    """Let all crawl by turns."""
    runs = Runs(defaultdict(list), defaultdict(list), defaultdict(list))
    for number in range(rounds):
        first = sitecrawl(corpus, corpus.room(f"first-{number}"))
        runs.crawls[OURS].append(first)
        turns: dict[str, Crawl] = {**crawls, LIMIT: partial(limit, first.urls)}
        for position, (name, crawl) in enumerate(turns.items()):
            runs.crawls[name].append(crawl(corpus, corpus.room(f"{position}-{number}")))
            ours = sitecrawl(corpus, corpus.room(f"after-{position}-{number}"))
            runs.after[name].append(ours)
            runs.crawls[OURS].append(ours)
        runs.single[OURS].append(sitecrawl(single, single.room(f"sitecrawl-{number}")))
        runs.single[LIMIT].append(limit(single.starts, single, single.room(f"limit-{number}")))
    return runs


def summary(name: str, runs: Runs) -> dict[str, Any]:
    """The figures of one crawler; ``noise`` is the spread of its rounds' CPU."""
    found = runs.crawls[name]
    costs = [each.cost for each in found]
    pages, ours = found[-1].pages, runs.crawls[OURS][-1].pages
    neighbours = zip(runs.after.get(name, found), found, strict=True)
    return {
        "cost": round(median(costs), 3),
        "noise": round((max(costs) - min(costs)) / median(costs), 3),
        "ratio": round(median(own.cost / other.cost for own, other in neighbours), 3),
        "speed": round(median(len(each.pages) / each.wall for each in found), 1),
        "memory": round(median(each.memory for each in found)),
        "pages": len(pages),
        "missed": sorted(ours - pages),
        "more": sorted(pages - ours),
    }


def in_loop(runs: list[Result], single: list[Result]) -> float:
    """CPU milliseconds of a further page: the crawl of one page is taken off as the start."""
    start = median(each.cpu for each in single)
    return round(median(1000 * (r.cpu - start) / (len(r.pages) - 1) for r in runs), 3)


def is_wanted(name: str, words: list[str]) -> bool:
    """Return True if a name contains one of the words, or there are none."""
    return not words or any(word.lower() in name.lower() for word in words)


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", choices=CORPORA, default=MAIN)
    parser.add_argument("--only", nargs="+", default=[])
    given = parser.parse_args()
    chosen = [c for c in COMPETITORS if is_wanted(c.name, given.only)]
    for competitor in chosen:
        competitor.install()
    with recorded("against_others", whole=not given.only) as figures:
        with served(given.corpus) as corpus, generated(ONE_PAGE) as single:
            crawls = {each.name: each.crawl for each in chosen}
            runs = run(corpus, single, crawls, given.rounds)
        figures["corpus"], figures["rounds"] = given.corpus, given.rounds
        figures["rows"] = {name: summary(name, runs) for name in (*crawls, OURS, LIMIT)}
        figures["loop"] = {
            name: in_loop(runs.crawls[name], runs.single[name]) for name in (OURS, LIMIT)
        }
    print(table(figures))


if __name__ == "__main__":
    main()
