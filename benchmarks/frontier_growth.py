"""Cost of a page in the crawl database at 10,000, 100,000 and 1,000,000 known URLs.

    python -m benchmarks.frontier_growth [--sizes 10000,100000,1000000] [DATABASE_URL]

A page brings 50 links. With the crawler's seen-set in front, 5 of them reach the
database and are new; without it all 50 do, and 45 are known. 10,000 URLs wait all the
time. Prints milliseconds a page (wall clock of the worker's thread), pops included, and
the memory of the process.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time

from benchmarks.known_urls import fill
from sitecrawl.frontier.base import Candidate, StateOptions, VisitResult
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.store import Store
from sitecrawl.policy.outcomes import Outcome

ORIGINS = 20
BATCH = 50
PAGES = 2_000
BODY = "The quick brown fox jumps over the lazy dog. " * 60


def origin(number: int) -> str:
    """One of the origins, by the number of a URL."""
    return f"https://site{number % ORIGINS}.example"


def candidate(number: int) -> Candidate:
    """The URL of a number; fingerprints are as random as hashes are."""
    key = origin(number)
    random_bits = random.Random(number).getrandbits(64) - 2**63
    return Candidate(key, random_bits, f"{key}/a/folder/of/pages/page-{number}.html", 3)


def visit(due: object, links: list[Candidate]) -> VisitResult:
    """A page fetched with content."""
    url = due.url  # type: ignore[attr-defined]
    return VisitResult(
        due,  # type: ignore[arg-type]
        time.time(),
        0.1,
        Outcome.FILE_INGESTED,
        200,
        4000,
        content_hash=url,
        document_hash=url,
        document={"id": f"{hash(url):032x}"[-32:], "url": url, "body": BODY},
        candidates=links,
    )


def crawl(store: Store, size: int, known_links: int) -> float:
    """Crawl some pages; seconds a page."""
    leased = [state.key for state in store.lease(ORIGINS)]
    fresh = size
    begun = time.perf_counter()
    spent_on_links = 0.0
    for batch in range(PAGES // BATCH):
        key = leased[batch % len(leased)]
        dues = store.pop(key, BATCH)
        before = time.perf_counter()
        visits = []
        for due in dues:
            links = [candidate(n) for n in range(fresh, fresh + 5)]
            fresh += 5
            links += [candidate(random.randrange(size)) for _ in range(known_links)]
            visits.append(visit(due, links))
        spent_on_links += time.perf_counter() - before
        store.commit(key, visits)
    spent = time.perf_counter() - begun - spent_on_links
    for key in leased:
        store.release(key)
    return spent / PAGES


def main() -> None:
    """Measure and print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database_url", nargs="?")
    parser.add_argument("--sizes", default="10000,100000,1000000")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = arguments.database_url or f"sqlite:///{folder}/growth.db"
        database = backend(url).connect()
        store = Store(database, "growth", {}, StateOptions(lease_seconds=3600.0))
        known = 0
        print("known URLs | ms/page, seen-set | ms/page, without | peak memory MB")
        for size in (int(size) for size in arguments.sizes.split(",")):
            fill(store, database, candidate, known, size)
            seen, unseen = crawl(store, size, 0), crawl(store, size + 5 * PAGES, 45)
            known = size + 10 * PAGES
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{size:10,} | {1e3 * seen:17.3f} | {1e3 * unseen:16.3f} | {memory:14.0f}")
        store.close("finished", {})


if __name__ == "__main__":
    main()
