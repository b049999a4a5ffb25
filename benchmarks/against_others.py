"""sitecrawl against other crawlers, and against the least that a page can cost.

    python -m benchmarks.against_others [--rounds 3] [--corpus NAME] [--only WORD ...]

Installs the others, serves the corpus, and lets all crawl it by turns, round after round.
Each figure is the median of the rounds. CPU is user and system time of a crawl's whole
process tree; the pages are counted by the server. ``--only`` takes the rows whose names
contain one of the words, and keeps no results; sitecrawl always runs.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median
from typing import Any

from benchmarks.competitors import COMPETITORS
from benchmarks.corpus import CORPORA, MAIN, Corpus, one_page, served
from benchmarks.crawls import HERE, Crawl, Result, measure, sitecrawl
from benchmarks.results import recorded
from benchmarks.tables import LIMIT, OURS
from benchmarks.tables import against_others as table

Runs = dict[str, list[Result]]


def limit(corpus: Corpus, urls: tuple[str, ...], name: str) -> Result:
    """Fetch and parse ``urls`` and do nothing else."""
    folder = corpus.room(name)
    (folder / "urls.txt").write_text("\n".join(urls))
    program = [sys.executable, str(HERE / "limit.py"), "urls.txt"]
    return measure(corpus, program, folder, {})


def run(corpus: Corpus, single: Corpus, crawls: dict[str, Crawl], rounds: int) -> tuple[Runs, Runs]:
    """The results of all rounds by crawler: on the corpus, and on a single page."""
    runs: Runs = {name: [] for name in (*crawls, OURS, LIMIT)}
    starts: Runs = {OURS: [], LIMIT: []}
    for number in range(rounds):
        for position, (name, crawl) in enumerate(crawls.items()):
            runs[name].append(crawl(corpus, corpus.room(f"{position}-{number}")))
        ours = sitecrawl(corpus, corpus.room(f"sitecrawl-{number}"))
        runs[OURS].append(ours)
        runs[LIMIT].append(limit(corpus, ours.urls, f"limit-{number}"))
        starts[OURS].append(sitecrawl(single, single.room(f"sitecrawl-{number}")))
        starts[LIMIT].append(limit(single, single.starts, f"limit-{number}"))
    return runs, starts


def summary(runs: list[Result], ours: frozenset[str]) -> dict[str, Any]:
    """The figures of one crawler; ``noise`` is the spread of its rounds' CPU."""
    costs = [each.cost for each in runs]
    pages = runs[-1].pages
    return {
        "cost": round(median(costs), 3),
        "noise": round((max(costs) - min(costs)) / median(costs), 3),
        "speed": round(median(len(each.pages) / each.wall for each in runs), 1),
        "memory": round(median(each.memory for each in runs)),
        "pages": len(pages),
        "missed": sorted(ours - pages),
        "more": sorted(pages - ours),
    }


def in_loop(runs: list[Result], single: list[Result]) -> float:
    """CPU milliseconds of a further page: the crawl of one page is taken off as the start."""
    start = median(each.cpu for each in single)
    return round(median(1000 * (r.cpu - start) / (len(r.pages) - 1) for r in runs), 3)


def is_wanted(name: str, words: list[str]) -> bool:
    """Whether a name contains one of the words, or there are none."""
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
        with served(given.corpus) as corpus, one_page() as single:
            crawls = {each.name: each.crawl for each in chosen}
            runs, starts = run(corpus, single, crawls, given.rounds)
        ours = runs[OURS][-1].pages
        figures["corpus"], figures["rounds"] = given.corpus, given.rounds
        figures["rows"] = {name: summary(found, ours) for name, found in runs.items()}
        figures["loop"] = {name: in_loop(runs[name], starts[name]) for name in starts}
    print(table(figures))


if __name__ == "__main__":
    main()
