"""CPU per page of ``scrapy crawl site`` against a plain CrawlSpider, on three real sites.

    python -m benchmarks.against_scrapy [ROUNDS]

Both crawl the same pages from the same nginx, by turns; each figure is the median of the
rounds. CPU is user and system time of the whole process; pages are counted by the server.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.crawls import Result, plain_scrapy, sitecrawl
from fixtures import real_sites


def table(results: dict[str, list[Result]]) -> str:
    """The medians in Markdown, with the ratio to the first row."""
    lines = [
        "| crawler | CPU ms/page | pages/s | RSS MB | pages | CPU ratio |",
        "|---|---|---|---|---|---|",
    ]
    base = median(run.cost for run in next(iter(results.values())))
    for name, runs in results.items():
        cost = median(run.cost for run in runs)
        speed = median(len(run.pages) / run.wall for run in runs)
        memory = median(run.memory for run in runs)
        pages = len(runs[-1].pages)
        lines.append(
            f"| {name} | {cost:.2f} | {speed:.0f} | {memory:.0f} | {pages} | {cost / base:.2f} |"
        )
    return "\n".join(lines)


def main(rounds: int) -> None:
    """Run the rounds and print the table, and what only one of them fetched."""
    results: dict[str, list[Result]] = {"plain Scrapy CrawlSpider": [], "sitecrawl": []}
    with tempfile.TemporaryDirectory() as name, real_sites.served(Path(name)) as (nginx, starts):
        for number in range(rounds):
            for crawler, runs in zip((plain_scrapy, sitecrawl), results.values(), strict=True):
                directory = Path(name) / f"{crawler.__name__}-{number}"
                directory.mkdir()
                runs.append(crawler(nginx, starts, directory))
    print(table(results))
    theirs, ours = (runs[-1].pages for runs in results.values())
    print(f"\nonly plain Scrapy fetched: {sorted(theirs - ours)}")
    print(f"only sitecrawl fetched: {sorted(ours - theirs)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
