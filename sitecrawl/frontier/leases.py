"""Workers of a crawl, their heartbeats, and their leases of origins."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import gethostname
from typing import Any
from uuid import uuid4

from sitecrawl.frontier.base import Backlog, OriginState, Share, StateOptions
from sitecrawl.frontier.database import Database, Row, placeholders, storable
from sitecrawl.policy.http.politeness import MAX_CRAWL_DELAY, ReceiptSummary
from sitecrawl.policy.origin_shares import load_of, to_lease

PROC = Path("/proc")
REST = (
    "UPDATE origin SET ready_at = ? + CASE WHEN delay IS NULL THEN ? WHEN delay > ? THEN ?"
    " ELSE delay END WHERE owner = ? AND ready_at <= ?"
)


IN_FLIGHT_SECONDS = 1.0
"""Time in which a server answers what a worker had sent when it died."""


def day_of(now: float) -> int:
    """Return the day of a time in UTC epoch seconds, as days since 1970."""
    return int(now // 86_400)


def new_worker() -> str:
    """Return a name for this worker: machine and process, if known, and a random token."""
    pid = os.getpid()
    return f"{_system()}/{pid}/{_started(pid) or 0}/{uuid4().hex[:12]}"


def is_dead(worker: str) -> bool:
    """Return True if the worker was a process of this system that no longer exists.

    False if it is alive or cannot be checked from here; the latter expires by its heartbeat.
    """
    system, pid, started, _ = worker.rsplit("/", 3)
    if not system or system != _system():
        return False
    return _started(int(pid)) != int(started)


def anyone_at_work(database: Database) -> bool:
    """Return True if a worker may be alive: with a recent heartbeat, and not known to be dead."""
    return _has_living(database, "")


def _has_living(database: Database, condition: str, *values: int) -> bool:
    query = f"SELECT owner FROM worker WHERE alive_until >= ?{condition}"
    rows = database.rows(query, (database.now(), *values))
    return not all(is_dead(owner) for (owner,) in rows)


def stopped_without_end(database: Database, run: int) -> float | None:
    """Return when the last worker of an unfinished run was heard of; None while one is alive."""
    if _has_living(database, " AND run = ?", run):
        return None
    [(seen_at,)] = database.rows(
        "SELECT coalesce((SELECT max(seen_at) FROM run_worker WHERE run = run.id), started_at)"
        " FROM run WHERE id = ?",
        (run,),
    )
    return float(seen_at)


def register(database: Database, worker: str, run: int, seconds: float, *, crawls: bool) -> None:
    """Record that a worker takes part in a run; forget those of earlier runs of its realm."""
    now = database.now()
    stay_alive(database, worker, run, seconds)
    database.execute(
        "DELETE FROM run_worker WHERE run < ? AND run IN (SELECT id FROM run WHERE realm ="
        " (SELECT realm FROM run WHERE id = ?))",
        (run, run),
    )
    host, process = gethostname(), os.getpid()
    database.execute(
        "INSERT INTO run_worker (owner, run, host, process, crawls, started_at, seen_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (worker, run, host, process, int(crawls), now, now),
    )


def stay_alive(database: Database, worker: str, run: int, seconds: float) -> None:
    """Let the others take a worker for alive for ``seconds`` more."""
    database.execute(
        "INSERT INTO worker (owner, run, alive_until) VALUES (?, ?, ?)"
        " ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until",
        (worker, run, database.now() + seconds),
    )


def record_heartbeat(
    database: Database, worker: str, pages: int, rate: float, counters: Mapping[str, Any]
) -> None:
    """Record a heartbeat of a worker, with its progress."""
    told = json.dumps(counters, sort_keys=True, default=str)
    database.execute(
        "UPDATE run_worker SET seen_at = ?, ended_at = NULL, finish = NULL, pages = ?, rate = ?,"
        " counters = ? WHERE owner = ?",
        (database.now(), pages, rate, told, worker),
    )


def reap_dead_workers(database: Database, now: float, delay: float) -> None:
    """Delete workers that are dead or whose heartbeat is too old.

    Origins of dead workers are free at once, those of silent ones when their leases expire. The
    time of their last request is unknown, and it may not be answered yet, so their next one is
    delayed as after a response to come: by ``delay`` seconds, or the delay of their robots.txt.
    """
    answered = now + IN_FLIGHT_SECONDS
    workers = database.rows("SELECT owner, alive_until FROM worker ORDER BY owner")
    for owner, until in workers:
        dead = is_dead(owner)
        if dead or until < now:
            database.execute(REST, (answered, delay, MAX_CRAWL_DELAY, MAX_CRAWL_DELAY, owner, now))
        if dead:
            database.execute(
                "UPDATE origin SET lease_until = 0, owner = NULL WHERE owner = ?", (owner,)
            )
        if dead or until < now:
            database.execute("DELETE FROM worker WHERE owner = ?", (owner,))
            database.execute(
                "UPDATE run_worker SET ended_at = ?, finish = ? WHERE owner = ?",
                (now, "died" if dead else "silent", owner),
            )


def _system() -> str:
    """Return the boot id and process namespace of this machine; empty if unknown."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot; None if it is not running."""
    try:
        stat = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the process name in front may contain any character
    return None if fields[0] in "ZX" else int(fields[19])


