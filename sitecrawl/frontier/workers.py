"""Who works on a crawl: a worker's name, and whether it can still be alive."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from sitecrawl.frontier.database import Database
from sitecrawl.policy.politeness import MAX_CRAWL_DELAY

PROC = Path("/proc")
REST = (
    "UPDATE origin SET ready_at = ? + CASE WHEN delay IS NULL THEN ? WHEN delay > ? THEN ?"
    " ELSE delay END WHERE owner = ? AND ready_at <= ?"
)


def new_worker() -> str:
    """A name for this worker: its machine and process as far as they are known, and a token."""
    pid = os.getpid()
    return f"{_system()}/{pid}/{_started(pid) or 0}/{uuid4().hex[:12]}"


def surely_dead(worker: str) -> bool:
    """Whether the worker was a process of this system that is no more.

    False when it lives, and when it cannot be known from here: then its time runs out.
    """
    system, pid, started, _ = worker.rsplit("/", 3)
    if not system or system != _system():
        return False
    return _started(int(pid)) != int(started)


def anyone_at_work(database: Database) -> bool:
    """Whether a worker may be alive: it was heard of in time, and is not surely dead."""
    now = database.now()
    workers = database.rows("SELECT owner FROM worker WHERE alive_until >= ?", (now,))
    return not all(surely_dead(owner) for (owner,) in workers)


def announce(database: Database, worker: str, run: int, seconds: float) -> None:
    """Say that the worker lives, and will be heard of again in time."""
    database.execute(
        "INSERT INTO worker (owner, run, alive_until) VALUES (?, ?, ?)"
        " ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until",
        (worker, run, database.now() + seconds),
    )


def bury(database: Database, now: float, delay: float) -> None:
    """Forget workers that are dead or were not heard of in time.

    The origins of the dead are free at once; those of the silent when their leases end. Nobody
    knows when they were last asked: they rest as after an answer, for ``delay`` seconds or what
    their robots.txt asked for.
    """
    workers = database.rows("SELECT owner, alive_until FROM worker ORDER BY owner")
    for owner, until in workers:
        dead = surely_dead(owner)
        if dead or until < now:
            database.execute(REST, (now, delay, MAX_CRAWL_DELAY, MAX_CRAWL_DELAY, owner, now))
        if dead:
            database.execute(
                "UPDATE origin SET lease_until = 0, owner = NULL WHERE owner = ?", (owner,)
            )
        if dead or until < now:
            database.execute("DELETE FROM worker WHERE owner = ?", (owner,))


def _system() -> str:
    """This boot of this machine and its process namespace; empty where that is not told."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started(pid: int) -> int | None:
    """The start of a process in clock ticks since boot; None when it does not run."""
    try:
        stat = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before may hold anything
    return None if fields[0] in "ZX" else int(fields[19])
