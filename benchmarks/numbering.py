"""Cost of the one row that numbers the changes, with several workers on one PostgreSQL.

Each process commits batches of finished visits as fast as it can, as a worker does that need not
fetch or parse anything. The same is done with a sequence instead of the row, which does not give
the promise that readers need: numbers in the order of the commits. Both with a server that waits
for its disk at each commit, and with one that does not.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from hashlib import sha256
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from statistics import median
from threading import Event, Thread

import psycopg

from fixtures.postgres import PostgresServer
from sitecrawl.frontier import outbox
from sitecrawl.frontier.base import (
    Candidate,
    DueUrl,
    StateOptions,
    VisitResult,
)
from sitecrawl.frontier.database import RowStatement
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.store import Store
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import document_id, fingerprint, identity_key

BATCH = 12  # visits of a commit, as in a crawl of 40 origins
BATCHES = 60
ROUNDS = 3
SAMPLE_SECONDS = 0.02
WAITS = (
    "SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU') FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()"
)
SEQUENCE = "CREATE SEQUENCE IF NOT EXISTS numbers"


def use_sequence() -> None:
    """Number changes by a sequence, in this process."""
    outbox.NUMBER = "SELECT ?::bigint"
    outbox.INSERT = RowStatement(
        outbox.INSERT.sql.replace(f"{outbox.LAST_SEQ} - ?", "nextval('numbers') + 0 * ?"),
        outbox.INSERT.types,
    )
    outbox.SET_SEQ = RowStatement(
        "UPDATE document SET seq = currval('numbers') - ? WHERE url = ?",
        outbox.SET_SEQ.types,
        outbox.SET_SEQ.keys,
    )


def visit_of(due: DueUrl) -> VisitResult:
    """A visit that brought a page of its own, of the usual size."""
    words = [sha256(f"{due.url} {n}".encode()).hexdigest()[:7] for n in range(300)]
    text = " ".join(words)
    document = {"id": document_id(identity_key(due.url)), "url": due.url, "body": text}
    return VisitResult(
        due,
        time.time(),
        0.1,
        Outcome.FILE_INGESTED,
        200,
        len(text),
        content_hash=due.url,
        document_hash=due.url,
        document=document,
    )


def commit_batches(url: str, number: int, ready: Barrier, *, sequence: bool) -> None:
    """Commit the visits of an origin of one's own."""
    if sequence:
        use_sequence()
    place = f"http://127.9.0.{number + 1}"
    urls = [f"{place}/{n}" for n in range(BATCH * BATCHES)]
    with closing(backend(url).connect()) as database:
        store = Store(database, "numbering", {}, StateOptions())
        store.add([Candidate(place, fingerprint(identity_key(u)), u, 0, "seed") for u in urls])
        store.claim(place)
        visits = [visit_of(due) for due in store.pop(place, len(urls))]
        ready.wait()
        for start in range(0, len(visits), BATCH):
            store.commit(place, visits[start : start + BATCH])
        ready.wait()
        store.close("finished", {})


def sampled(url: str, ended: Event, found: Counter[str]) -> None:
    """Count what the connections of the server wait for."""
    with psycopg.connect(url, autocommit=True) as connection:
        while not ended.wait(SAMPLE_SECONDS):
            found.update(each for (each,) in connection.execute(WAITS.encode()).fetchall())


def pages_per_second(url: str, workers: int, waits: Counter[str], *, sequence: bool) -> float:
    """Commit with some processes; return the visits per second of all."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SEQUENCE)
    with closing(backend(url).connect()) as database:
        Store(database, "numbering", {}, StateOptions()).close("finished", {})
    context = get_context("fork")
    ready = context.Barrier(workers + 1)
    processes = [
        context.Process(target=commit_batches, args=(url, n, ready), kwargs={"sequence": sequence})
        for n in range(workers)
    ]
    for each in processes:
        each.start()
    ended = Event()
    sampler = Thread(target=sampled, args=(url, ended, waits))
    ready.wait()
    sampler.start()
    began = time.monotonic()
    ready.wait()
    passed = time.monotonic() - began
    ended.set()
    sampler.join()
    for each in processes:
        each.join()
    return workers * BATCH * BATCHES / passed


def print_numbering(workers: int) -> None:
    """Print the rates with the row and with a sequence, and what the server's processes wait for."""
    print("| commits | visits/s, row | visits/s, sequence | ratio | waits with the row |")
    print("| --- | --- | --- | --- | --- |")
    for name, settings in (("in memory", {}), ("on disk", {"fsync": "on"})):
        rates: dict[bool, list[float]] = {False: [], True: []}
        waits: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        with PostgresServer(**settings) as server:
            for _ in range(ROUNDS):
                for sequence, found in rates.items():
                    url = server.url("numbering")
                    found.append(pages_per_second(url, workers, waits[sequence], sequence=sequence))
        row, sequence_ = median(rates[False]), median(rates[True])
        total = max(waits[False].total(), 1)
        common = ", ".join(
            f"{each} {100 * count / total:.0f} %" for each, count in waits[False].most_common(4)
        )
        print(f"| {name} | {row:.0f} | {sequence_:.0f} | {row / sequence_:.2f} | {common} |")
