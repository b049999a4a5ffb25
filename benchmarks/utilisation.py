"""Share of the allowed pace that a crawl uses.

    python -m benchmarks.utilisation [CASE ...]

Utilisation is the ideal time at the promised delay (of the origin that takes longest, from
its first request to its last) divided by the time from the first request at any server to
the last, by the servers' log. Cases: equal (40 origins, 0.5 s), mixed (24 origins at 5 s
beside 40 at 0.5 s), many (1,000 origins, 10 s).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import recorded
from benchmarks.tables import utilisation as table
from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page

SLOW = 5.0


@dataclass(frozen=True, slots=True)
class Case:
    """Origins with so many pages each at ``delay``, and some at ``SLOW`` by Crawl-delay."""

    origins: int
    delay: float
    pages: int
    slow_origins: int = 0
    slow_pages: int = 0


CASES = {
    "equal": Case(40, 0.5, 40),
    "mixed": Case(40, 0.5, 60, 24, 6),
    "many": Case(1000, 10.0, 4),
}


def site(pages: int, robots: str) -> Site:
    """A home page that links to all the others."""
    paths = [f"/p{n}" for n in range(pages - 1)]
    texts = {path: page(text=f"Page {path}") for path in paths}
    return {"/robots.txt": robots, "/": page(*paths, text="Home"), **texts}


def addresses() -> Iterator[str]:
    """Loopback addresses, each a host of its own."""
    return (f"127.7.{n // 250}.{n % 250 + 1}" for n in range(10_000))


def measure(case: Case) -> tuple[float, float, int]:
    """Ideal seconds, real seconds, and the number of requests."""
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        free = addresses()
        fast = site(case.pages, "User-agent: *\nDisallow:\n")
        slow = site(case.slow_pages, f"User-agent: *\nCrawl-delay: {SLOW}\n")
        starts = [server.serve(fast, address=next(free)) for _ in range(case.origins)]
        starts += [server.serve(slow, address=next(free)) for _ in range(case.slow_origins)]
        listed = Path(folder) / "starts.txt"
        listed.write_text("\n".join(f"{start}/" for start in starts), encoding="utf-8")
        run = CrawlCommand(Path(folder)).begin(
            f"@{listed}", delay=case.delay, crawl_name="utilisation"
        )
        finished = run.finish(timeout=600)
        exchanges = [exchange for start in starts for exchange in server.log.of(start)]
        assert finished.status == 0, finished.log[-2000:]
    expected = case.origins * (case.pages + 1) + case.slow_origins * (case.slow_pages + 1)
    assert len(exchanges) == expected, f"{len(exchanges)} requests in place of {expected}"
    real = max(e.ended or e.started for e in exchanges) - min(e.started for e in exchanges)
    ideal = max(case.pages * case.delay, case.slow_pages * SLOW)
    return ideal, real, len(exchanges)


def main(names: list[str]) -> None:
    """Measure the cases and print the table."""
    with recorded("utilisation", whole=not names) as figures:
        figures["rows"] = {}
        for name in names or list(CASES):
            ideal, real, requests = measure(CASES[name])
            row = {"requests": requests, "ideal": round(ideal, 2), "real": round(real, 2)}
            figures["rows"][name] = row
    print(table(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
