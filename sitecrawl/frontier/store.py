"""The frontier over one database connection; every method is one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sitecrawl.frontier import runs
from sitecrawl.frontier.base import (
    Candidate,
    Change,
    Commit,
    DueUrl,
    OriginState,
    Settlement,
    Share,
    StateOptions,
    VisitResult,
)
from sitecrawl.frontier.claims import Claims, RedirectResolver, StateTables
from sitecrawl.frontier.database import Database, RowStatement, migrate
from sitecrawl.frontier.deliveries import Deliveries
from sitecrawl.frontier.documents import Changes
from sitecrawl.frontier.evidence_table import StoredEvidence, store_evidence, stored_evidence
from sitecrawl.frontier.former_starts import FormerStarts
from sitecrawl.frontier.kept_files import KeptFiles
from sitecrawl.frontier.leases import (
    Leases,
    day_of,
    new_worker,
    reap_dead_workers,
    record_heartbeat,
)
from sitecrawl.frontier.link_table import Links
from sitecrawl.frontier.loss_guard import HeldReleases, settle
from sitecrawl.frontier.outbox import Outbox
from sitecrawl.frontier.runs import combined, worker_counters
from sitecrawl.frontier.url_table import Reminders, Urls
from sitecrawl.frontier.visit_reducer import VisitReducer
from sitecrawl.frontier.visits import REFUSED, Finding, Visits
from sitecrawl.policy.outcomes import Outcome

WAKE_SECONDS = 60.0
STANDSTILL_SECONDS, STANDSTILL_SHARE = 10.0, 0.25
"""Time, and part of a lease if that is longer, after which the transaction of a worker that is stopped
may be ended: it keeps others from renewing their leases."""
END_VISITS = RowStatement(
    "UPDATE origin SET pending = pending - ?,"
    " day_visits = CASE WHEN visit_day = ? THEN day_visits ELSE 0 END + ?, visit_day = ?"
    " WHERE id = ?",
    ("bigint",) * 5,
    keys=(4,),
)


P = ParamSpec("P")
T = TypeVar("T")


def transaction(method: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Run a method of the store in one transaction."""

    @wraps(method)
    def run(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._transaction():
            return method(self, *args, **kwargs)

    return run


def of(
    table: str,
    method: Callable[Concatenate[Any, P], T],
    *,
    exclusive: bool = False,
    reads: bool = False,
) -> Callable[Concatenate[Store, P], T]:
    """Make the method of a table one of the store, in a transaction unless it ``reads`` only."""

    @wraps(method)
    def run(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with nullcontext() if reads else self._transaction(exclusive=exclusive):
            return method(getattr(self, table), *args, **kwargs)

    return run


class Store:
    """One worker's view of the crawl database: its tables, and what concerns several of them."""

    def __init__(
        self, database: Database, crawl: str, configuration: dict[str, Any], options: StateOptions
    ) -> None:
        self._database = database
        self._options = options
        self.owner = options.owner or new_worker()
        migrate(database, crawl)
        database.prepare_for_crawl(
            max(STANDSTILL_SECONDS, STANDSTILL_SHARE * options.lease_seconds)
        )
        with database.transaction():
            database.exclusive_lock()
            runs.check_name(database, crawl, options)
            self.run = runs.begin(database, self.owner, configuration, options)
        self.leases = Leases(database, self.owner, self.run, options)
        self._urls = Urls(
            database, options.realm, self.run if options.selection.defers_found_links else None
        )
        self._visits = Visits(database, self.run, options)
        self._links = Links(database, self._urls, options.realm)
        self._outbox = Outbox(database, self.run, options.realm, options.delivered_by or self.owner)
        self._memory = StateTables(database, options, self.run)
        self._reminders = Reminders(database, options.realm, announces=bool(options.daily_pages))
        self._former_starts = FormerStarts(database, options)
        self._claims = self._memory.claims
        self._deliveries = Deliveries(database, self.owner, self.run, options)
        self._kept_files = KeptFiles(database, options.realm)
        self._woken = time.monotonic()
        self._wakes = options.selection.links

    kept_file = of("_kept_files", KeptFiles.find)
    keep_file = of("_kept_files", KeptFiles.keep)
    redirect_chain = of("_claims", RedirectResolver.redirect_chain)
    unskip = of("_reminders", Reminders.unskip)
    mark_due = of("_reminders", Reminders.mark_due)
    record_feed_dates = of("_reminders", Reminders.record_feed_dates)
    mark_modified = of("_reminders", Reminders.mark_modified)
    save_origin = of("leases", Leases.save)
    release = of("leases", Leases.give_back)
    hand_over = of("leases", Leases.hand_over)
    exclude_from_run = of("leases", Leases.exclude_from_run)
    readmit = of("leases", Leases.readmit)
    renew = of("leases", Leases.renew)
    backlog = of("leases", Leases.backlog, reads=True)
    waiting_by_origin = of("leases", Leases.waiting_by_origin, reads=True)
    out_of_budget = of("leases", Leases.out_of_budget, reads=True)
    last_visits = of("_visits", Visits.last_of, reads=True)
    dead_links = of("_visits", Visits.dead_links, reads=True)
    undelivered = of("_deliveries", Deliveries.take_undelivered, exclusive=True)
    delivered = of("_deliveries", Deliveries.deliver)
    take_over_deliveries = of("_deliveries", Deliveries.take_over, exclusive=True)
    undeliver = of("_deliveries", Deliveries.undeliver)
    end_deliveries = of("_deliveries", Deliveries.end, exclusive=True)

    @transaction
    def add(self, candidates: Sequence[Candidate]) -> int:
        """Store unknown URLs, and shorter paths to known ones; return the number of new URLs."""
        new = self._urls.add(candidates, {})
        self._urls.note_listed(candidates, self.run)
        self._former_starts.confirm(candidates)
        return new

    @transaction
    def retire_starts(self, starts: Sequence[Candidate]) -> list[str]:
        """Turn stored starts that are not among ``starts`` into ordinary URLs; return them.

        Does nothing for a worker that joins the run of others.
        """
        if len(self._database.rows("SELECT 1 FROM worker WHERE run = ? LIMIT 2", (self.run,))) > 1:
            return []
        return self._former_starts.retire(starts)

    def unnamed_starts(self) -> set[tuple[str, int]]:
        """Return origin and fingerprint of the former starts that are not referenced yet."""
        return set(self._former_starts.marked)

    @transaction
    def usage(self, origin: str, fingerprint: int) -> dict[str, Any]:
        """Return the field ``usage`` of a URL's document; empty without one."""
        found = self._memory.documents.at(origin, self._options.realm, fingerprint)
        usage: dict[str, Any] = found.get("usage", {})
        return usage

    @transaction
    def skip(self, origin: str, fingerprints: Collection[int]) -> None:
        """Remove popped URLs of a leased origin from the queue without a visit.

        Their age stays as it is, so the next run considers them again.
        """
        if self.leases.prove(origin):
            self._urls.skip(self.leases[origin], fingerprints)

    def requeue_due(self) -> None:
        """Queue every URL that is due now, including those that this run has visited."""
        with self._transaction(exclusive=True):
            self._requeue(self.run + 1)

    def _requeue(self, before_run: int) -> None:
        """Queue the due URLs that were last considered before a run."""
        now = self._database.now()
        if runs.requeue_due(self._database, before_run, now, self._options):
            runs.count_pending(self._database, self._options.realm)

    def lease(self, limit: int) -> list[OriginState]:
        """Lease up to ``limit`` free origins with waiting URLs; none while this worker recovers."""
        if self.leases.recovering:
            return []
        with self._transaction(exclusive=True):
            reap_dead_workers(self._database, self._database.now(), self._options.delay)
            if self._wakes and time.monotonic() - self._woken > WAKE_SECONDS:
                self._woken = time.monotonic()
                self._requeue(self.run)
            return self.leases.take(limit)

    def claim(self, origin: str) -> OriginState | None:
        """Lease an origin, even if nothing is due on it; None while another worker has it."""
        with self._transaction(exclusive=True):
            self._urls.know([origin])
            return self.leases.claim(origin)

    def pop(self, origin: str, limit: int, reserved: int = 0) -> list[DueUrl]:
        """Pop up to ``limit`` due URLs of a leased origin that this run has not considered yet.

        They are ordered by priority, depth and discovery; those that failed last time come last.
        With a budget of its day, no more than that allows are popped, of which ``reserved`` pages
        are taken by visits that are not committed yet. New URLs and known pages then come in turns,
        those first that are most likely to have changed.
        """
        if origin not in self.leases:
            return []
        lease, daily_pages = self.leases[origin], self._options.daily_pages
        if not daily_pages:
            return self._urls.pop(origin, lease, limit)
        used = self.leases.visits_today(origin) + reserved
        limit = min(limit, daily_pages - used)
        if limit <= 0:
            return []
        return self._urls.pop_by_change(origin, lease, limit, known_first=used % 2 == 1)

    def has_untried_urls(self, origin: str) -> bool:
        """Return True if a leased origin has waiting URLs other than those that failed last time."""
        return origin in self.leases and self._urls.has_promising(self.leases[origin].id)

    def commit(self, origin: str, visits: Sequence[VisitResult]) -> Commit:
        """Write outcomes, candidates and outbox rows of one origin in one transaction."""
        with self._transaction():
            if not self.leases.prove(origin):
                self._log_lost(origin, visits)
                lost = [replace(visit, outcome=Outcome.LEASE_LOST) for visit in visits]
                return Commit(lost, [])
            lease = self.leases[origin]
            findings, changes = self._write(lease.id, visits)
        done = (visit.due.fingerprint for visit in visits if not visit.again)
        self.leases[origin].popped.difference_update(done)
        judged = {id(finding.visit): finding.as_written for finding in findings}
        return Commit([judged.get(id(visit), visit) for visit in visits], changes)

    def _write(
        self, origin: int, visits: Sequence[VisitResult]
    ) -> tuple[list[Finding], list[Change]]:
        findings = self._visits.look_up(origin, visits)
        if len(findings) < len(visits):  # the database does not know all of their URLs
            dues = (visit.due for visit in visits)
            ways = ((d.origin, d.fingerprint, d.url, d.depth, d.via, d.referrer) for d in dues)
            self._urls.add((Candidate(*way) for way in ways), {})
            findings = self._visits.look_up(origin, visits)
        pages = {finding.stored.url: finding.stored.id for finding in findings}
        candidates = [c for visit in visits for c in visit.candidates]
        targets = [visit.target for visit in visits if visit.target is not None]
        linked = self._links.unknown(visits, candidates)
        self._urls.add(candidates + targets + linked, pages, origin)
        self._former_starts.confirm(candidates + targets)
        documents = self._memory.documents
        changes = Changes(documents, origin)
        reducer = VisitReducer(self._memory, changes)
        hashes = [visit.content_hash for visit in visits if visit.document]
        documents.expect(origin, [each for each in hashes if each is not None])
        for finding in findings:
            reducer.apply(finding)
        documents.forget()
        done = self._visits.write(findings)
        self._links.write(findings)
        Claims(self._memory, changes).review_all([each.stored.id for each in findings])
        documents.keep_html(
            {each.stored.id: each.visit.html for each in findings if each.visit.html is not None}
        )
        HeldReleases(self._memory, changes).release_own(origin, len(findings))
        today = day_of(self._database.now())
        visited = sum(not (each.again or each.outcome in REFUSED) for each in visits)
        self._database.write(END_VISITS, [(done, today, visited, today, origin)])
        return findings, self._outbox.write(changes.entries())

    @transaction
    def put_off(self, origin: str, priorities: Mapping[int, int]) -> None:
        """Return popped URLs of a leased origin to the queue, each with a new priority."""
        if self.leases.prove(origin):
            self._urls.put_off(self.leases[origin], priorities)

    def evidence(self, origin: str, basis: str = "") -> list[StoredEvidence]:
        """Return the evidence on the kinds of pages of a leased origin, or that of one basis."""
        if origin not in self.leases:
            return []
        return stored_evidence(self._database, self.leases[origin].id, basis)

    @transaction
    def save_evidence(self, origin: str, parts: Sequence[StoredEvidence]) -> None:
        """Store evidence on kinds of pages of an origin, if it is ours."""
        if self.leases.prove(origin):
            store_evidence(self._database, self.leases[origin].id, parts)

    def _log_lost(self, origin: str, visits: Sequence[VisitResult]) -> None:
        rows = self._database.rows(
            "SELECT id FROM origin WHERE key = ? AND realm = ?", (origin, self._options.realm)
        )
        findings = [each for (row,) in rows for each in self._visits.look_up(row, visits)]
        for finding in findings:
            finding.outcome = Outcome.LEASE_LOST
        self._visits.log(findings)

    def beat(self, pages: int, rate: float, counters: Mapping[str, Any]) -> Share:
        """Record a heartbeat with the pages so far, the pages per second of late, and the counters;
        return the part of the waiting work that this worker has."""
        with self._transaction():
            record_heartbeat(self._database, self.owner, pages, rate, counters)
        return self.leases.share()

    def restore(self, error: Exception) -> bool:
        """Connect again if the connection was lost; return False if it was not."""
        return self._database.restore(error)

    @transaction
    def grant(self, limit: int) -> int:
        """Allow some of the ``limit`` requests that all workers of the run may make; return their
        number, 0 at the limit.
        """
        return runs.grant(self._database, self.run, limit)

    @transaction
    def return_grant(self, number: int) -> None:
        """Return requests that were allowed and not made."""
        statement = "UPDATE run SET granted = granted - ? WHERE id = ?"
        self._database.execute(statement, (number, self.run))

    def has_documents(self) -> bool:
        """Return True if the realm has a document."""
        rows = self._database.rows(
            "SELECT 1 FROM origin AS o JOIN document AS d ON d.origin = o.id"
            " WHERE o.realm = ? AND d.seq IS NOT NULL LIMIT 1",
            (self._options.realm,),
        )
        return bool(rows)

    @transaction
    def settle(self, origin: str) -> Settlement:
        """Carry out the changes of a leased origin that wait, unless too many documents were lost.

        Call it when the origin has nothing left to crawl, or only URLs that failed last time.
        """
        if not self.leases.prove(origin):
            return Settlement([], 0)
        lease, now = self.leases[origin], self._database.now()
        return settle(self._memory, self._outbox, self._former_starts, lease.id, now)

    def counters_of_others(self) -> dict[str, Any]:
        """Return the counters of the other workers of the run, as of their last heartbeats."""
        return combined(worker_counters(self._database, self.run, besides=self.owner))

    def close(self, finish_reason: str, counters: dict[str, Any]) -> None:
        """Leave the run and close the connection."""
        with self._transaction():
            runs.finish(self._database, self.owner, self.run, finish_reason, counters)
        self._database.close()

    @contextmanager
    def _transaction(self, *, exclusive: bool = False) -> Iterator[None]:
        try:
            with self._database.transaction():
                if exclusive:
                    self._database.exclusive_lock()
                yield
        except BaseException:
            self._urls.forget()
            self._links.forget()
            self._memory.documents.forget()
            raise