SAFE_SHARE = 0.75  # part of a lease during which requests may begin
STATE = (  # the delay after a request applies to all realms
    " RETURNING id, fence, key, robots_text, robots_status, robots_expires_at, delay,"
    " (SELECT max(ready_at) FROM origin AS each WHERE each.key = origin.key),"
    " robots_run IS NOT NULL AND robots_run = ?"
)
MAY_VISIT = "(given_up IS NULL OR given_up <> ?) AND (? = 0 OR visit_day <> ? OR day_visits < ?)"
"""False for an origin that the run has given up, or whose budget of the day is spent."""
HAS_ANY = (
    "SELECT 1 FROM origin AS other WHERE ? = 1 AND other.realm = {}.realm"
    " AND other.owner <> ? AND other.lease_until >= ?"
)
"""Another worker of a crawl that one worker does alone has an origin; the first parameter is 1 then."""
FREE = (
    "SELECT id, pending FROM origin AS o WHERE realm = ? AND pending > 0 AND lease_until < ?"
    f" AND {MAY_VISIT}"
    " AND NOT EXISTS (SELECT 1 FROM origin AS other WHERE other.key = o.key"
    " AND other.id <> o.id AND other.lease_until >= ?)"
    f" AND NOT EXISTS ({HAS_ANY.format('o')})"
    " ORDER BY ready_at, id LIMIT ?"
)
TAKE = (
    "UPDATE origin SET owner = ?, fence = fence + 1, lease_until = ? WHERE id IN ({})"
    " AND lease_until < ?" + STATE
)
CLAIM = (
    "UPDATE origin SET owner = ?, fence = fence + 1, lease_until = ? WHERE key = ? AND realm = ?"
    " AND (lease_until < ? OR owner = ?)"
    " AND NOT EXISTS (SELECT 1 FROM origin AS other WHERE other.key = origin.key"
    " AND other.id <> origin.id AND other.lease_until >= ?)"
    f" AND NOT EXISTS ({HAS_ANY.format('origin')})"
    + STATE
    + ", CASE WHEN given_up = ? THEN coalesce(given_up_because, '') END"
)
SAVE = (
    "UPDATE origin SET robots_text = ?, robots_status = ?, robots_expires_at = ?, delay = ?,"
    " ready_at = ?, robots_run = ? WHERE id = ?"
)
RENEW = "UPDATE origin SET lease_until = ? WHERE id = ? AND owner = ? AND fence = ?"
RENEW_ALL = "UPDATE origin SET lease_until = ? WHERE owner = ? AND id IN ({}) RETURNING id, fence"
RECOVERY_SHARE = 1 / 12
"""Part of a lease for which a worker that could not renew its leases in time leaves expired ones to
their workers: what kept it, such as the lock of a database, may have kept them as well."""
RENEW_LATE = (  # a lease that may have expired ends if another worker has had its place since
    RENEW + " AND (lease_until >= ? OR NOT EXISTS (SELECT 1 FROM origin AS other"
    " WHERE (other.key = origin.key OR (? = 1 AND other.realm = origin.realm))"
    " AND other.owner <> origin.owner AND other.lease_until >= ?))"
)
HEARD_SECONDS = 10.0
"""Age of a heartbeat up to which a worker has a share: one that is stopped must not keep the others
from free origins until it counts as dead."""
OTHERS = (
    "SELECT owner FROM run_worker WHERE run = ? AND crawls = 1 AND seen_at >= ? AND owner <> ?"
    " AND ended_at IS NULL"
)
LOADS = (
    "SELECT CASE WHEN lease_until >= ? THEN owner END, sum(pending), count(*) FROM origin"
    f" WHERE realm = ? AND pending > 0 AND {MAY_VISIT} GROUP BY 1"
)
MINE = "SELECT key, pending FROM origin WHERE owner = ? AND pending > 0 AND realm = ?"


