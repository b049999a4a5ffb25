"""Results of visits: the state of their URLs, and the log of attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sitecrawl.frontier.base import Candidate, DeadLink, LastVisit, StateOptions, VisitResult
from sitecrawl.frontier.claims import LONGEST_CHAIN
from sitecrawl.frontier.database import Database, Row, RowStatement, storable
from sitecrawl.frontier.documents import StoredDocument
from sitecrawl.policy.lifecycle.change_rate import ChangeHistory
from sitecrawl.policy.lifecycle.losses import CONFIRMED
from sitecrawl.policy.lifecycle.revisit import (
    FAILED,
    STILL_WAITING,
    WITH_CONTENT,
    NextVisit,
    Visited,
    next_visit,
)
from sitecrawl.policy.outcomes import PLACEHOLDERS, REDIRECTS, Outcome

SELECT = (
    "SELECT u.fingerprint, u.id, u.url, u.waiting, u.missing, u.failures,"
    " u.content_hash, u.document_hash, u.indexed_at, u.changed_at, u.reading, u.canonical,"
    " u.target, u.compared, u.compared_changes, u.compared_seconds, u.change_rate,"
    " EXISTS (SELECT 1 FROM document AS d WHERE d.url = u.id),"
    " EXISTS (SELECT 1 FROM held_change AS h WHERE h.url = u.id)"
    " FROM url AS u WHERE u.origin = ? AND u.fingerprint IN ({})"
)
UPDATE = RowStatement(
    "UPDATE url SET waiting = ?, run = ?, due = ?, ages = ?, outcome = ?, status = ?, reason = ?,"
    " visited_at = ?, indexed_at = coalesce(?, indexed_at), changed_at = ?,"
    " etag = coalesce(?, CASE WHEN ? = 0 THEN etag END),"
    " last_modified = coalesce(?, CASE WHEN ? = 0 THEN last_modified END),"
    " content_hash = ?, document_hash = ?,"
    " missing = ?, failures = ?, visits = visits + 1, changes = changes + ?,"
    " compared = ?, compared_changes = ?, compared_seconds = ?, change_rate = ?,"
    " redirect_to = coalesce(?, CASE WHEN ? = 1 THEN redirect_to END), canonical = ?, target = ?,"
    " priority = CASE WHEN via <> 'seed' AND priority > 0 THEN 0 ELSE priority END,"
    " detail = ?, reading = ?, left_out = coalesce(?, left_out), audit = coalesce(?, audit), following = coalesce(?, following)"
    " WHERE id = ?",
    (
        *("bigint", "bigint", "float8", "bigint", "bigint", "bigint", "text"),
        *("float8", "float8", "float8", "text", "bigint", "text", "bigint", "text", "text"),
        *("bigint", "bigint", "bigint", "float8", "float8", "float8", "float8"),
        *("text", "bigint", "text", "bigint"),
        *("text", "text", "text", "text", "text", "bigint"),
    ),
    keys=(32,),
)
# Outcomes that leave the canonical URL of a page unknown.
SILENT = FAILED | STILL_WAITING | {Outcome.FILE_DID_NOT_CHANGE}
AWAITED = PLACEHOLDERS | CONFIRMED.keys()
"""Outcomes after which the page of a current document is visited in every run."""
REFUSED = frozenset({Outcome.BLOCKED_BY_ROBOTS_TXT, Outcome.BLOCKED_URL_BY_LOCAL_POLICY})
NEVER: Row = (None, None, None, None)
NOT_SURE = frozenset({"robots_txt_unreachable"})  # RFC 9309, 2.3.1.4: disallowed for now
ATTEMPT = RowStatement(
    "INSERT INTO attempt (url, run, started_at, duration, outcome, status, bytes, reason)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ("bigint", "bigint", "float8", "float8", "bigint", "bigint", "bigint", "text"),
)
LAST = (
    "SELECT u.fingerprint, u.outcome, u.status, u.reason, u.detail, u.redirect_to, u.target,"
    " t.fingerprint, t.url FROM url AS u LEFT JOIN url AS t ON t.id = u.target"
    " WHERE u.run = ? AND u.outcome IS NOT NULL AND u."
)
OF_START = "fingerprint = ? AND u.origin = (SELECT id FROM origin WHERE key = ? AND realm = ?)"
DEAD = (
    "SELECT u.url, coalesce(u.reason, ''), u.status, coalesce(u.referrer_url, r.url) FROM url AS u"
    " JOIN origin AS o ON o.id = u.origin LEFT JOIN url AS r ON r.id = u.referrer"
    " WHERE o.realm = ? AND u.run = ? AND u.outcome IN ({})"
)


@dataclass(slots=True)
class PreviousState:
    """State of a visited URL before the visit; its columns of changes are None before the first comparison.

    ``canonical`` is the canonical URL declared by the page whose document is stored, ``target``
    the row of that URL. ``written``: a document is stored; only a visit of the URL itself adds the
    first one. ``held``: a change of its document waits.
    """

    id: int
    url: str
    waiting: bool
    missing: int
    failures: int
    content_hash: str | None
    document_hash: str | None
    indexed_at: float | None
    changed_at: float | None
    reading: str | None
    canonical: str | None
    target: int | None
    compared: float | None
    compared_changes: float | None
    compared_seconds: float | None
    change_rate: float | None
    written: bool
    held: bool


@dataclass(slots=True)
class Finding:
    """A visit with the state before it, and the changes that follow from it.

    ``target`` is the row of the redirect target or canonical URL, ``held`` the document before
    the visit; ``fresh`` means that the stored document is now the visit's.
    """

    origin: int
    visit: VisitResult
    stored: PreviousState
    outcome: Outcome
    target: int | None = None
    held: StoredDocument | None = None
    changed: bool = False
    fresh: bool = False
    is_held: bool = False

    @property
    def as_written(self) -> VisitResult:
        """The visit as it was written."""
        visit = self.visit
        return visit if visit.outcome is self.outcome else replace(visit, outcome=self.outcome)

    @property
    def is_current(self) -> bool:
        """True if the page had a current document before the visit."""
        return self.held is not None and self.held.current

    @property
    def was_read(self) -> bool:
        """True if the stored document matches the page, read with today's options."""
        return bool(self.visit.document) or (self.visit.unchanged and self.fresh)

    @property
    def unconfirmed(self) -> bool:
        """True if the current document is kept although its page did not confirm it."""
        if self.is_held:
            return True
        return (
            self.is_current and not self.fresh and self.outcome is not Outcome.FILE_DID_NOT_CHANGE
        )

    @property
    def is_duplicate(self) -> bool:
        """True if the page was suppressed as a duplicate before the visit."""
        return self.held is not None and self.held.because == "duplicate"

    @property
    def missing(self) -> int:
        """Number of consecutive answers that the page does not exist, this one included unless it
        is retried in the same run."""
        if self.outcome in CONFIRMED:
            return self.stored.missing + (not self.visit.again)
        return self.stored.missing if self.outcome in FAILED else 0

    @property
    def failures(self) -> int:
        """Number of consecutive failed visits, this one included unless it is retried in the same
        run."""
        if self.outcome not in FAILED:
            return 0
        return self.stored.failures + (not self.visit.again)


