"""Fills a crawl database with URLs that are known, as after a crawl, and some that wait."""

from __future__ import annotations

import time
from collections.abc import Callable

from sitecrawl.frontier.base import Candidate
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.store import Store

WAITING = 10_000
BATCH = 10_000
VISITED = (
    "UPDATE url SET waiting = 0, ages = 1, run = 1, due = ?, visited_at = ?, indexed_at = ?,"
    " status = 200, visits = 1, content_hash = fingerprint, document_hash = fingerprint,"
    " reading = ? WHERE waiting = 1 AND id <= (SELECT max(id) FROM url) - ?"
)
COUNT = (
    "UPDATE origin SET pending = (SELECT count(*) FROM url WHERE origin = origin.id"
    " AND waiting = 1)"
)


def fill(
    store: Store,
    database: Database,
    candidate: Callable[[int], Candidate],
    known: int,
    size: int,
    *,
    reading: str = "",
) -> None:
    """Make known the URLs of all numbers from ``known`` up to ``size``.

    The last 10,000 wait; the others count as visited just now, read as ``reading`` says.
    They have no documents.
    """
    for start in range(known, size, BATCH):
        store.add([candidate(n) for n in range(start, min(start + BATCH, size))])
    now = time.time()
    database.execute(VISITED, (now, now, now, reading, WAITING))
    database.execute(COUNT)
    if database.dialect == "postgres":
        database.execute("VACUUM ANALYZE url")  # the update above is none that a crawl makes
