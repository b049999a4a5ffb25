"""Time from the start of ``scrapy crawl site`` to its first request, against plain Scrapy's.

    python -m benchmarks.startup [ROUNDS]

By turns, one page each; the fastest round counts, and the CPU time of the whole process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.crawls import Result, plain_scrapy, sitecrawl
from fixtures.nginx import Nginx

Crawl = Callable[[Nginx, Sequence[str], Path], Result]
CRAWLS: dict[str, Crawl] = {"plain Scrapy CrawlSpider": plain_scrapy, "sitecrawl": sitecrawl}
PAGE = "<!doctype html><title>One page</title><p>And nothing else.</p>"


def measure(crawl: Crawl, nginx: Nginx, directory: Path) -> tuple[float, float]:
    """Seconds to the first request, which asks for robots.txt, and seconds of CPU."""
    directory.mkdir()
    began = time.time()
    starts = [f"{origin}/" for origin in nginx.origins.values()]
    result = crawl(nginx, starts, directory)
    return nginx.log()[0].started - began, result.cpu


def main(rounds: int) -> None:
    """Run the rounds and print the table."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CRAWLS}
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # nginx reads as another user
        root = Path(name) / "site"
        root.mkdir()
        (root / "index.html").write_text(PAGE)
        with Nginx(Path(name), {"127.0.0.11": root}) as nginx:
            for number in range(rounds):
                for position, (crawler, crawl) in enumerate(CRAWLS.items()):
                    directory = Path(name) / f"{position}-{number}"
                    found[crawler].append(measure(crawl, nginx, directory))
    fastest = {name: tuple(map(min, zip(*runs, strict=True))) for name, runs in found.items()}
    base = fastest["plain Scrapy CrawlSpider"]
    print("| crawler | first request s | CPU s | ratios |\n|---|---|---|---|")
    for name, (first, cpu) in fastest.items():
        print(f"| {name} | {first:.2f} | {cpu:.2f} | {first / base[0]:.2f}, {cpu / base[1]:.2f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
