"""Runs: their beginning, their end, their counters, and the URLs that become due when one begins."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitecrawl.frontier.base import AlreadyRunningError, FrontierError, StateOptions
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.held_changes import look_again
from sitecrawl.frontier.leases import reap_dead_workers, register, stopped_without_end
from sitecrawl.frontier.url_table import NOT_COOLING, OF_REALM
from sitecrawl.policy.lifecycle.change_rate import PRIOR_RATE, WORTH
from sitecrawl.policy.lifecycle.revisit import Age
from sitecrawl.policy.origin_shares import block_size
from sitecrawl.web.urls.identity import DEFAULT_REALM

# ruff: noqa: S608 -- only constants become part of a statement
CLOCK_SKEW = 60.0  # seconds
TAKE_BACK = f"UPDATE url SET waiting = 1 WHERE waiting = 2 AND {OF_REALM}"
SET_ASIDE = f"UPDATE url SET waiting = 2 WHERE waiting = 1 AND {OF_REALM}"
FORCE = (
    "UPDATE url SET waiting = 1 WHERE waiting = 0 AND run < ? AND due IS NOT NULL"
    f" AND {NOT_COOLING} AND {OF_REALM}"
)
REQUEUE = (
    "UPDATE url SET waiting = 1 WHERE waiting = 0 AND run < ? AND ages = ? AND due <= ?"
    f" AND {OF_REALM}"
)
REREAD = (
    "UPDATE url SET waiting = 1 WHERE waiting = 0 AND due IS NOT NULL AND failures = 0"
    f" AND (reading <> ? OR outcome IN (25, 30)) AND {OF_REALM}"
)
REQUEUE_BY_RATE = (
    "UPDATE url SET waiting = 1 WHERE waiting = 0 AND run < ? AND ages = ? AND due <= ?"
    " AND (due <= ? OR coalesce(change_rate, ?) * (? - due) * (? - due) >= ?)"
    f" AND {OF_REALM}"
)
AHEAD = "SELECT 1 FROM run WHERE realm = ? AND (started_at > ? OR finished_at > ?) LIMIT 1"
CAPPED_OF_URL = f"UPDATE url SET due = ? WHERE due > ? AND {OF_REALM}"
READ_AGAIN = f"UPDATE url SET indexed_at = ?, following = '' WHERE indexed_at > ? AND {OF_REALM}"
CAPPED_OF_ORIGIN = (
    "UPDATE origin SET robots_expires_at = 0, visit_day = 0, loss_day = 0,"
    " ready_at = CASE WHEN ready_at > ? THEN ? ELSE ready_at END,"
    " lease_until = CASE WHEN lease_until > ? THEN ? ELSE lease_until END WHERE realm = ?"
)
READ_BEFORE = "SELECT reading FROM run WHERE id < ? AND realm = ? ORDER BY id DESC LIMIT 1"
FORGET_HTML = f"UPDATE document SET html = NULL WHERE html IS NOT NULL AND {OF_REALM}"
READS_OTHERWISE = "UPDATE run SET reading = NULL WHERE id = ? AND reading <> ?"


def check_name(database: Database, name: str, options: StateOptions) -> None:
    """Raise FrontierError if the database was created for another crawl."""
    [(made_for,)] = database.rows("SELECT name FROM crawl")
    if made_for != name and options.realm == DEFAULT_REALM:  # other realms are named on purpose
        raise FrontierError(
            f"{database.name} belongs to the crawl {made_for!r}, not to {name!r}; "
            f"give another database, -a crawl_name={made_for}, or a realm of its own (-a realm)."
        )


def begin(
    database: Database, owner: str, configuration: dict[str, Any], options: StateOptions
) -> int:
    """Join the run of the living workers of this realm, or begin a new one; return its id."""
    now = database.now()
    reap_dead_workers(database, now, options.delay)
    run = _living_run(database, options.realm)
    if run is None and database.rows(AHEAD, (options.realm, now + CLOCK_SKEW, now + CLOCK_SKEW)):
        _cap_times(database, now, options)
    if run is not None and options.exclusive and not options.delivered_by:
        raise AlreadyRunningError(
            f"Run {run} of realm {options.realm!r} in {database.name} is still going on"
            " (scrapy frontier workers); nothing is started."
        )
    if run is None:
        _end_crashed(database, options.realm)
        [(run,)] = database.rows(
            "INSERT INTO run (realm, configuration, started_at) VALUES (?, ?, ?) RETURNING id",
            (options.realm, json.dumps(configuration, sort_keys=True, default=str), now),
        )
        database.execute(TAKE_BACK, (options.realm,))
        if not options.revisit.blacklist:
            look_again(database, options.realm)
        requeue_due(database, run, now, options)
        _reread_once(database, run, options)
        if options.selection.defers_found_links:  # a run of starts queues them again: ``unskip``
            unvisited = " AND outcome IS NULL" if options.selection.links else ""
            database.execute(f"{SET_ASIDE}{unvisited}", (options.realm,))
        count_pending(database, options.realm)
    else:
        database.execute(READS_OTHERWISE, (run, options.reading))
    register(database, owner, run, options.lease_seconds, crawls=options.crawls)
    return int(run)


def _cap_times(database: Database, now: float, options: StateOptions) -> None:
    """Cap the times of a realm that are in the future, as the clock was set back."""
    leased = now + options.lease_seconds
    database.execute(CAPPED_OF_URL, (now, now, options.realm))
    database.execute(READ_AGAIN, (now, now, options.realm))
    database.execute(CAPPED_OF_ORIGIN, (now, now, leased, leased, options.realm))
    for column in ("started_at", "finished_at"):
        capped = f"UPDATE run SET {column} = ? WHERE {column} > ? AND realm = ?"
        database.execute(capped, (now, now, options.realm))


def _end_crashed(database: Database, realm: str) -> None:
    unfinished = "SELECT id FROM run WHERE finished_at IS NULL AND realm = ?"
    for (run,) in database.rows(unfinished, (realm,)):
        counters = _json(of_run(database, run, "", {}))
        database.execute(
            "UPDATE run SET finished_at = ?, finish_reason = 'crashed', counters = ? WHERE id = ?",
            (stopped_without_end(database, run), counters, run),
        )


def finish(database: Database, owner: str, run: int, reason: str, counters: dict[str, Any]) -> None:
    """Leave the run; the last worker ends it."""
    now = database.now()
    database.execute("UPDATE origin SET lease_until = 0, owner = NULL WHERE owner = ?", (owner,))
    database.execute("DELETE FROM worker WHERE owner = ?", (owner,))
    database.execute(
        "UPDATE run_worker SET seen_at = ?, ended_at = ?, finish = ?, counters = ? WHERE owner = ?",
        (now, now, reason, _json(counters), owner),
    )
    if database.rows("SELECT 1 FROM worker WHERE run = ? AND alive_until >= ?", (run, now)):
        return
    database.execute(
        "UPDATE run SET finished_at = ?, finish_reason = ?, counters = ? WHERE id = ?",
        (now, reason, _json(of_run(database, run, owner, counters)), run),
    )


def _json(counters: dict[str, Any]) -> str:
    return json.dumps(counters, sort_keys=True, default=str)


def grant(database: Database, run: int, limit: int) -> int:
    """Inside a transaction: allow a worker some of the ``limit`` requests of a run."""
    [(granted,)] = database.rows(
        "UPDATE run SET granted = granted WHERE id = ? RETURNING granted", (run,)
    )
    [(workers,)] = database.rows(
        "SELECT count(*) FROM run_worker WHERE run = ? AND crawls = 1 AND ended_at IS NULL", (run,)
    )
    number = block_size(limit - granted, workers)
    database.execute("UPDATE run SET granted = granted + ? WHERE id = ?", (number, run))
    return number


def last_run(database: Database, realm: str) -> int:
    """Return the id of the newest run of a realm, 0 if there is none."""
    [(run,)] = database.rows("SELECT coalesce(max(id), 0) FROM run WHERE realm = ?", (realm,))
    return int(run)


def requeue_due(database: Database, run: int, now: float, options: StateOptions) -> int:
    """Queue the due URLs that this run has not considered; return their number."""
    if not options.selection.due:
        return 0
    if options.force:
        return database.execute(FORCE, (run, now, options.realm))
    rule, found = options.revisit, 0
    for age, seconds in rule.ages.items():
        if age is Age.PAGE and rule.by_rate:
            bounds = (now - rule.shortest, now - rule.maximum)
            values = (run, int(age), *bounds, PRIOR_RATE, now, now, WORTH, options.realm)
            found += database.execute(REQUEUE_BY_RATE, values)
        else:
            found += database.execute(REQUEUE, (run, int(age), now - seconds, options.realm))
    return found


def reread(database: Database, options: StateOptions) -> int:
    """Queue the pages that were read with other options, those that a pipeline dropped,
    and those whose use was forbidden; return their number."""
    if not options.reading:
        return 0
    return database.execute(REREAD, (options.reading, options.realm))


def count_pending(database: Database, realm: str) -> None:
    """Recount the waiting URLs of each origin.

    The first statement waits for batches that others are writing: a PostgreSQL statement that
    has to wait itself continues with its older snapshot (manual, 13.2.1), and would store a wrong
    number.
    """
    database.execute("UPDATE origin SET pending = pending WHERE realm = ?", (realm,))
    database.execute(
        "UPDATE origin SET pending = (SELECT count(*) FROM url"
        " WHERE url.origin = origin.id AND waiting = 1) WHERE realm = ?",
        (realm,),
    )


def _reread_once(database: Database, run: int, options: StateOptions) -> None:
    """Queue pages read with other options, unless the previous run read with these options.

    Kept pages go with them, if pages are no longer kept.
    """
    if not options.selection.reread:
        return
    before = database.rows(READ_BEFORE, (run, options.realm))
    database.execute("UPDATE run SET reading = ? WHERE id = ?", (options.reading, run))
    if before != [(options.reading,)]:
        reread(database, options)
        if not options.keeps_html:
            database.execute(FORGET_HTML, (options.realm,))


def _living_run(database: Database, realm: str) -> int | None:
    rows = database.rows(
        "SELECT run.id FROM run JOIN worker ON worker.run = run.id"
        " WHERE run.realm = ? AND run.finished_at IS NULL LIMIT 1",
        (realm,),
    )
    return int(rows[0][0]) if rows else None


EXAMPLE = "example"
"""Name of a text of which the better one is kept, whichever worker met it."""
OF_LAST = ("sitecrawl/exit_status", "failed_starts")
"""Values that are not added up: the run has those of its last worker."""
KEPT = ("sitecrawl/", "refusals", "given_up", "left_out", "failed_starts")
"""Beginnings of the names that are stored with the run."""


def combined(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up numbers, and join tables and lists; lists keep the length of the longest."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if name not in total:
                total[name] = value
            elif name == EXAMPLE:
                total[name] = better_example(total[name], value)
            else:
                total[name] = _joined(total[name], value)
    return total


def better_example(one: str, other: str) -> str:
    """Return the shorter one of two examples; of equal length, the first in the alphabet."""
    return min(one, other, key=lambda text: (len(text), text))


def _joined(before: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        return combined([before, value])
    if isinstance(value, list):
        return [*before, *value][: max(len(before), len(value))]
    return before + value if isinstance(value, int | float) else before


def worker_counters(database: Database, run: int, *, besides: str) -> Iterator[dict[str, Any]]:
    """Yield the counters of each worker of a run but one, as of its last heartbeat."""
    rows = database.rows(
        "SELECT counters FROM run_worker WHERE run = ? AND owner <> ? AND counters IS NOT NULL"
        " ORDER BY started_at, owner",
        (run, besides),
    )
    return (json.loads(counters) for (counters,) in rows)


def of_run(database: Database, run: int, last: str, counters: dict[str, Any]) -> dict[str, Any]:
    """Return the counters of a run whose last worker, ``last``, ended with ``counters``.

    The reasons for which origins were given up are those of their rows: workers that were killed
    may not have reported them.
    """
    total = combined([counters, *worker_counters(database, run, besides=last)])
    total = {name: value for name, value in total.items() if name.startswith(KEPT)}
    rows = database.rows(
        "SELECT key, given_up_because FROM origin WHERE given_up = ? AND given_up_because IS NOT NULL",
        (run,),
    )
    total |= {name: counters[name] for name in OF_LAST if name in counters}
    if "given_up" in total or rows:
        total["given_up"] = {**total.get("given_up", {}), **dict(rows)}
    return total


PAGES = "pages"


class PageCounts:
    """Counts of pages, for example by reason.

    The example is the shortest URL, so that it does not depend on the order of the visits.
    """

    def __init__(self) -> None:
        self._counts: dict[str, dict[str, Any]] = {}

    def add(self, name: str, example: str) -> None:
        """Count a page."""
        entry = self._counts.setdefault(name, {PAGES: 0, EXAMPLE: example})
        entry[PAGES] += 1
        entry[EXAMPLE] = better_example(entry[EXAMPLE], example)

    def as_stored(self) -> dict[str, dict[str, Any]]:
        """Return number and example by name, as plain values."""
        return {name: dict(entry) for name, entry in self._counts.items()}


def most_common(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, int, str]]:
    """Yield name, number and example of stored counts, the largest first."""
    for name, entry in sorted(stored.items(), key=lambda each: (-each[1][PAGES], each[0])):
        yield name, entry[PAGES], entry[EXAMPLE]


def total(stored: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the number of pages in stored counts."""
    return sum(entry[PAGES] for entry in stored.values())