@dataclass(slots=True)
class Lease:
    """A leased origin: its row, its fence, and the fingerprints popped but not committed.

    ``safe_until`` refers to the monotonic clock of this process.
    """

    id: int
    fence: int
    safe_until: float
    popped: set[int] = field(default_factory=set)


class Leases:
    """Leases of one worker. A lost lease is dropped, and its results are not written."""

    def __init__(self, database: Database, owner: str, run: int, options: StateOptions) -> None:
        self._database = database
        self._owner = owner
        self._run = run
        self._realm = options.realm
        self._seconds = options.lease_seconds
        self._daily_pages = options.daily_pages
        self._alone = int(options.one_worker)
        self._held: dict[str, Lease] = {}
        self._renewed_at = time.monotonic()
        self._recovers_until = self._renewed_at

    def __getitem__(self, origin: str) -> Lease:
        return self._held[origin]

    def __contains__(self, origin: str) -> bool:
        return origin in self._held

    def safe(self, origin: str) -> bool:
        """Return True if the lease lasts long enough for a request to begin."""
        lease = self._held.get(origin)
        return lease is not None and time.monotonic() < lease.safe_until

    @property
    def recovering(self) -> bool:
        """True if the leases were not renewed in time, and for a while after they have been."""
        now = time.monotonic()
        return self._is_late(now) or now < self._recovers_until

    def _is_late(self, now: float) -> bool:
        return now - self._renewed_at > SAFE_SHARE * self._seconds

    def take(self, limit: int) -> list[OriginState]:
        """Lease up to ``limit`` free origins with waiting URLs, those ready first."""
        begun, now = time.monotonic(), self._database.now()
        may = self._may_visit(now)
        values = (self._realm, now, *may, now, self._alone, self._owner, now, max(limit, 0))
        free = self._database.rows(FREE, values)
        if not free:
            return []
        mine, others, _ = self._loads(now)
        number = to_lease(mine, others, (load_of(row[1]) for row in free))
        chosen = [row[0] for row in free[:number]]
        if not chosen:
            return []
        until = now + self._seconds
        rows = self._database.rows(
            TAKE.format(placeholders(len(chosen))), (self._owner, until, *chosen, now, self._run)
        )
        rows.sort(key=lambda row: (row[7], row[0]))
        return [self._taken(row, begun) for row in rows]

    def claim(self, origin: str) -> OriginState | None:
        """Lease one stored origin, unless another worker has it."""
        begun, now = time.monotonic(), self._database.now()
        until = now + self._seconds
        free = (now, self._owner, now, self._alone, self._owner, now)
        values = (self._owner, until, origin, self._realm, *free, self._run, self._run)
        rows = self._database.rows(CLAIM, values)
        return self._taken(rows[0], begun) if rows else None

    def save(self, state: OriginState) -> None:
        """Inside a transaction: store the state of an origin, if it is ours."""
        if self.prove(state.key):
            text = storable(state.robots_text)
            remembered = (text, state.robots_status, state.robots_expires_at, state.delay)
            row, read_in = self._held[state.key].id, self._run if state.robots_read else None
            self._database.execute(SAVE, (*remembered, state.ready_at, read_in, row))
            if state.receipt is not None and state.receipt.requests:
                self._save_receipt(row, state.receipt)

    def _save_receipt(self, origin: int, receipt: ReceiptSummary) -> None:
        key = (self._run, origin, self._owner)
        *numbers, pauses = receipt
        self._database.execute(
            "DELETE FROM receipt WHERE run = ? AND origin = ? AND owner = ?", key
        )
        self._database.execute(
            "INSERT INTO receipt (run, origin, owner, requests, promised, smallest, median, spare,"
            " limited, unavailable, pauses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*key, *numbers, json.dumps(pauses)),
        )

    def hand_over(self, state: OriginState) -> None:
        """Inside a transaction: store the state of an origin, and release it."""
        self.save(state)
        self.give_back(state.key)

    def share(self) -> Share:
        """Return the division of the load among the workers heard of lately."""
        now = self._database.now()
        _, others, free = self._loads(now)
        mine = self._database.rows(MINE, (self._owner, self._realm)) if others else []
        loads = {key: load_of(pending) for key, pending in mine if key in self._held}
        return Share(loads, others, free)

    def _loads(self, now: float) -> tuple[int, list[int], int]:
        since = now - min(HEARD_SECONDS, self._seconds)
        others = self._database.rows(OTHERS, (self._run, since, self._owner))
        if not others or self._alone:
            return 0, [], 0
        rows = self._database.rows(LOADS, (now, self._realm, *self._may_visit(now)))
        loads = {owner: load_of(int(pending), origins) for owner, pending, origins in rows}
        return (
            loads.get(self._owner, 0),
            [loads.get(owner, 0) for (owner,) in others],
            loads.get(None, 0),
        )

    def _taken(self, row: Row, begun: float) -> OriginState:
        """Record a lease; one that had expired unnoticed keeps its uncommitted URLs, unless another
        worker has had the origin since."""
        state = OriginState(*row[2:])
        before = self._held.get(state.key)
        continued = before is not None and row[1] == before.fence + 1
        popped = before.popped if before is not None and continued else set()
        until = begun + SAFE_SHARE * self._seconds
        self._held[state.key] = Lease(row[0], row[1], until, popped)
        return replace(state, continued=continued)

    def prove(self, origin: str) -> bool:
        """Inside a transaction: renew the lease; return False if it is no longer ours."""
        lease = self._held.get(origin)
        if lease is None:
            return False
        begun, now = time.monotonic(), self._database.now()
        values = (now + self._seconds, lease.id, self._owner, lease.fence)
        if begun < lease.safe_until:
            renewed = self._database.execute(RENEW, values)
        else:
            self._database.exclusive_lock()
            renewed = self._database.execute(RENEW_LATE, (*values, now, self._alone, now))
        if not renewed:
            del self._held[origin]
            return False
        lease.safe_until = begun + SAFE_SHARE * self._seconds
        return True

    def renew(self) -> None:
        """Renew every lease, and record a heartbeat."""
        if not all(map(self.safe, self._held)):
            self._database.exclusive_lock()
        stay_alive(self._database, self._owner, self._run, self._seconds)
        begun, now = time.monotonic(), self._database.now()
        ordered = sorted(self._held, key=lambda origin: self._held[origin].id)
        safe = [origin for origin in ordered if begun < self._held[origin].safe_until]
        late = [origin for origin in ordered if begun >= self._held[origin].safe_until]
        ids = [self._held[origin].id for origin in safe]
        renewed = self._database.rows_in(RENEW_ALL, ids, now + self._seconds, self._owner)
        fences: dict[int, int] = dict(renewed)
        for origin in safe:
            lease = self._held[origin]
            if fences.get(lease.id) == lease.fence:
                lease.safe_until = begun + SAFE_SHARE * self._seconds
            else:
                del self._held[origin]
        for origin in late:
            self.prove(origin)
        if self._is_late(begun):
            self._recovers_until = begun + RECOVERY_SHARE * self._seconds
        self._renewed_at = begun

    def give_back(self, origin: str) -> None:
        """Release the origin, if it is still ours."""
        lease = self._held.pop(origin, None)
        if lease is not None:
            self._database.execute(
                "UPDATE origin SET lease_until = 0, owner = NULL WHERE id = ? AND owner = ?"
                " AND fence = ?",
                (lease.id, self._owner, lease.fence),
            )

    def exclude_from_run(self, origin: str, reason: str) -> None:
        """Exclude the origin from the run for all workers, if it is still ours."""
        lease = self._held.get(origin)
        if lease is not None and self.prove(origin):
            self._database.execute(
                "UPDATE origin SET given_up = ?, given_up_because = ? WHERE id = ?",
                (self._run, storable(reason), lease.id),
            )
            self.give_back(origin)

    def readmit(self, origin: str) -> None:
        """Allow an origin that the run has given up to be leased again."""
        self._database.execute(
            "UPDATE origin SET given_up = NULL WHERE key = ? AND realm = ?", (origin, self._realm)
        )

    def _may_visit(self, now: float) -> tuple[int, int, int, int]:
        return self._run, self._daily_pages, day_of(now), self._daily_pages

    def visits_today(self, origin: str) -> int:
        """Return the number of pages of a leased origin that were visited today (UTC)."""
        rows = self._database.rows(
            "SELECT day_visits FROM origin WHERE id = ? AND visit_day = ?",
            (self._held[origin].id, day_of(self._database.now())),
        )
        return int(rows[0][0]) if rows else 0

    def out_of_budget(self) -> dict[str, int]:
        """Return the waiting URLs of each origin whose budget of the day is spent."""
        if not self._daily_pages:
            return {}
        rows = self._database.rows(
            "SELECT key, pending FROM origin WHERE realm = ? AND pending > 0 AND visit_day = ?"
            " AND day_visits >= ? ORDER BY key",
            (self._realm, day_of(self._database.now()), self._daily_pages),
        )
        return {str(key): int(pending) for key, pending in rows}

    def backlog(self) -> Backlog:
        """Count the waiting URLs of this realm by lease holder, without origins that may not be visited."""
        now = self._database.now()
        [(mine, free, elsewhere, ready_at, origins)] = self._database.rows(
            "SELECT coalesce(sum(CASE WHEN lease_until >= ? AND owner = ? THEN pending END), 0),"
            " coalesce(sum(CASE WHEN lease_until < ? THEN pending END), 0),"
            " coalesce(sum(CASE WHEN lease_until >= ? AND owner <> ? THEN pending END), 0),"
            " min(CASE WHEN lease_until < ? THEN ready_at END), count(*)"
            f" FROM origin WHERE realm = ? AND pending > 0 AND {MAY_VISIT}",
            (now, self._owner, now, now, self._owner, now, self._realm, *self._may_visit(now)),
        )
        return Backlog(int(mine), int(free), int(elsewhere), ready_at, int(origins))

    def waiting_by_origin(self) -> dict[str, int]:
        """Return the number of waiting URLs of each origin that is leased here."""
        return {
            str(key): int(pending)
            for key, pending in self._database.rows(
                "SELECT key, pending FROM origin WHERE realm = ? AND pending > 0"
                " AND lease_until >= ? AND owner = ?",
                (self._realm, self._database.now(), self._owner),
            )
        }