class Visits:
    """The visits of one worker."""

    def __init__(self, database: Database, run: int, options: StateOptions) -> None:
        self._database = database
        self._run = run
        self._options = options

    def look_up(self, origin: int, visits: Sequence[VisitResult]) -> list[Finding]:
        """Pair each visit with the stored state of its URL; unknown URLs are omitted."""
        prints = [visit.due.fingerprint for visit in visits]
        rows = self._database.rows_in(SELECT, prints, origin)
        stored = {row[0]: PreviousState(*row[1:]) for row in rows}
        return [
            Finding(origin, visit, stored[visit.due.fingerprint], visit.outcome)
            for visit in visits
            if visit.due.fingerprint in stored
        ]

    def write(self, findings: Sequence[Finding]) -> int:
        """Write the new state and an attempt of each URL; return how many are no longer waiting."""
        self._database.write(UPDATE, [self._state(finding) for finding in findings])
        self.log(findings)
        return sum(bool(f.stored.waiting) and not f.visit.again for f in findings)

    def log(self, findings: Sequence[Finding]) -> None:
        """Write an attempt for each visit."""
        self._database.write(ATTEMPT, [self._attempt(finding) for finding in findings])

    def last_of(self, candidates: Sequence[Candidate]) -> list[LastVisit]:
        """Return the last visits of these URLs and of their redirect targets in this run."""
        found: list[LastVisit] = []
        for each in candidates:
            place = (each.fingerprint, each.origin, self._options.realm)
            rows = self._database.rows(LAST + OF_START, (self._run, *place))
            for _ in range(LONGEST_CHAIN):
                if not rows:
                    break
                identity, number, status, reason, detail, sent_to, row, target, address = rows[0]
                outcome = Outcome(number)
                if outcome in FAILED | STILL_WAITING:  # these are of an earlier visit
                    sent_to = row = None
                to = (target, address) if row is not None else None
                facts = (status, reason or "", detail or "", sent_to, to)
                found.append(LastVisit(identity, outcome, *facts))
                rows = self._database.rows(f"{LAST}id = ?", (self._run, row)) if row else []
        return found

    def dead_links(self) -> list[DeadLink]:
        """Return the URLs that failed in this run, ordered by URL."""
        failed = sorted(map(int, FAILED))
        rows = self._database.rows_in(DEAD, failed, self._options.realm, self._run)
        return sorted((DeadLink(*row) for row in rows), key=lambda each: each.url)

    def _attempt(self, finding: Finding) -> Row:
        visit = finding.visit
        return (
            finding.stored.id,
            self._run,
            visit.started_at,
            visit.duration,
            int(finding.outcome),
            visit.status,
            visit.bytes,
            storable(finding.visit.reason) or None,
        )

    def _state(self, finding: Finding) -> Row:
        visit, stored = finding.visit, finding.stored
        with_content = finding.outcome in WITH_CONTENT
        # A later visit must not compare as unchanged with this response.
        kept = finding.unconfirmed or finding.outcome in PLACEHOLDERS
        due = self._due(finding)
        silent = visit.outcome in SILENT or (kept and finding.outcome not in REDIRECTS)
        return (
            int(visit.again),
            self._run,
            due.at,
            int(due.age),
            int(finding.outcome),
            visit.status,
            storable(finding.visit.reason) or None,
            visit.started_at,
            visit.started_at if with_content and not kept else None,
            visit.started_at if finding.changed else stored.changed_at,
            None if kept else storable(visit.etag),
            int(finding.fresh),  # validators of the previous content must not stay
            None if kept else storable(visit.last_modified),
            int(finding.fresh),
            visit.content_hash if finding.fresh else stored.content_hash,
            visit.document_hash if finding.fresh else stored.document_hash,
            finding.missing,
            finding.failures,
            int(finding.changed and stored.content_hash is not None),
            *self._changes(finding),
            storable(visit.redirect_to),
            int(finding.outcome in FAILED | STILL_WAITING),  # no answer has replaced it
            stored.canonical if silent else storable(visit.canonical),
            stored.target if silent else finding.target,
            storable(visit.detail) or None,
            self._options.reading or None if finding.was_read else stored.reading,
            storable(visit.left_out),
            storable(visit.audit),
            self._options.following.at(visit.due.depth) or None if finding.was_read else None,
            stored.id,
        )

    def _changes(self, finding: Finding) -> Row:
        stored, before = finding.stored, finding.stored.indexed_at
        history = ChangeHistory(
            stored.compared or 0.0, stored.compared_changes or 0.0, stored.compared_seconds or 0.0
        )
        reread = finding.visit.document and stored.reading not in (None, self._options.reading)
        if finding.outcome not in WITH_CONTENT or before is None or finding.unconfirmed or reread:
            return (stored.compared, *history[1:], stored.change_rate) if stored.compared else NEVER
        history = history.compared(finding.visit.started_at - before, changed=finding.changed)
        return (*history, history.rate)

    def _due(self, finding: Finding) -> NextVisit:
        visit = finding.visit
        current = finding.held is not None and finding.held.current
        visited = Visited(
            outcome=finding.outcome,
            at=visit.started_at,
            expires_at=visit.expires_at,
            awaits=current and finding.outcome in AWAITED,
            wanted=visit.due.via == "seed" and finding.stored.indexed_at is None,
            not_before=visit.not_before,
        )
        return next_visit(self._options.revisit, visited)
