"""A second crawl of sites that did not change: its bytes and CPU against the first's.

    python -m benchmarks.unchanged [ROUNDS]

Everything is due again at once; nginx gives validators, and answers 304.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.crawls import Result, sitecrawl
from fixtures import real_sites


def main(rounds: int) -> None:
    """Crawl twice on the same database, each round on a new one, and print the medians."""
    pairs: list[tuple[Result, Result]] = []
    with tempfile.TemporaryDirectory() as name, real_sites.served(Path(name)) as (nginx, starts):
        for number in range(rounds):
            directory = Path(name) / str(number)
            directory.mkdir()
            first = sitecrawl(nginx, starts, directory)
            pairs.append((first, sitecrawl(nginx, starts, directory, "recrawl=0")))
    print("| crawl | CPU s | bytes | pages sent |\n|---|---|---|---|")
    for word, runs in zip(("first", "second"), zip(*pairs, strict=True), strict=True):
        cpu, sent = (median(each) for each in zip(*((r.cpu, r.sent) for r in runs), strict=True))
        print(f"| {word} | {cpu:.2f} | {sent:.0f} | {len(runs[-1].pages)} |")
    cpu = median(second.cpu / first.cpu for first, second in pairs)
    sent = median(second.sent / first.sent for first, second in pairs)
    print(f"\nsecond against first: CPU {cpu:.2f}, bytes {sent:.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
