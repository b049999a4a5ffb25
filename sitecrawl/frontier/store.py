"""The frontier over one database connection; every method is one transaction."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from sitecrawl.frontier import runs
from sitecrawl.frontier.base import (
    Backlog,
    Candidate,
    Change,
    Commit,
    DeadLink,
    Delivered,
    DueUrl,
    FeedFile,
    Heartbeat,
    LastVisit,
    OriginState,
    Outcome,
    Settlement,
    Share,
    VisitResult,
)
from sitecrawl.frontier.claims import Claims
from sitecrawl.frontier.database import Database, RowStatement, migrate
from sitecrawl.frontier.document_changes import Changes, StateTables
from sitecrawl.frontier.documents import Documents, NearPages
from sitecrawl.frontier.evidence_table import EvidenceTable, StoredEvidence
from sitecrawl.frontier.former_starts import FormerStarts
from sitecrawl.frontier.held_changes import HeldChanges
from sitecrawl.frontier.held_releases import HeldReleases
from sitecrawl.frontier.kept_files import KeptFile, KeptFiles
from sitecrawl.frontier.leases import (
    Leases,
    day_of,
    new_worker,
    reap_dead_workers,
    record_heartbeat,
)
from sitecrawl.frontier.link_table import Links
from sitecrawl.frontier.loss_guard import settle
from sitecrawl.frontier.outbox import (
    Outbox,
    deliver,
    end,
    take_over,
    take_undelivered,
    undeliver,
    undeliver_file,
)
from sitecrawl.frontier.redirect_resolver import RedirectResolver
from sitecrawl.frontier.run_counters import combined, worker_counters
from sitecrawl.frontier.state_options import StateOptions
from sitecrawl.frontier.url_table import Reminders, Urls
from sitecrawl.frontier.visit_reducer import VisitReducer
from sitecrawl.frontier.visits import Finding, Visits, is_page_visit, known_again

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


class Store:
    """One worker's view of the crawl database."""

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
        documents = Documents(database)
        self._memory = StateTables(
            documents=documents,
            held=HeldChanges(database, documents, self.run),
            claims=RedirectResolver(database, options.realm, options.key),
            near=NearPages(database),
            options=options,
            run=self.run,
        )
        self._evidence = EvidenceTable(database)
        self._reminders = Reminders(database, options.realm, announces=bool(options.daily_pages))
        self._former_starts = FormerStarts(database, options.realm)
        self._kept_files = KeptFiles(database, options.realm)
        self._woken = time.monotonic()
        self._wakes = options.selection.links

    def add(self, candidates: Sequence[Candidate]) -> int:
        """Store unknown URLs, and shorter paths to known ones; return the number of new URLs."""
        with self._transaction():
            new = self._urls.add(candidates, {})
            self._urls.note_listed(candidates, self.run)
            self._former_starts.confirm(candidates)
        return new

    def retire_starts(self, starts: Sequence[Candidate]) -> list[str]:
        """Turn stored starts that are not among ``starts`` into ordinary URLs; return them.

        Does nothing for a worker that joins the run of others.
        """
        with self._transaction():
            if runs.count_workers(self._database, self.run) > 1:
                return []
            return self._former_starts.retire(starts)

    def unnamed_starts(self) -> set[tuple[str, int]]:
        """Return origin and fingerprint of the former starts that are not referenced yet."""
        return set(self._former_starts.marked)

    def ask_listings(self, urls: Sequence[str]) -> None:
        """Record that sitemaps, which may list a former start, are requested."""
        with self._transaction():
            self._former_starts.ask_listings(urls)

    def read_listing(self, url: str) -> None:
        """Record that a sitemap was read to its end."""
        with self._transaction():
            self._former_starts.read_listing(url)

    def usage(self, origin: str, fingerprint: int) -> dict[str, Any]:
        """Return the field ``usage`` of a URL's document; empty without one."""
        with self._transaction():
            found = self._memory.documents.at(origin, self._options.realm, fingerprint)
            usage: dict[str, Any] = found.get("usage", {})
        return usage

    def kept_file(self, url: str) -> KeptFile | None:
        """Return a file about a site as it was last answered, with validators."""
        with self._transaction():
            return self._kept_files.find(url)

    def keep_file(self, url: str, file: KeptFile) -> None:
        """Keep a file about a site."""
        with self._transaction():
            self._kept_files.keep(url, file)

    def redirect_chain(self, urls: Sequence[str]) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target."""
        with self._transaction():
            return list(self._memory.claims.redirect_chain(urls))

    def unskip(self, candidates: Sequence[Candidate]) -> None:
        """Queue those candidates that the run set aside because of its activity."""
        with self._transaction():
            self._reminders.unskip(candidates)

    def mark_due(self, candidates: Sequence[Candidate]) -> None:
        """Queue known URLs regardless of their age, except permanently gone ones."""
        with self._transaction():
            self._reminders.mark_due(candidates)

    def record_feed_dates(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Store the dates of feed entries, and queue known URLs whose date has changed."""
        with self._transaction():
            self._reminders.record_feed_dates(entries)

    def mark_modified(self, entries: Sequence[tuple[Candidate, float]]) -> None:
        """Queue known URLs that were last read before the date (UTC epoch seconds) of each."""
        with self._transaction():
            self._reminders.mark_modified(entries)

    def skip(self, origin: str, fingerprints: Collection[int]) -> None:
        """Remove popped URLs of a leased origin from the queue without a visit.

        Their age stays as it is, so the next run considers them again.
        """
        with self._transaction():
            if self.leases.prove(origin):
                self._urls.skip(self.leases[origin], fingerprints)

    def requeue_due(self) -> None:
        """Queue every URL that is due now, including those that this run has visited."""
        with self._transaction(exclusive=True):
            now, after_this = self._database.now(), self.run + 1
            if runs.requeue_due(self._database, after_this, now, self._options):
                runs.count_pending(self._database, self._options.realm)

    def lease(self, limit: int) -> list[OriginState]:
        """Lease up to ``limit`` free origins with waiting URLs; none while this worker recovers."""
        if self.leases.recovering:
            return []
        with self._transaction(exclusive=True):
            now = self._database.now()
            reap_dead_workers(self._database, now, self._options.delay)
            if self._wakes and time.monotonic() - self._woken > WAKE_SECONDS:
                self._woken = time.monotonic()
                if runs.requeue_due(self._database, self.run, now, self._options):
                    runs.count_pending(self._database, self._options.realm)
            return self.leases.take(limit)

    def claim(self, origin: str) -> OriginState | None:
        """Lease an origin, even if nothing is due on it; None while another worker has it."""
        with self._transaction(exclusive=True):
            self._urls.know([origin])
            return self.leases.claim(origin)

    def pop(self, origin: str, limit: int) -> list[DueUrl]:
        """Pop up to ``limit`` due URLs of a leased origin that this run has not considered yet.

        They are ordered by priority, depth and discovery; those that failed last time come last.
        """
        if origin not in self.leases:
            return []
        return self._urls.pop(origin, self.leases[origin], limit)

    def pop_within_budget(self, origin: str, limit: int, reserved: int) -> list[DueUrl]:
        """Pop due URLs of a leased origin as far as the budget of its day allows.

        ``reserved`` pages of the budget are taken by visits that are not committed yet. New URLs
        and known pages come in turns, those first that are most likely to have changed.
        """
        if origin not in self.leases:
            return []
        used = self.leases.visits_today(origin) + reserved
        limit = min(limit, self._options.daily_pages - used)
        if limit <= 0:
            return []
        return self._urls.pop_by_change(
            origin, self.leases[origin], limit, known_first=used % 2 == 1
        )

    def out_of_budget(self) -> dict[str, int]:
        """Return the waiting URLs of each origin whose budget of the day is spent."""
        return self.leases.out_of_budget()

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
        if len(findings) < len(visits):
            self._urls.add(known_again(visits), {})
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
        today, visited = day_of(self._database.now()), sum(map(is_page_visit, visits))
        self._database.write(END_VISITS, [(done, today, visited, today, origin)])
        return findings, self._outbox.write(changes.entries())

    def put_off(self, origin: str, priorities: Mapping[int, int]) -> None:
        """Return popped URLs of a leased origin to the queue, each with a new priority."""
        with self._transaction():
            if self.leases.prove(origin):
                self._urls.put_off(self.leases[origin], priorities)

    def evidence(self, origin: str, basis: str = "") -> list[StoredEvidence]:
        """Return the evidence on the kinds of pages of a leased origin, or that of one basis."""
        return self._evidence.of(self.leases[origin].id, basis) if origin in self.leases else []

    def save_evidence(self, origin: str, parts: Sequence[StoredEvidence]) -> None:
        """Store evidence on kinds of pages of an origin, if it is ours."""
        with self._transaction():
            if self.leases.prove(origin):
                self._evidence.save(self.leases[origin].id, parts)

    def admit_again(self, origin: str, reason: str) -> int:
        """Queue the URLs of a leased origin that were refused for a reason; return their number.

        The URLs that were put off get their place in the queue back.
        """
        with self._transaction():
            if not self.leases.prove(origin):
                return 0
            return self._evidence.admit_again(self.leases[origin].id, reason)

    def _log_lost(self, origin: str, visits: Sequence[VisitResult]) -> None:
        rows = self._database.rows(
            "SELECT id FROM origin WHERE key = ? AND realm = ?", (origin, self._options.realm)
        )
        findings = [each for (row,) in rows for each in self._visits.look_up(row, visits)]
        for finding in findings:
            finding.outcome = Outcome.LEASE_LOST
        self._visits.log(findings)

    def save_origin(self, state: OriginState) -> None:
        """Store robots.txt, delay, and the earliest time of the next request of an origin."""
        with self._transaction():
            self.leases.save(state)

    def release(self, origin: str) -> None:
        """Release the origin; its popped URLs are due again."""
        with self._transaction():
            self.leases.give_back(origin)

    def hand_over(self, state: OriginState) -> None:
        """Store the state of an origin and release it for another worker of this run, which does
        not request its robots.txt again.
        """
        with self._transaction():
            self.leases.hand_over(state)

    def hold_address(self, origin: str, address: str) -> float | None:
        """Let a leased origin share the pace of an IP address; return the time of the address's next
        request, or None while another worker has leased origins of that address.
        """
        with self._transaction(exclusive=True):
            return self.leases.hold_address(origin, address)

    def follow(self, origin: str, other: str) -> bool:
        """Let the worker that has another origin have this leased one next; False if it may not:
        of two that follow each other only one does.
        """
        with self._transaction(exclusive=True):
            return self.leases.follow(origin, other)

    def beat(self, heartbeat: Heartbeat) -> Share:
        """Record a heartbeat; return the part of the waiting work that this worker has."""
        with self._transaction():
            record_heartbeat(self._database, self.owner, heartbeat)
        return self.leases.share()

    def exclude_from_run(self, origin: str, reason: str) -> None:
        """Release the origin, and keep every worker from leasing it again in this run."""
        with self._transaction():
            self.leases.exclude_from_run(origin, reason)

    def readmit(self, origin: str) -> None:
        """Allow an origin that was given up to be leased again."""
        with self._transaction():
            self.leases.readmit(origin)

    def restore(self, error: Exception) -> bool:
        """Connect again if the connection was lost; return False if it was not."""
        return self._database.restore(error)

    def renew(self) -> None:
        """Renew every lease."""
        with self._transaction():
            if self.leases.any_unsafe():
                self._database.exclusive_lock()
            self.leases.renew()

    def backlog(self) -> Backlog:
        """Count the waiting URLs by lease holder; the crawl is finished when all are zero."""
        return self.leases.backlog()

    def waiting_by_origin(self) -> dict[str, int]:
        """Return the number of waiting URLs of each origin that this worker leases."""
        return self.leases.waiting_by_origin()

    def grant(self, limit: int) -> int:
        """Allow some of the ``limit`` requests that all workers of the run may make; return their
        number, 0 at the limit.
        """
        with self._transaction():
            return runs.grant(self._database, self.run, limit)

    def return_grant(self, number: int) -> None:
        """Return requests that were allowed and not made."""
        with self._transaction():
            runs.return_grant(self._database, self.run, number)

    def last_visits(self, candidates: Sequence[Candidate]) -> list[LastVisit]:
        """Return the last visits of these URLs and of their redirect targets by all workers of
        this run; those without one are omitted.
        """
        return list(self._visits.last_of(candidates))

    def dead_links(self) -> list[DeadLink]:
        """Return the URLs that failed in this run, ordered by URL."""
        return self._visits.dead_links()

    def has_documents(self) -> bool:
        """Return True if the realm has a document."""
        return bool(
            self._database.rows(
                "SELECT 1 FROM origin AS o JOIN document AS d ON d.origin = o.id"
                " WHERE o.realm = ? AND d.seq IS NOT NULL LIMIT 1",
                (self._options.realm,),
            )
        )

    def settle(self, origin: str) -> Settlement:
        """Carry out the changes of a leased origin that wait, unless too many documents were lost.

        Call it when the origin has nothing left to crawl, or only URLs that failed last time.
        """
        with self._transaction():
            if not self.leases.prove(origin):
                return Settlement([], 0)
            lease, now = self.leases[origin], self._database.now()
            return settle(self._memory, self._outbox, self._former_starts, lease.id, now)

    def undelivered(self, limit: int, after: int = 0, *, of_workers: bool = False) -> list[Change]:
        """Return undelivered outbox rows of earlier runs with ``seq > after`` that no living
        worker holds, in order.
        """
        with self._transaction(exclusive=True):
            reap_dead_workers(self._database, self._database.now(), self._options.delay)
            realm = self._options.realm
            return take_undelivered(
                self._database, realm, self.owner, limit, after, of_workers=of_workers
            )

    def delivered(
        self, seqs: Sequence[int], files: Sequence[FeedFile] = (), number: int = 0
    ) -> int:
        """Mark outbox rows as written to files; return their delivery (new if ``number`` is 0)."""
        with self._transaction():
            return deliver(self._database, self.owner, self.run, seqs, files, number=number)

    def take_over_deliveries(self, feeds: Collection[str]) -> list[Delivered]:
        """Take over deliveries to these feeds from crawls that did not end normally."""
        with self._transaction(exclusive=True):
            reap_dead_workers(self._database, self._database.now(), self._options.delay)
            return take_over(self._database, self.owner, self.run, feeds)

    def undeliver(self, numbers: Collection[int]) -> None:
        """Mark the rows of these deliveries as undelivered."""
        with self._transaction():
            undeliver(self._database, numbers)

    def undeliver_file(self, path: str, seqs: Collection[int]) -> int:
        """Mark our rows in an open file, and ``seqs``, as undelivered; return their number."""
        with self._transaction():
            return undeliver_file(self._database, self.owner, path, seqs)

    def end_deliveries(self) -> None:
        """End the deliveries of this worker; once all workers have, later runs overwrite the files."""
        with self._transaction(exclusive=True):
            end(self._database, self.owner, self.run)

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
