"""The cost of stored links: CPU and database size of a crawl with them and without, in pairs.

python -m benchmarks.stored_links [--rounds 5] [--corpus NAME]
"""

from __future__ import annotations

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path
from statistics import median

from benchmarks.corpus import CORPORA, MAIN, served
from benchmarks.crawls import Result, sitecrawl

SIZE = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_page_size, pragma_freelist_count"
LINKS = "SELECT count(*), sum(length(targets)), sum(1 + length(targets) - length(replace(targets, ',', ''))) FROM link"


def asked(folder: Path, query: str) -> tuple[int, ...]:
    """The one row that a query finds in the crawl database of a folder."""
    (database,) = (folder / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        row: tuple[int, ...] = connection.execute(query).fetchone()
        return row


def main() -> None:
    """Run the rounds and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--corpus", choices=CORPORA, default=MAIN)
    given = parser.parse_args()
    pairs: list[tuple[Result, Result]] = []
    with served(given.corpus) as corpus:
        for number in range(given.rounds):
            off, on = corpus.room(f"off{number}"), corpus.room(f"on{number}")
            without = sitecrawl(corpus, off, "store_links=no")
            pairs.append((without, sitecrawl(corpus, on, "store_links=known")))
            print(f"{pairs[-1][0].cost:.2f} {pairs[-1][1].cost:.2f} ms/page", flush=True)
        (before,), (size,) = asked(off, SIZE), asked(on, SIZE)
        pages, characters, links = asked(on, LINKS)
    ratio = median(on.cpu / off.cpu for off, on in pairs)
    print(f"CPU ratio with / without: {ratio:.3f} over {len(pairs)} pairs")
    print(f"database {before / 1e6:.1f} MB without, {size / 1e6:.1f} MB with")
    print(f"{links} links of {pages} pages, {characters / links:.2f} characters each")


if __name__ == "__main__":
    main()
