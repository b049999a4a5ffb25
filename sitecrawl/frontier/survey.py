"""Reads of a whole realm, for reports: each yields rows of one table with its numbers named."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import unpack
from sitecrawl.frontier.link_table import LinkGraph
from sitecrawl.frontier.records import Records
from sitecrawl.policy.documents.audit import PageAudit, read_audit
from sitecrawl.policy.http.politeness import Pause, ReceiptSummary
from sitecrawl.policy.outcomes import Outcome

MIN_SPAN = 0.001  # seconds
URLS = (
    "SELECT u.id, u.origin, u.url, u.depth, u.via, u.waiting, u.outcome, u.status, u.reason, u.detail,"
    " u.redirect_to, u.target, u.canonical, u.referrer, u.referrer_url, u.visited_at, u.listed"
    " FROM url AS u JOIN origin AS o ON o.id = u.origin WHERE o.realm = ? ORDER BY u.id"
)
DOCUMENTS = (
    "SELECT d.url, d.seq, d.target, d.because FROM document AS d"
    " JOIN origin AS o ON o.id = d.origin WHERE o.realm = ? ORDER BY d.url"
)
BODIES = (
    "SELECT d.url, d.body FROM document AS d JOIN origin AS o ON o.id = d.origin"
    " WHERE o.realm = ? AND d.seq IS NOT NULL ORDER BY d.url"
)
AUDITS = (
    "SELECT u.id, u.audit FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE o.realm = ? AND u.audit <> '' ORDER BY u.id"
)
TRANSFERS = (
    "SELECT a.url, a.duration, a.bytes FROM attempt AS a JOIN (SELECT max(x.id) AS id"
    " FROM attempt AS x JOIN url AS u ON u.id = x.url JOIN origin AS o ON o.id = u.origin"
    " WHERE x.bytes > 0 AND x.status = 200 AND o.realm = ? GROUP BY x.url) AS n ON n.id = a.id"
)
CHANGES = (
    "SELECT c.op, c.change, c.reason, coalesce(c.address, u.url), c.moved_to, c.made_at"
    " FROM outbox AS c LEFT JOIN url AS u ON u.id = c.url WHERE c.realm = ? AND c.run > ?"
    " ORDER BY c.seq"
)
CHANGE_COUNTS = (
    "SELECT c.run, CASE WHEN c.op = 'delete' THEN 'deleted' WHEN c.change = 'new' THEN 'new'"
    " ELSE 'changed' END AS kind, count(*) FROM outbox AS c WHERE c.realm = ? GROUP BY c.run, kind"
)
OUTCOMES_AFTER = (
    "SELECT a.url, a.outcome FROM attempt AS a JOIN (SELECT max(x.id) AS id FROM attempt AS x"
    " JOIN url AS u ON u.id = x.url JOIN origin AS o ON o.id = u.origin"
    " WHERE o.realm = ? AND x.run <= ? GROUP BY x.url) AS n ON n.id = a.id"
)
OUTCOMES_BY_RUN = (
    "SELECT a.run, a.outcome, count(*) FROM attempt AS a JOIN run AS r ON r.id = a.run"
    " WHERE r.realm = ? GROUP BY a.run, a.outcome"
)
VISITS = "SELECT started_at, outcome FROM attempt WHERE run = ?"
TIMES = "SELECT min(started_at), max(started_at) FROM attempt WHERE run = ?"
ORIGINS = (
    "SELECT id, key, robots_text, robots_status, delay FROM origin WHERE realm = ? ORDER BY key"
)
RECEIPTS = (
    "SELECT o.key, c.requests, c.promised, c.smallest, c.median, c.spare, c.limited,"
    " c.unavailable, c.pauses FROM receipt AS c JOIN origin AS o ON o.id = c.origin"
    " WHERE o.realm = ? AND c.run = ? ORDER BY o.key, c.owner"
)
OUTSIDE = (
    "SELECT id, url, kind, outcome, status, reason, checked_at FROM outside WHERE realm = ?"
    " ORDER BY id"
)
NOT_WRITTEN = (
    "SELECT u.url, coalesce(h.reason, h.change), h.moved_to, h.seen_at FROM held_change AS h"
    " JOIN url AS u ON u.id = h.url JOIN origin AS o ON o.id = h.origin WHERE o.realm = ?"
    " ORDER BY h.url"
)
OutcomeCounts = dict[int, Counter[Outcome]]
"""Visits by outcome, of each run or span of time."""


class SurveyedUrl(NamedTuple):
    """A known URL; ``listed`` is the last run in which a sitemap listed it, 0 if none did."""

    id: int
    origin: int
    url: str
    depth: int
    via: str
    waiting: int
    outcome: Outcome | None
    status: int | None
    reason: str | None
    detail: str | None
    redirect_to: str | None
    target: int | None
    canonical: str | None
    referrer: int | None
    referrer_url: str | None
    visited_at: float | None
    listed: int


class SurveyedDocument(NamedTuple):
    """A stored document; ``seq`` is None while another URL replaces it."""

    url: int
    seq: int | None
    target: int | None
    because: str | None


class SurveyedOrigin(NamedTuple):
    """An origin, with its robots.txt as it was read."""

    id: int
    key: str
    robots_text: str | None
    robots_status: int | None
    delay: float | None


class SurveyedChange(NamedTuple):
    """A change of the log: the kind of an upsert, or the reason of a deletion."""

    op: str
    change: str | None
    reason: str | None
    url: str
    moved_to: str | None
    made_at: float


class HeldLine(NamedTuple):
    """A change that waits: the reason of a deletion, or the kind of an upsert."""

    url: str
    reason: str
    moved_to: str | None
    seen_at: float


class OutsideAddress(NamedTuple):
    """An address that is not crawled, and what it answered when it was last checked."""

    id: int
    url: str
    kind: str
    outcome: Outcome | None
    status: int | None
    reason: str | None
    checked_at: float | None


class Survey:
    """Reads of one realm."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self.realm = realm
        self.records = Records(database)
        self.links = LinkGraph(database)

    def urls(self) -> Iterator[SurveyedUrl]:
        """Yield every known URL."""
        for row in self._database.stream(URLS, (self.realm,)):
            found = SurveyedUrl(*row)
            yield found if found.outcome is None else found._replace(outcome=Outcome(found.outcome))

    def documents(self) -> Iterator[SurveyedDocument]:
        """Yield every stored document."""
        return (SurveyedDocument(*row) for row in self._database.stream(DOCUMENTS, (self.realm,)))

    def bodies(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the fields of every current document, with the row of its URL."""
        for url, body in self._database.stream(BODIES, (self.realm,)):
            yield url, unpack(body)

    def audits(self) -> Iterator[tuple[int, PageAudit]]:
        """Yield what is told of each page as it was last read, with the row of its URL."""
        for url, audit in self._database.stream(AUDITS, (self.realm,)):
            yield url, read_audit(audit)

    def transfers(self) -> Iterator[tuple[int, float, int]]:
        """Yield seconds and bytes of the last visit with content of each URL."""
        yield from self._database.stream(TRANSFERS, (self.realm,))

    def changes(self, run: int) -> Iterator[SurveyedChange]:
        """Yield the changes that were written after a run."""
        found = self._database.stream(CHANGES, (self.realm, run))
        return (SurveyedChange(*row) for row in found)

    def outcomes_after(self, run: int) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome that each URL had when a run ended."""
        for url, outcome in self._database.stream(OUTCOMES_AFTER, (self.realm, run)):
            yield url, Outcome(outcome)

    def change_counts(self) -> dict[int, Counter[str]]:
        """Count the changes of each run: new, changed and deleted."""
        counts: dict[int, Counter[str]] = defaultdict(Counter)
        for run, kind, number in self._database.rows(CHANGE_COUNTS, (self.realm,)):
            counts[run][kind] = number
        return counts

    def outcomes_by_run(self) -> OutcomeCounts:
        """Count the visits of each run by outcome."""
        counts: OutcomeCounts = defaultdict(Counter)
        for run, outcome, number in self._database.rows(OUTCOMES_BY_RUN, (self.realm,)):
            counts[run][Outcome(outcome)] = number
        return counts

    def outcomes_by_time(self, run: int, bins: int) -> tuple[float, float, OutcomeCounts]:
        """Count the visits of a run by outcome, in spans of equal length.

        Also return the time of the first visit, and the length of a span in seconds.
        """
        [(first, last)] = self._database.rows(TIMES, (run,))
        if first is None:
            return 0.0, 0.0, {}
        span = max((last - first) / bins, MIN_SPAN)
        counts: OutcomeCounts = defaultdict(Counter)
        for at, outcome in self._database.stream(VISITS, (run,)):
            counts[min(int((at - first) / span), bins - 1)][Outcome(outcome)] += 1
        return first, span, counts

    def origins(self) -> Iterator[SurveyedOrigin]:
        """Yield every origin."""
        return (SurveyedOrigin(*row) for row in self._database.stream(ORIGINS, (self.realm,)))

    def receipts(self, run: int) -> Iterator[tuple[str, ReceiptSummary]]:
        """Yield each origin of a run with the politeness receipt of one worker."""
        for origin, *counts, pauses in self._database.stream(RECEIPTS, (self.realm, run)):
            read = tuple(Pause(*each) for each in json.loads(pauses))
            yield origin, ReceiptSummary(*(*counts, read))

    def outside(self) -> Iterator[OutsideAddress]:
        """Yield the addresses that are not crawled but that pages refer to."""
        for row in self._database.stream(OUTSIDE, (self.realm,)):
            found = OutsideAddress(*row)
            yield found if found.outcome is None else found._replace(outcome=Outcome(found.outcome))

    def held(self) -> Iterator[HeldLine]:
        """Yield the changes that are not written yet."""
        return (HeldLine(*row) for row in self._database.stream(NOT_WRITTEN, (self.realm,)))
