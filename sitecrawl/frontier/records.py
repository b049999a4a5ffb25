"""Read-only queries on a crawl database: URLs, outcomes, counts, documents."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sitecrawl.frontier.base import HeldGroup, OriginState
from sitecrawl.frontier.claims import RedirectResolver
from sitecrawl.frontier.database import Database, Row
from sitecrawl.frontier.evidence_table import MEANING
from sitecrawl.frontier.leases import day_of, is_dead, stopped_without_end
from sitecrawl.frontier.link_table import LinkGraph
from sitecrawl.frontier.outbox import OF_URL, changes_of, read_changes
from sitecrawl.frontier.pending_file import ERROR, WAITING
from sitecrawl.frontier.runs import of_run
from sitecrawl.policy.lifecycle.revisit import FAILED, Age, Revisit
from sitecrawl.policy.outcomes import READ, Outcome
from sitecrawl.web.decompression import zstd
from sitecrawl.web.urls.identity import DEFAULT_REALM

ERRORS = tuple(
    sorted(FAILED | {Outcome.BLOCKED_BY_ROBOTS_TXT, Outcome.BLOCKED_URL_BY_LOCAL_POLICY})
)
STATE = (
    f"CASE WHEN u.outcome IS NULL OR u.outcome < 0 THEN {WAITING}"
    f" WHEN u.outcome IN ({', '.join(str(int(outcome)) for outcome in ERRORS)}) THEN {ERROR}"
    " ELSE u.visited_at END"
)

PAGES = (
    "SELECT d.id, u.url, d.html FROM document AS d JOIN url AS u ON u.id = d.url"
    " JOIN origin AS o ON o.id = d.origin WHERE d.seq IS NOT NULL AND d.html IS NOT NULL"
)
BATCH = 500
LONGEST_CHAIN = 1000
REVISIT = Revisit()
URL = (
    f"SELECT u.id, u.url, {STATE}, u.waiting, u.depth, u.via, u.found_at, u.outcome,"
    " u.status, u.reason, u.detail, u.visited_at, u.indexed_at, u.changed_at,"
    " u.due, u.visits, u.changes, u.failures, u.redirect_to, u.canonical, d.id, d.seq, t.url, d.because, h.reason, u.reading,"
    " h.change, u.left_out, u.change_rate, u.ages"
    " FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " LEFT JOIN document AS d ON d.url = u.id LEFT JOIN url AS t ON t.id = d.target"
    " LEFT JOIN held_change AS h ON h.url = u.id"
    " WHERE o.key = ? AND u.fingerprint = ? AND o.realm = ?"
)
RUN = (
    "SELECT id, realm, configuration, started_at, finished_at, finish_reason, counters, reading"
    " FROM run"
)
ORIGIN = (
    "SELECT key, robots_text, robots_status, robots_expires_at, delay, ready_at"
    " FROM origin WHERE key = ? AND realm = ?"
)
HELD_CHANGES = (
    "(SELECT count(*) FROM held_change AS h WHERE h.origin = o.id AND h.held = 1"
    " AND coalesce(h.change, '') <> 'new')"
)
HELD_GROUPS = (
    "SELECT o.key, o.realm, coalesce(h.reason, h.change), count(*) AS pages, min(u.url)"
    " FROM held_change AS h JOIN url AS u ON u.id = h.url JOIN origin AS o ON o.id = h.origin"
    " WHERE h.held = 1 AND coalesce(h.change, '') <> 'new'{of}"
    " GROUP BY o.key, o.realm, coalesce(h.reason, h.change) ORDER BY o.key, o.realm, pages DESC"
)
SITES = (
    "SELECT o.key,"
    " (SELECT count(*) FROM document AS d WHERE d.origin = o.id AND d.seq IS NOT NULL),"
    f" {HELD_CHANGES}, (SELECT coalesce(max(CASE WHEN u.outcome IN"
    f" ({', '.join(str(int(outcome)) for outcome in sorted(READ))}) THEN u.visited_at END),"
    " min(u.found_at)) FROM url AS u WHERE u.origin = o.id)"
    " FROM origin AS o WHERE o.realm = ?"
    " AND EXISTS (SELECT 1 FROM url AS u WHERE u.origin = o.id) ORDER BY o.key"
)
ORIGINS = (
    "SELECT o.key, o.realm, (SELECT count(*) FROM url AS u WHERE u.origin = o.id), o.pending,"
    " (SELECT count(*) FROM document AS d WHERE d.origin = o.id AND d.seq IS NOT NULL),"
    f" {HELD_CHANGES}, CASE WHEN o.visit_day = {{today}} THEN o.day_visits ELSE 0 END"
    " FROM origin AS o WHERE EXISTS (SELECT 1 FROM url AS u WHERE u.origin = o.id){of}"
    " ORDER BY o.key, o.realm"
)
PENDING = (
    f"SELECT u.url, o.realm, {STATE} FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " ORDER BY u.url COLLATE {order}, o.realm COLLATE {order}"
)
FAILURES = (
    "SELECT u.url, u.outcome, u.status, u.reason, coalesce(r.url, u.referrer_url) FROM url AS u"
    " LEFT JOIN url AS r ON r.id = u.referrer WHERE u.outcome >= 40{of} ORDER BY u.id"
)
REDIRECTS = (
    "SELECT u.url, u.outcome, u.status, u.redirect_to FROM url AS u"
    " WHERE u.outcome IN (31, 32){of} ORDER BY u.id"
)
MIRRORS = (
    "WITH size AS (SELECT origin, count(*) AS n FROM document WHERE seq IS NOT NULL GROUP BY origin)"
    " SELECT a.key, b.key, count(*), min(CASE WHEN m.n < o.n THEN m.n ELSE o.n END)"
    " FROM document AS x JOIN document AS y ON y.hash = x.hash"
    " JOIN origin AS a ON a.id = x.origin JOIN origin AS b ON b.id = y.origin"
    " JOIN size AS m ON m.origin = a.id JOIN size AS o ON o.origin = b.id"
    " WHERE x.seq IS NOT NULL AND y.seq IS NOT NULL AND a.key < b.key AND a.realm = b.realm{of}"
    " GROUP BY a.key, b.key ORDER BY count(*) DESC, a.key, b.key"
)
WORKERS = (
    "SELECT r.realm, w.run, w.host, w.process, w.crawls, w.started_at, w.seen_at, w.ended_at,"
    " w.finish, w.pages, w.rate, (SELECT count(*) FROM origin AS o WHERE o.owner = w.owner),"
    " w.owner, a.alive_until FROM run_worker AS w JOIN run AS r ON r.id = w.run"
    " LEFT JOIN worker AS a ON a.owner = w.owner WHERE true{of}"
    " ORDER BY w.started_at, w.owner"
)
ATTEMPTS = (
    "SELECT run, started_at, duration, outcome, status, bytes, reason FROM attempt"
    " WHERE url = ? ORDER BY id"
)
COUNTS = "SELECT u.outcome, count(*) FROM url AS u WHERE true{of} GROUP BY u.outcome"
OF_REALM = " AND u.origin IN (SELECT id FROM origin WHERE realm = ?)"


class Attempt(NamedTuple):
    """One crawl action on a URL; ``at`` is in UTC epoch seconds."""

    run: int
    at: float
    seconds: float
    outcome: Outcome
    status: int | None
    bytes: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class UrlState:
    """Stored state of one URL; times are UTC epoch seconds.

    ``state`` is 0 for waiting, 2 for an error, else the time of the last visit; ``due`` is
    None if the URL is never due by its age. ``kept_for`` is the URL that replaces this page in the
    output, ``because`` says why: duplicate or canonical. ``reading`` is the hash of the options
    with which its document was read. ``withheld`` is the change of a document that is not written
    because its text may not be its own. ``left_out`` describes the text of the page that is not in its document. ``change_rate``
    is in changes per second, None before the first comparison.
    """

    id: int
    url: str
    state: int
    waiting: bool
    depth: int
    via: str
    found_at: float
    outcome: Outcome | None
    status: int | None
    reason: str | None
    detail: str | None
    visited_at: float | None
    indexed_at: float | None
    changed_at: float | None
    due: float | None
    visits: int
    changes: int
    failures: int
    redirect_to: str | None
    canonical: str | None
    document_id: str | None
    seq: int | None
    kept_for: str | None
    because: str | None
    deletion: str | None
    reading: str | None
    withheld: str | None
    left_out: str | None
    change_rate: float | None


@dataclass(frozen=True, slots=True)
class OriginCounts:
    """Counts of one origin: URLs waiting, documents written, changes held back, pages visited today."""

    key: str
    realm: str
    urls: int
    waiting: int
    documents: int
    held: int
    visits_today: int = 0


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """Documents and held changes of one origin.

    ``read_at`` is the last visit that read a page, or when the origin was found if none has.
    """

    key: str
    documents: int
    held: int
    read_at: float


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker of the last run of a realm; times are UTC epoch seconds.

    ``rate`` is in pages per second before its last heartbeat; ``finish`` is the reason of its end,
    or died, or silent (not heard of for the time of a lease); None while it runs.
    """

    realm: str
    run: int
    host: str
    process: int
    crawls: bool
    started_at: float
    seen_at: float
    ended_at: float | None
    finish: str | None
    pages: int
    rate: float
    origins: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a crawl: its configuration, and how it ended.

    ``finished_at`` and ``finish_reason`` are None while it runs; ``counters`` are those of all its
    workers, ``reading`` is the hash of the options with which it read pages. ``stopped_at`` is the
    time at which its last worker was heard of, if none is alive and the run has no end.
    """

    id: int
    realm: str
    configuration: dict[str, Any]
    started_at: float
    finished_at: float | None
    finish_reason: str | None
    counters: dict[str, Any]
    reading: str | None
    stopped_at: float | None = None


def _asked(query: str, realm: str | None, condition: str) -> tuple[str, tuple[str, ...]]:
    return query.format(of=condition if realm else ""), (realm,) if realm else ()


def _worker(row: Row, now: float) -> WorkerRecord:
    *fields, owner, alive_until = row
    worker = replace(WorkerRecord(*fields), crawls=bool(row[4]))
    if worker.ended_at is not None:
        return worker
    if is_dead(owner):
        return replace(worker, finish="died")
    return worker if (alive_until or 0.0) >= now else replace(worker, finish="silent")


class Records:
    """Read-only queries on a crawl database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def now(self) -> float:
        """Return UTC epoch seconds by the database's clock, which the workers use."""
        return self._database.now()

    def last_run(self, realm: str | None = None, before: int | None = None) -> RunRecord | None:
        """Return the newest run of one realm or of all, or the newest ``before`` a run."""
        asked = {"realm = ?": realm, "id < ?": before}
        conditions = {each: value for each, value in asked.items() if value is not None}
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        found = tuple(conditions.values())
        rows = self._database.rows(f"{RUN}{where} ORDER BY id DESC LIMIT 1", found)
        return self._run(rows[0]) if rows else None

    def runs(self, realm: str, limit: int) -> list[RunRecord]:
        """Return the newest runs of a realm, newest first."""
        of_realm = f"{RUN} WHERE realm = ? ORDER BY id DESC LIMIT ?"
        return [self._run(row) for row in self._database.rows(of_realm, (realm, limit))]

    def _run(self, row: Row) -> RunRecord:
        run = RunRecord(*row)
        counters = json.loads(row[6] or "{}")
        stopped_at = None
        if run.finished_at is None:
            stopped_at = stopped_without_end(self._database, run.id)
            counters = of_run(self._database, run.id, "", {})
        return replace(
            run, configuration=json.loads(row[2]), counters=counters, stopped_at=stopped_at
        )

    def site_counts(self, realm: str) -> list[SiteCounts]:
        """Return the counts of each origin of a realm; reads every URL once."""
        return [SiteCounts(*row) for row in self._database.rows(SITES, (realm,))]

    def read_otherwise(self, realm: str, reading: str) -> int:
        """Count the current documents whose pages were read with other options."""
        [(count,)] = self._database.rows(
            "SELECT count(*) FROM document AS d JOIN url AS u ON u.id = d.url"
            " JOIN origin AS o ON o.id = u.origin"
            " WHERE d.seq IS NOT NULL AND o.realm = ? AND u.reading <> ?",
            (realm, reading),
        )
        return int(count)

    def forbidden(self, realm: str) -> int:
        """Count the pages whose use was forbidden, which a reindex makes due."""
        [(count,)] = self._database.rows(
            "SELECT count(*) FROM url AS u JOIN origin AS o ON o.id = u.origin"
            " WHERE o.realm = ? AND u.outcome = ?",
            (realm, int(Outcome.USAGE_FORBIDDEN)),
        )
        return int(count)

    def origin(self, key: str, realm: str = DEFAULT_REALM) -> OriginState | None:
        """Return the stored state of an origin, with its robots.txt."""
        rows = self._database.rows(ORIGIN, (key, realm))
        return OriginState(*rows[0]) if rows else None

    def meanings(self, realm: str) -> list[tuple[str, str]]:
        """Return the names of parameters that proved to carry a meaning, each with its origin."""
        rows = self._database.rows(
            "SELECT o.key, e.value FROM evidence AS e JOIN origin AS o ON o.id = e.origin"
            " WHERE e.basis = ? AND o.realm = ? ORDER BY o.key, e.name",
            (MEANING, realm),
        )
        known = ((key, json.loads(value)) for key, value in rows)
        return [(key, each) for key, value in known if value["is_meant"] for each in value["names"]]

    def visits_today(self, key: str, realm: str) -> int:
        """Return the number of pages of an origin that were visited today (UTC)."""
        rows = self._database.rows(
            "SELECT day_visits FROM origin WHERE key = ? AND realm = ? AND visit_day = ?",
            (key, realm, day_of(self._database.now())),
        )
        return int(rows[0][0]) if rows else 0

    def url(
        self,
        origin: str,
        fingerprint: int,
        *,
        realm: str = DEFAULT_REALM,
        revisit: Revisit = REVISIT,
    ) -> UrlState | None:
        """Return the stored state of a URL, with ``due`` computed by ``revisit``."""
        rows = self._database.rows(URL, (origin, fingerprint, realm))
        if not rows:
            return None
        *columns, age = rows[0]
        found = UrlState(*columns)
        if found.due is not None:
            found = replace(found, due=found.due + revisit.age_of(Age(age), found.change_rate))
        outcome = None if found.outcome is None else Outcome(found.outcome)
        return replace(found, state=int(found.state), waiting=bool(found.waiting), outcome=outcome)

    def last_deletion(self, url: int) -> tuple[float, str, str | None] | None:
        """Return time, reason and successor of the deletion that is the last change written of a URL,
        if it is one."""
        query = "SELECT op, made_at, reason, moved_to FROM outbox WHERE url = ? ORDER BY seq DESC LIMIT 1"
        [(op, *deletion)] = self._database.rows(query, (url,)) or [("",)]
        return (deletion[0], deletion[1], deletion[2]) if op == "delete" else None

    def redirect_chain(
        self, urls: Iterable[str], *, realm: str, key: Callable[[str], str]
    ) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target.

        ``key`` returns the identity key of a URL.
        """
        return RedirectResolver(self._database, realm, key).redirect_chain(urls)

    def referrers(self, url: int) -> list[str]:
        """Return the path from a start to a URL: each page was the first to link to the next."""
        chain: list[str] = []
        seen: set[int] = set()
        step: int | None = url
        while step is not None and step not in seen and len(seen) < LONGEST_CHAIN:
            seen.add(step)
            [(address, above, text)] = self._database.rows(
                "SELECT url, referrer, referrer_url FROM url WHERE id = ?", (step,)
            )
            chain += [address] if text is None else [address, text]
            step = above
        return chain[:0:-1]

    def inlinks(self, url: int, limit: int = 100) -> list[str]:
        """Return the addresses of up to ``limit`` pages that link to the URL of a row."""
        graph = LinkGraph(self._database)
        return graph.addresses(graph.inlinks(url, limit))

    def attempts(self, url: int) -> Iterator[Attempt]:
        """Yield the crawl actions on a URL."""
        for row in self._database.stream(ATTEMPTS, (url,)):
            attempt = Attempt(*row)
            yield attempt._replace(outcome=Outcome(attempt.outcome))

    def counts(self, realm: str | None = None) -> dict[str, int]:
        """Count the URLs by last outcome; ``waiting`` are those never visited.

        This and the methods below cover one realm or, if that is None, all.
        """
        rows = self._database.rows(*_asked(COUNTS, realm, OF_REALM))
        named = {
            "waiting" if outcome is None else Outcome(outcome).name.lower(): count
            for outcome, count in rows
        }
        return dict(sorted(named.items()))

    def origins(self, realm: str | None = None) -> list[OriginCounts]:
        """Return the counts of each origin."""
        origins = ORIGINS.replace("{today}", str(day_of(self._database.now())))
        asked = _asked(origins, realm, " AND o.realm = ?")
        return [OriginCounts(*row) for row in self._database.rows(*asked)]

    def document_count(self, realm: str | None = None) -> int:
        """Count the current documents."""
        counted = (
            "SELECT count(*) FROM document AS d JOIN origin AS o ON o.id = d.origin"
            " WHERE d.seq IS NOT NULL{of}"
        )
        return int(self._database.rows(*_asked(counted, realm, " AND o.realm = ?"))[0][0])

    def held(self, realm: str | None = None) -> list[tuple[str, str, HeldGroup]]:
        """Return the losses that are held, by origin and realm."""
        rows = self._database.rows(*_asked(HELD_GROUPS, realm, " AND o.realm = ?"))
        return [(key, of, HeldGroup(*group)) for key, of, *group in rows]

    def pending(self) -> Iterator[tuple[str, str, int]]:
        """Yield every URL with its realm and state, in byte order."""
        rows = self._database.stream(PENDING.format(order=self._database.byte_order))
        return ((url, realm, int(state)) for url, realm, state in rows)

    def failures(
        self, realm: str | None = None
    ) -> Iterator[tuple[str, Outcome, int | None, str | None, str | None]]:
        """Yield the URLs that failed last time: outcome, status, reason, and the referrer."""
        for url, outcome, *rest in self._database.stream(*_asked(FAILURES, realm, OF_REALM)):
            yield (url, Outcome(outcome), *rest)

    def redirects(
        self, realm: str | None = None
    ) -> Iterator[tuple[str, Outcome, int | None, str | None]]:
        """Yield the URLs that redirect: outcome, status and target."""
        for url, outcome, *rest in self._database.stream(*_asked(REDIRECTS, realm, OF_REALM)):
            yield (url, Outcome(outcome), *rest)

    def workers(self, realm: str | None = None) -> list[WorkerRecord]:
        """Return the workers of the last runs, those that started first in front."""
        rows = self._database.rows(*_asked(WORKERS, realm, " AND r.realm = ?"))
        return [_worker(row, self.now()) for row in rows]

    def mirrors(self, realm: str | None = None) -> list[tuple[str, str, int, float]]:
        """Return pairs of origins with equal documents: number, and share of the smaller one's."""
        rows = self._database.rows(*_asked(MIRRORS, realm, " AND a.realm = ?"))
        return [(one, other, count, count / size) for one, other, count, size in rows]

    def documents_of(self, url: int) -> list[dict[str, Any]]:
        """Return the current document of a URL, or its sections if it is written by sections."""
        rows = self._database.rows(OF_URL, (url, url))
        records = [change.record for change in changes_of(self._database, rows)]
        return sorted(records, key=lambda record: record.get("order", 0))

    def change(self, seq: int) -> dict[str, Any] | None:
        """Return the change with a seq; None if a later change has replaced it."""
        batch = read_changes(self._database, seq - 1, None, 1)
        changes = batch.changes if batch else ()
        return next((each.record for each in changes if each.seq == seq), None)

    def documents(self, realm: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the current documents, as written by their last upsert, by seq."""
        return (record for record in self.changes(0, realm) if record["op"] == "upsert")

    def pages(self, realm: str | None = None) -> Iterator[dict[str, str]]:
        """Yield id, URL and HTML of the current documents whose pages were kept, by seq."""
        of_realm = "" if realm is None else " AND o.realm = ?"
        values = () if realm is None else (realm,)
        for id_, url, packed in self._database.stream(PAGES + of_realm + " ORDER BY d.seq", values):
            yield {"id": id_, "url": url, "html": zstd.decompress(packed).decode()}

    def changes(self, since: int, realm: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the changes with a seq above ``since`` that no later change has replaced."""
        while batch := read_changes(self._database, since, realm, BATCH):
            yield from (change.record for change in batch.changes)
            since = batch.seq
