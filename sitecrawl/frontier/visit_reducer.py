"""Reducer of visits: applies their results to documents and deletions."""

from __future__ import annotations

from typing import Any

from sitecrawl.frontier.claims import (
    CANONICAL,
    ClaimantState,
    Claims,
    ClaimStep,
    ResolvedClaim,
    StateTables,
    TargetState,
)
from sitecrawl.frontier.documents import Changes, StoredDocument
from sitecrawl.frontier.visits import NOT_SURE, Finding
from sitecrawl.policy.documents.document_dates import rfc3339
from sitecrawl.policy.documents.output_shapes import text_of
from sitecrawl.policy.documents.section_documents import with_lasting_ids
from sitecrawl.policy.lifecycle.duplicates import rank
from sitecrawl.policy.lifecycle.losses import (
    PLAIN,
    TextChange,
    deletion_reason,
    is_rewritten,
    words_of,
)
from sitecrawl.policy.lifecycle.revisit import STILL_WAITING
from sitecrawl.policy.outcomes import REDIRECTS, Outcome

LED_TO = frozenset({"redirect", "canonical"})
"""Ways of discovery of a page to which known pages may have moved."""


class VisitReducer:
    """Reducer of the findings of one transaction; ``changes`` gathers the resulting entries."""

    def __init__(self, memory: StateTables, changes: Changes) -> None:
        self._documents = memory.documents
        self._held = memory.held
        self._resolver = memory.claims
        self._claims = Claims(memory, changes)
        self._options = memory.options
        self._run = memory.run
        self._changes = changes

    def apply(self, finding: Finding) -> None:
        """Apply a visit, and set the final outcome of its finding."""
        finding.target = self._resolver.target_of(finding.visit)
        if finding.stored.written:  # saves queries for a new URL
            finding.held = self._documents.of(finding.stored.id)
        if finding.visit.unchanged:
            self._unchanged(finding)
        elif finding.outcome is Outcome.FILE_DID_NOT_CHANGE:
            self._still_there(finding)
            self._still_claims(finding)
        elif not finding.visit.document:
            self._without_document(finding)
        elif finding.outcome is Outcome.NON_CANONICAL:
            self._resolve_canonical(finding)
        else:
            self._ingested(finding)

    def _ingested(self, finding: Finding) -> None:
        finding.outcome, finding.fresh = Outcome.FILE_INGESTED, True
        same = finding.is_current and finding.visit.content_hash == finding.stored.content_hash
        if same and finding.visit.document_hash == finding.stored.document_hash:
            self._still_there(finding)
            return
        change = self._change(finding, same=same)
        equal = self._equal(finding)
        if equal is not None and finding.is_current:
            self._gather_duplicate(finding, equal)
        elif equal is not None and not self._replaces(finding, equal):
            self._forget_held(finding)
            self._duplicate(finding, equal)
        elif self._must_wait(finding, change):
            self._hold(finding, change)
        else:
            self._forget_held(finding)
            self._publish(finding, equal, change)

    def _change(self, finding: Finding, *, same: bool) -> str:
        reading = finding.stored.reading
        reread = finding.is_current and reading not in (None, self._options.reading)
        finding.changed = not (same or reread)
        known = "config" if reread else "metadata" if same else "changed"
        return known if finding.is_current else "new"

    def _publish(self, finding: Finding, equal: StoredDocument | None, change: str) -> None:
        visit, url = finding.visit, finding.stored.id
        self._changes.publish(url, self._document(finding), visit.content_hash, change)
        if equal is not None:
            self._changes.replace(equal, url, finding.stored.url, "duplicate")
        if finding.held is not None or equal is not None:  # else it cannot have duplicates yet
            self._detach_duplicates(finding)

    def _replaces(self, finding: Finding, equal: StoredDocument) -> bool:
        ranks = self._documents.rank(finding.stored.id), self._documents.rank(equal.url)
        return ranks[0] < ranks[1] and not self._documents.is_written(equal, self._run)

    def _gather_duplicate(self, finding: Finding, equal: StoredDocument) -> None:
        finding.outcome, finding.fresh = Outcome.DUPLICATE, False
        self._held.delete(
            finding.stored.id,
            finding.origin,
            "duplicate",
            equal.address,
            target=equal.url,
            text=equal.hash,
        )

    def _equal(self, finding: Finding) -> StoredDocument | None:
        visit, url = finding.visit, finding.stored.id
        if visit.content_hash is None or self._options.keep_duplicates:
            return None
        return self._documents.equal(finding.origin, visit.content_hash, url)

    def _unchanged(self, finding: Finding) -> None:
        """Keep the document of a page that was read and is unchanged since its visit began.

        If the document was deleted meanwhile, the page has to be visited again.
        """
        if finding.held is None:
            finding.outcome = Outcome.CANCELLED
            return
        finding.fresh = True
        self._still_there(finding)

    def _still_there(self, finding: Finding) -> None:
        finding.outcome = Outcome.FILE_DID_NOT_CHANGE
        self._forget_held(finding)
        if finding.held is not None and finding.held.current and finding.held.target is not None:
            self._documents.set_replacement(finding.stored.id, None, None)

    def _still_claims(self, finding: Finding) -> None:
        """Resolve the canonical of an unchanged page again: its target may have changed."""
        held, target = finding.held, finding.stored.target
        if held is None or finding.is_duplicate:
            return
        if finding.stored.canonical is not None and target not in (None, held.url):
            self._claims.review(held, target)
        elif not held.current and "canonical_url" not in self._documents.content(held.url):
            self._changes.promote(held)  # an earlier version declared a canonical

    def _duplicate(self, finding: Finding, equal: StoredDocument) -> None:
        finding.outcome = Outcome.DUPLICATE
        self._suppress(finding, equal.url, equal.address, "duplicate")
        if not (finding.is_duplicate and finding.held and finding.held.target == equal.url):
            self._changes.renew(equal)

    def _detach_duplicates(self, finding: Finding) -> None:
        followers = self._documents.pointing_at([finding.stored.id])
        self._changes.orphan(held for held in followers if held.hash != finding.visit.content_hash)
        self._changes.renew_kept(finding.held)

    def _suppress(self, finding: Finding, target: int, address: str, because: str) -> None:
        held, url = finding.held, finding.stored.id
        if held is not None and held.current:
            self._changes.replace(held, target, address, because)
        elif held is not None and (held.target, held.because) != (target, because):
            self._changes.renew_kept(held)
        document, hash_ = self._document(finding), finding.visit.content_hash
        self._documents.store(url, finding.origin, document, hash_, (target, because))
        finding.fresh = True

    def _resolve_canonical(self, finding: Finding) -> None:
        url, target = finding.stored.id, finding.target
        answer = ResolvedClaim(TargetState.DEAD_END, 0)
        if target is not None and target != url:
            answer = self._resolver.follow(url, target)
        match CANONICAL[answer.state][ClaimantState.of(finding.held)]:
            case ClaimStep.KEEP_BEST:
                self._resolve_cycle(finding, answer)
            case ClaimStep.SUPPRESS:
                self._suppress(finding, answer.url, answer.address, "canonical")
            case ClaimStep.MARK:
                self._documents.set_replacement(url, answer.url, "canonical")
            case ClaimStep.DELETE:
                if not self._claims.delete(url, finding.origin, answer):
                    self._ingested(finding)
            case step:
                self._ingested(finding)
                if step is ClaimStep.INGEST_AND_MARK and finding.outcome is not Outcome.DUPLICATE:
                    self._documents.set_replacement(url, answer.url, "canonical")

    def _resolve_cycle(self, finding: Finding, answer: ResolvedClaim) -> None:
        members = [self._documents.of(url) for url, _ in answer.loop]
        pages = [held for held in members if held is not None]
        best = min(pages, key=lambda held: rank(held.address), default=None)
        if best is None or rank(finding.stored.url) < rank(best.address):
            self._ingested(finding)
            return
        self._changes.promote(best)
        self._suppress(finding, best.url, best.address, "canonical")

    def _without_document(self, finding: Finding) -> None:
        held, visit = finding.held, finding.visit
        if held is None:
            if finding.outcome not in STILL_WAITING:
                self._forget_held(finding)
            return
        if visit.reason in NOT_SURE:
            return
        rule = self._options.deletion
        reason = deletion_reason(rule, finding.outcome, finding.missing, finding.failures)
        if reason is None:
            return
        if not held.current:
            self._documents.remove(held.url)
            self._changes.renew_kept(held)
        elif finding.outcome in REDIRECTS and finding.target is not None:
            self._claims.moved(held, self._resolver.follow(held.url, finding.target))
        else:
            to, plain = visit.redirect_to or visit.canonical, finding.outcome in PLAIN
            self._held.delete(held.url, held.origin, reason, to, plain=plain)

    def _must_wait(self, finding: Finding, change: str) -> bool:
        """Return True if a document may not be its page's own: the text of a known page was replaced,
        or known pages lead to the new page."""
        if change == "changed":
            before = self._documents.content(finding.stored.id)
            words = (words_of(text_of(each)) for each in (before, finding.visit.document))
            return is_rewritten(TextChange(*words))
        is_target = change == "new" and finding.visit.due.via in LED_TO
        return is_target and (finding.stored.held or self._documents.was_led_to(finding.stored.id))

    def _hold(self, finding: Finding, change: str) -> None:
        visit = finding.visit
        hashes = (visit.content_hash, visit.document_hash)
        document = self._document(finding)
        self._held.write(finding.stored.id, finding.origin, change, document, hashes)
        finding.changed, finding.fresh, finding.is_held = False, False, True

    def _forget_held(self, finding: Finding) -> None:
        if finding.stored.held:
            self._held.forget(finding.stored.id)

    def _document(self, finding: Finding) -> dict[str, Any]:
        changed_at = finding.visit.started_at if finding.changed else finding.stored.changed_at
        when = rfc3339(changed_at or finding.visit.started_at)
        document = {**finding.visit.document, "last_changed_at": when}
        if not (finding.is_current and document.get("sections")):
            return document
        return with_lasting_ids(self._documents.content(finding.stored.id), document)
