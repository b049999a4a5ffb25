"""Time from the start of ``scrapy crawl site`` to its first request, against plain Scrapy's.

    python -m benchmarks.startup [ROUNDS]

By turns, one page each; the fastest round counts, and the CPU time of the whole process.
"""

from __future__ import annotations

import sys
import time

from benchmarks.corpus import ONE_PAGE, Corpus, generated
from benchmarks.crawls import Crawl, plain_scrapy, sitecrawl
from benchmarks.results import recorded
from benchmarks.tables import startup as table

CRAWLS: dict[str, Crawl] = {"plain Scrapy CrawlSpider": plain_scrapy, "sitecrawl": sitecrawl}


def measure(crawl: Crawl, corpus: Corpus, name: str) -> dict[str, float]:
    """Seconds to the first request, which asks for robots.txt, and seconds of CPU."""
    folder = corpus.room(name)
    began = time.time()
    result = crawl(corpus, folder)
    return {"first": corpus.nginx.log()[0].started - began, "cpu": result.cpu}


def main(rounds: int) -> None:
    """Run the rounds and print the table."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in CRAWLS}
    with recorded("startup") as figures, generated(ONE_PAGE) as corpus:
        for number in range(rounds):
            for position, (name, crawl) in enumerate(CRAWLS.items()):
                found[name].append(measure(crawl, corpus, f"{position}-{number}"))
        figures["rounds"] = rounds
        figures["rows"] = {
            name: {word: round(min(run[word] for run in runs), 3) for word in ("first", "cpu")}
            for name, runs in found.items()
        }
    print(table(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
