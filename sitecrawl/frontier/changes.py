"""What visits change in the output: documents new and changed, deletions gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitecrawl.frontier.base import Outcome
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Entry
from sitecrawl.frontier.options import StateOptions
from sitecrawl.frontier.visits import Finding
from sitecrawl.policy.deletion import too_many, verdict

STAGE = (
    "INSERT INTO deletion (url, origin, reason, moved_to, seen_at, run) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET reason = excluded.reason, moved_to = excluded.moved_to,"
    " seen_at = excluded.seen_at, run = excluded.run"
)


@dataclass(frozen=True, slots=True)
class Settled:
    """Deletions to write, or the number of those that are held back."""

    entries: list[Entry]
    held: int
    documents: int


class Changes:
    """Turns findings into outbox entries."""

    def __init__(self, database: Database, run: int, options: StateOptions) -> None:
        self._database = database
        self._run = run
        self._options = options

    def made_by(self, origin: int, findings: Sequence[Finding]) -> list[Entry]:
        """The entries that the visits make, in order; deletions are gathered for later."""
        entries = [entry for finding in findings if (entry := self._upsert(finding))]
        for finding in findings:
            self._gather(origin, finding)
        return entries

    def _upsert(self, finding: Finding) -> Entry | None:
        visit, stored = finding.visit, finding.stored
        if visit.document is None or finding.outcome is not Outcome.FILE_INGESTED:
            return None
        same_content = stored.written and visit.content_hash == stored.content_hash
        if same_content and visit.document_hash == stored.document_hash:
            finding.outcome = Outcome.FILE_DID_NOT_CHANGE
            return None
        finding.changed = not same_content
        change = "new" if not stored.written else "metadata" if same_content else "changed"
        return Entry(
            stored.id,
            "upsert",
            visit.document["id"],
            change,
            content=visit.document,
            hash=visit.content_hash,
        )

    def _gather(self, origin: int, finding: Finding) -> None:
        if not finding.stored.written:
            return
        rule, visit = self._options.deletion, finding.visit
        reason = verdict(rule, finding.outcome, finding.missing, finding.failures)
        if reason is None:
            self._database.execute("DELETE FROM deletion WHERE url = ?", (finding.stored.id,))
            return
        moved_to = visit.redirect_to or visit.canonical
        row = (finding.stored.id, origin, reason, moved_to, visit.started_at, self._run)
        self._database.execute(STAGE, row)

    def settle(self, origin: int) -> Settled:
        """The gathered deletions of an origin, unless they are too many."""
        rows = self._database.rows(
            "SELECT n.url, d.id, n.reason, n.moved_to, u.url FROM deletion AS n"
            " JOIN url AS u ON u.id = n.url JOIN document AS d ON d.url = n.url"
            " WHERE n.origin = ? ORDER BY n.url",
            (origin,),
        )
        [(documents,)] = self._database.rows(
            "SELECT count(*) FROM document WHERE origin = ? AND seq IS NOT NULL", (origin,)
        )
        if too_many(self._options.deletion, len(rows), documents):
            return Settled([], len(rows), documents)
        urls = [row[:1] for row in rows]
        self._database.many("DELETE FROM deletion WHERE url = ?", urls)
        self._database.many("DELETE FROM document WHERE url = ?", urls)
        entries = [
            Entry(url, "delete", id_, None, reason, moved_to, {"url": address})
            for url, id_, reason, moved_to, address in rows
        ]
        return Settled(entries, 0, documents)
