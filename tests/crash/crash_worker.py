"""A worker as a process of its own: crawls a site that needs no server until nothing is left.

    python crash_worker.py DATABASE_URL FOLDER

``FOLDER/fetches`` gets a line when a fetch begins and one when it ends, with the time of
the machine's monotonic clock; ``FOLDER/feed`` the number of every change delivered.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path

from sitecrawl.frontier.base import Candidate, DueUrl, StateOptions, VisitResult
from sitecrawl.frontier.opening import open_frontier
from sitecrawl.frontier.threaded import Frontier
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import document_id, fingerprint

ORIGINS, PAGES = 20, 100
FETCH_SECONDS = (0.03, 0.13)
LEASE_SECONDS = 3.0
ORIGINS_IN_HAND = 8
BATCH = 4


def candidate(number: int, page: int, referrer: str | None = None) -> Candidate:
    """A page of the site: a tree on each origin, and a ring of origins."""
    key = f"http://origin{number}.example"
    url = f"{key}/{page}"
    via = "link" if referrer else "seed"
    return Candidate(key, fingerprint(url), url, via=via, referrer=referrer)


def links(url: str) -> list[Candidate]:
    """Links of the page at ``url``."""
    number, page = (
        int(url.split("origin")[1].split(".", maxsplit=1)[0]),
        int(url.rpartition("/")[2]),
    )
    below = [2 * page + 1, 2 * page + 2]
    found = [candidate(number, each, url) for each in below if each < PAGES]
    return [*found, candidate((number + 1) % ORIGINS, 0, url), candidate(number, 0, url)]


class Log:
    """Lines that survive ``kill -9``: each is one write to the end of the file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def write(self, *words: object) -> None:
        """Add a line."""
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


class CrashWorker:
    """Crawls with the frontier as the scheduler would: one request an origin at a time."""

    def __init__(self, frontier: Frontier, folder: Path) -> None:
        self._frontier = frontier
        self._fetches = Log(folder / "fetches")
        self._feed = Log(folder / "feed")
        self._in_hand: set[str] = set()

    async def crawl(self) -> None:
        """Crawl until nothing waits anywhere."""
        await self._frontier.open("crash", {})
        await self._frontier.add([candidate(0, 0)])
        await self.drain()
        await asyncio.gather(*(self._lane() for _ in range(ORIGINS_IN_HAND)))
        await self._frontier.close("finished", {})

    async def drain(self) -> None:
        """Deliver what others left behind."""
        while changes := await self._frontier.undelivered(100):
            await self._deliver([change.seq for change in changes])

    async def _lane(self) -> None:
        while True:
            leased = [state.key for state in await self._frontier.lease(1)]
            # A lease that ran out while its lane was at work comes back to this process.
            if leased and leased[0] not in self._in_hand:
                await self._take(leased[0])
                continue
            backlog = await self._frontier.backlog()
            if not (backlog.mine or backlog.free or backlog.elsewhere):
                return
            await asyncio.sleep(0.1)

    async def _take(self, key: str) -> None:
        self._in_hand.add(key)
        try:
            await self._origin(key)
        finally:
            self._in_hand.discard(key)

    async def _origin(self, key: str) -> None:
        while dues := await self._frontier.pop(key, BATCH):
            visits = []
            for due in dues:
                asked_at = time.monotonic()
                if not self._frontier.holds(key):
                    break
                visits.append(await self._fetch(due, asked_at))
            changes = (await self._frontier.commit(key, visits)).changes
            await self._deliver([change.seq for change in changes])
            if not self._frontier.holds(key):
                break
        await self._frontier.release(key)  # also one not surely held: it may be renewed yet

    async def _fetch(self, due: DueUrl, asked_at: float) -> VisitResult:
        started_at, token = time.time(), random.getrandbits(64)
        self._fetches.write("begin", token, os.getpid(), due.url, asked_at)
        await asyncio.sleep(random.uniform(*FETCH_SECONDS))
        self._fetches.write("end", token, os.getpid(), due.url, time.monotonic())
        document = {"id": document_id(due.url), "url": due.url, "body": due.url * 20}
        return VisitResult(
            due,
            started_at,
            time.time() - started_at,
            Outcome.FILE_INGESTED,
            200,
            content_hash=due.url,
            document_hash=due.url,
            document=document,
            candidates=links(due.url),
        )

    async def _deliver(self, seqs: list[int]) -> None:
        for seq in seqs:
            self._feed.write(seq)
        await self._frontier.delivered(seqs)


def main() -> None:
    """Run one worker."""
    url, folder = sys.argv[1:]
    frontier = open_frontier(url, StateOptions(lease_seconds=LEASE_SECONDS))
    asyncio.run(CrashWorker(frontier, Path(folder)).crawl())


if __name__ == "__main__":
    main()
