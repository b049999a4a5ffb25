"""Workers killed and stopped at random moments: nothing lost, nothing twice, one at a time.

A failure tells its seed; CRASH_SEED in the environment gives it again.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from crash_worker import LEASE_SECONDS, ORIGINS, PAGES

from sitecrawl.frontier.opening import backend

WORKERS, KILLS, STOPS = 3, 11, 6
SECONDS = 400


@dataclass
class Stop:
    """A process that stood still for a while."""

    pid: int
    begin: float
    end: float = float("inf")


@dataclass
class Chaos:
    """Starts workers, and kills and stops them at random moments."""

    database_url: str
    folder: Path
    random: random.Random
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    killed: dict[int, float] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)

    def start(self) -> None:
        """Start another worker."""
        script = Path(__file__).parent / "crash_worker.py"
        command = [sys.executable, str(script), self.database_url, str(self.folder)]
        errors = (self.folder / "errors").open("ab")
        self.workers.append(subprocess.Popen(command, stderr=errors))
        errors.close()

    def kill(self) -> None:
        """Kill a worker, and let another take its place."""
        victim = self.random.choice(self.workers)
        self.killed[victim.pid] = time.monotonic()  # others take over once it is dead, not reaped
        victim.kill()
        victim.wait()
        self.workers.remove(victim)
        self.start()

    def stop(self) -> None:
        """Let a worker stand still, now and then for longer than its leases last."""
        victim = self.random.choice(self.workers)
        stop = Stop(victim.pid, time.monotonic())
        victim.send_signal(signal.SIGSTOP)
        time.sleep(self.random.choice((0.3, 1.2 * LEASE_SECONDS)))
        victim.send_signal(signal.SIGCONT)
        stop.end = time.monotonic()
        self.stops.append(stop)

    def run(self) -> None:
        """Do all of it while the crawl goes on, then wait for its end."""
        for _ in range(WORKERS):
            self.start()
        acts = [self.kill] * KILLS + [self.stop] * STOPS
        self.random.shuffle(acts)
        time.sleep(1.0)
        for act in acts:
            time.sleep(self.random.uniform(0.1, 0.9))
            act()
        for worker in self.workers:
            assert worker.wait(SECONDS) == 0, (self.folder / "errors").read_text()

    def end(self) -> None:
        """Leave no process behind."""
        for worker in self.workers:
            worker.kill()
            worker.wait()


@dataclass(frozen=True)
class Fetch:
    """One request, from the moment it was decided to its end or its process's."""

    pid: int
    url: str
    begin: float
    end: float


def fetches(chaos: Chaos) -> list[Fetch]:
    """Every request that was made, as the workers logged them."""
    begun: dict[str, tuple[int, str, float]] = {}
    found = []
    for line in (chaos.folder / "fetches").read_text().splitlines():
        word, token, pid, url, at = line.split()
        if word == "begin":
            begun[token] = (int(pid), url, float(at))
        else:
            found.append(Fetch(*begun.pop(token), float(at)))
    cut_off = [Fetch(pid, url, at, chaos.killed[pid]) for pid, url, at in begun.values()]
    return found + cut_off


def overlaps(chaos: Chaos, made: list[Fetch]) -> list[tuple[Fetch, Fetch]]:
    """Pairs of requests in flight on one origin that no stopped process explains."""
    by_origin = defaultdict(list)
    for fetch in made:
        by_origin[fetch.url.rpartition("/")[0]].append(fetch)
    pairs = []
    for each in by_origin.values():
        each.sort(key=lambda fetch: fetch.begin)
        for index, first in enumerate(each):
            later = [second for second in each[index + 1 :] if second.begin < first.end]
            pairs += [(first, second) for second in later if not stood_still(chaos, first)]
    return pairs


def stood_still(chaos: Chaos, fetch: Fetch) -> bool:
    """Tell a request whose process was stopped while it was in flight."""
    return any(
        stop.pid == fetch.pid and stop.begin <= fetch.end and fetch.begin <= stop.end
        for stop in chaos.stops
    )


def test_kills_and_stops_at_random_moments(database_url: str, tmp_path: Path) -> None:
    seed = int(os.environ.get("CRASH_SEED", random.randrange(2**32)))
    chaos = Chaos(database_url, tmp_path, random.Random(seed))
    try:
        chaos.run()
        chaos.start()  # one more run has nothing to crawl, only to deliver
        assert chaos.workers[-1].wait(SECONDS) == 0
    finally:
        chaos.end()
    made = fetches(chaos)
    database = backend(database_url).connect()
    [(rows, pages, last)] = database.rows(
        "SELECT count(*), count(DISTINCT url), max(seq) FROM outbox WHERE op = 'upsert'"
    )
    assert (rows, pages, last) == (ORIGINS * PAGES,) * 3
    assert database.rows("SELECT count(*) FROM document") == [(ORIGINS * PAGES,)]
    assert database.rows("SELECT count(*) FROM url WHERE waiting = 1") == [(0,)]
    assert database.rows("SELECT count(*) FROM origin WHERE pending <> 0") == [(0,)]
    assert database.rows("SELECT count(*) FROM outbox WHERE delivered = 0") == [(0,)]
    if database.dialect == "sqlite":
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
    database.close()
    delivered = {int(line) for line in (tmp_path / "feed").read_text().split()}
    assert delivered == set(range(1, ORIGINS * PAGES + 1))
    assert overlaps(chaos, made) == [], f"seed {seed}"
    assert len(made) < 1.5 * ORIGINS * PAGES, f"seed {seed}"
