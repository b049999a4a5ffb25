"""Reducer of visits: applies their results to documents and deletions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Entry
from sitecrawl.frontier.documents import Documents, NearPages, StoredDocument
from sitecrawl.frontier.held_changes import HeldChange, HeldChanges
from sitecrawl.frontier.redirect_resolver import OPEN, RedirectResolver, ResolvedClaim, TargetState
from sitecrawl.frontier.state_options import StateOptions
from sitecrawl.frontier.visits import NOT_SURE, Finding
from sitecrawl.policy.documents.document_dates import rfc3339
from sitecrawl.policy.documents.section_ids import with_lasting_ids
from sitecrawl.policy.lifecycle.deletion import deletion_reason
from sitecrawl.policy.lifecycle.duplicates import rank
from sitecrawl.policy.lifecycle.losses import (
    PLAIN,
    TextChange,
    has_own_content,
    is_rewritten,
    words_of,
)
from sitecrawl.policy.lifecycle.revisit import STILL_WAITING
from sitecrawl.policy.outcomes import REDIRECTS, Outcome


@dataclass(frozen=True, slots=True)
class StateTables:
    """Tables that the reducer changes, and its options."""

    documents: Documents
    held: HeldChanges
    claims: RedirectResolver
    near: NearPages
    options: StateOptions
    run: int


class Changes:
    """Changes of documents, and the outbox entries gathered for them, in one transaction.

    Deletions precede upserts, so that a reader in order never has a page twice.
    """

    def __init__(self, documents: Documents, origin: int) -> None:
        self._documents = documents
        self._origin = origin
        self._upserts: dict[int, Entry] = {}
        self._deletes: dict[int, Entry] = {}

    def entries(self) -> list[Entry]:
        """Return the entries in order, each document with the addresses of its duplicates."""
        also = self._documents.additional_urls(list(self._upserts))
        for url, addresses in also.items():
            entry = self._upserts[url]
            entry.content = {**entry.content, "additional_urls": addresses}
        return [*self._deletes.values(), *self._upserts.values()]

    def publish(
        self, url: int, document: dict[str, Any], content_hash: str | None, change: str
    ) -> None:
        """Make the document of a visit current."""
        self._documents.publish(url, self._origin, document, content_hash)
        self._upserts[url] = Entry(url, "upsert", document["id"], change, content=document)

    def promote(self, held: StoredDocument) -> None:
        """Make a suppressed document current, or a duplicate of an equal one."""
        equal = None
        if held.hash is not None:
            equal = self._documents.equal(held.origin, held.hash, held.url)
        if equal is not None:
            self._documents.demote(held.url, equal.url, "duplicate")
            self.renew(equal)
            return
        self._documents.promote(held.url)
        content = self._documents.content(held.url)
        self._upserts[held.url] = Entry(held.url, "upsert", held.id, "new", content=content)

    def renew(self, held: StoredDocument) -> None:
        """Write a current document again, because the addresses of its duplicates changed."""
        if held.url not in self._upserts:
            content = self._documents.content(held.url)
            entry = Entry(held.url, "upsert", held.id, "metadata", content=content)
            self._upserts[held.url] = entry

    def withdraw(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        """Delete a current document; its duplicates become independent."""
        self._delete(held, reason, moved_to)
        self._documents.remove(held.url)
        self.orphan(self._documents.pointing_at([held.url]))

    def forget(self, held: StoredDocument, reason: str) -> None:
        """Write the deletion of a current document only, because the realm is deleted."""
        self._delete(held, reason, None)

    def replace(
        self, held: StoredDocument, by: StoredDocument | int, address: str, because: str
    ) -> None:
        """Suppress a current document in favour of another URL, which also takes over those of
        its duplicates that are equal to the other document."""
        target = by if isinstance(by, int) else by.url
        reason = {"canonical": "non_canonical"}.get(because, because)
        self._delete(held, reason, address)
        self._documents.demote(held.url, target, because)
        followers = self._documents.duplicates_of(held.url)
        if not followers:
            return
        instead = self._documents.of(target)
        for follower in followers:
            if instead is not None and follower.hash == instead.hash:
                self._documents.set_replacement(follower.url, target, "duplicate")
        self.orphan(self._documents.duplicates_of(held.url))

    def orphan(self, followers: Iterable[StoredDocument]) -> None:
        """Promote the best of equal pages whose current one is gone; it replaces the others."""
        equal = [held for held in followers if held.because == "duplicate" and not held.current]
        if not equal:
            return
        best, *others = sorted(equal, key=lambda held: self._documents.rank(held.url))
        self.promote(best)
        for held in others:
            self._documents.set_replacement(held.url, best.url, "duplicate")

    def _delete(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        ours = self._upserts.pop(held.url, None)
        if ours is not None and ours.change == "new":
            return  # it was never written
        self._deletes[held.url] = Entry(
            held.url, "delete", held.id, None, reason, moved_to, held.address
        )


LED_TO = frozenset({"redirect", "canonical"})
"""Ways of discovery of a page to which known pages may have moved."""


STANDS_FOR = frozenset({"duplicate", "non_canonical"})
COMPARED = 20  # other pages with which a page's new text is compared


def text_of(document: Mapping[str, Any]) -> str:
    """Return title and text of a document."""
    return f"{document.get('title', '')} {document.get('body', '')}"


class VisitReducer:
    """Reducer of the findings of one transaction; ``changes`` gathers the resulting entries."""

    def __init__(self, memory: StateTables, changes: Changes) -> None:
        self._documents = memory.documents
        self._held = memory.held
        self._claims = memory.claims
        self._near = memory.near
        self._options = memory.options
        self._run = memory.run
        self._changes = changes

    def judge(self, finding: Finding) -> None:
        """Apply a visit, and set the final outcome of its finding."""
        finding.target = self._claims.target_of(finding.visit)
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

    def review(self, findings: Sequence[Finding]) -> None:
        """Resolve again the redirects and canonicals that lead to visited URLs."""
        held_back = self._documents.pointing_at([finding.stored.id for finding in findings])
        for held in sorted(held_back, key=lambda held: held.because == "redirect"):
            if held.because != "duplicate" and held.target is not None:
                self._review(held, self._claims.follow(held.url, held.target))

    def carry_out(self, deletion: HeldChange, moved_to: str | None) -> None:
        """Write a deletion.

        A page that another one replaces is visited in the next run, which finds it duplicate or
        non-canonical, and adds its address to the other document.
        """
        held = self._documents.of(deletion.url)
        self._held.forget(deletion.url)
        if held is None or not held.current or deletion.reason is None:
            return
        if deletion.reason in STANDS_FOR:
            self._documents.look_again(held.url)
        if deletion.reason != "duplicate" or self._has_equal(held, deletion.hash):
            self._withdraw(held, deletion.reason, moved_to)

    def exclude(self, url: int) -> None:
        """Gather the deletion of a page that no longer belongs to the crawl."""
        held = self._documents.of(url)
        if held is None:
            return
        if held.current:
            self._held.delete(url, held.origin, "excluded", plain=True)
        else:
            self._documents.remove(url)
            self._renew_kept(held)

    def own_content(self, changes: Sequence[HeldChange], among: Sequence[HeldChange]) -> set[int]:
        """Return the URLs of those changed documents that have content of their own.

        They are compared with a sample of those among which they wait.
        """
        changed = [each for each in among if each.change == "changed"]
        step = len(changed) // COMPARED + 1
        sample = {each.url: self._rewriting(each) for each in changed[::step]}
        own: set[int] = set()
        for each in changes:
            if each.change == "changed":
                page = sample.get(each.url) or self._rewriting(each)
                others = (other for url, other in sample.items() if url != each.url)
                if not is_rewritten(page) or has_own_content(page, others):
                    own.add(each.url)
        return own

    def end_of(self, deletion: HeldChange) -> ResolvedClaim:
        """Follow the claim because of which a page is to be deleted to its present end."""
        url, target = deletion.url, deletion.target or deletion.url
        end = self._claims.follow(url, target)
        if end.state is TargetState.PAGE and self._claims.leads_to(end.url, url):
            return ResolvedClaim(TargetState.LOOP, end.url)
        return end

    def release(self, change: HeldChange) -> None:
        """Write a document that waits, unless its page has changed since; or make it a duplicate."""
        document = self._held.document(change.url)
        self._held.forget(change.url)
        held = self._documents.of(change.url)
        current = held is not None and held.current
        if current is not (change.change == "changed"):
            return
        equal = self._lasting_equal(change)
        if equal is not None:
            self._fold(change, document, held, equal)
            return
        self._changes.publish(change.url, document, change.hash, change.change or "")
        self._documents.confirm(change.url, change.hash, change.document_hash, change.change or "")
        followers = self._documents.pointing_at([change.url])
        self._changes.orphan(held for held in followers if held.hash != change.hash)

    def _lasting_equal(self, change: HeldChange) -> StoredDocument | None:
        """Return another document that has the text of one that waits, and whose page stays."""
        if change.hash is None or self._options.keep_duplicates:
            return None
        equal = self._documents.equal(change.origin, change.hash, change.url)
        return None if equal is None or self._held.has(equal.url) else equal

    def _fold(
        self,
        change: HeldChange,
        document: dict[str, Any],
        held: StoredDocument | None,
        equal: StoredDocument,
    ) -> None:
        """Make a page whose document waits a duplicate of another one."""
        if held is not None:
            self._changes.replace(held, equal, equal.address, "duplicate")
        target = (equal.url, "duplicate")
        self._documents.suppress(change.url, change.origin, document, change.hash, target)
        self._documents.look_again(change.url)
        self._changes.renew(equal)

    def _rewriting(self, change: HeldChange) -> TextChange:
        before, after = self._documents.content(change.url), self._held.document(change.url)
        return TextChange(words_of(text_of(before)), words_of(text_of(after)))

    def _withdraw(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        followers = self._documents.pointing_at([held.url])
        self._changes.withdraw(held, reason, moved_to)
        for follower in followers:
            if follower.because == "canonical":
                self._review(follower, self._claims.follow(follower.url, held.url))

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
        """Return the kind of change of a page, and set whether its content changed."""
        reread = self._is_reread(finding)
        finding.changed = not (same or reread)
        known = "config" if reread else "metadata" if same else "changed"
        return known if finding.is_current else "new"

    def _is_reread(self, finding: Finding) -> bool:
        """Return True if the current document of a page was read with other options."""
        return finding.is_current and finding.stored.reading not in (None, self._options.reading)

    def _publish(self, finding: Finding, equal: StoredDocument | None, change: str) -> None:
        visit, url = finding.visit, finding.stored.id
        self._changes.publish(url, self._document(finding), visit.content_hash, change)
        if equal is not None:
            for each in (equal, *self._documents.duplicates_of(equal.url)):
                self._documents.copy_hash(each.url, url)
            self._changes.replace(equal, url, finding.stored.url, "duplicate")
        if finding.held is not None or equal is not None:  # else it cannot have duplicates yet
            self._detach_duplicates(finding)

    def _replaces(self, finding: Finding, equal: StoredDocument) -> bool:
        """Return True if the site prefers a page to an equal one whose document is of an earlier run."""
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
        """Return a current document with the same content, or nearly so if that is enabled."""
        visit, url = finding.visit, finding.stored.id
        if visit.content_hash is None or self._options.keep_duplicates:
            return None
        equal = self._documents.equal(finding.origin, visit.content_hash, url)
        if equal is not None or visit.simhash is None:
            return equal
        found = self._near.find(finding.origin, visit.simhash, url)
        self._near.note(finding.origin, visit.simhash, url)
        pages = [held for other in found if (held := self._documents.of(other))]
        return next((held for held in pages if held.current and held.target is None), None)

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
            self._review(held, self._claims.follow(held.url, target))
        elif not held.current and "canonical_url" not in self._documents.content(held.url):
            self._changes.promote(held)  # an earlier version declared a canonical

    def _duplicate(self, finding: Finding, equal: StoredDocument) -> None:
        finding.outcome = Outcome.DUPLICATE
        self._suppress(finding, equal.url, equal.address, "duplicate")
        self._documents.copy_hash(finding.stored.id, equal.url)
        if not (finding.is_duplicate and finding.held and finding.held.target == equal.url):
            self._changes.renew(equal)

    def _detach_duplicates(self, finding: Finding) -> None:
        """Detach the duplicates of a page whose content has changed."""
        followers = self._documents.pointing_at([finding.stored.id])
        self._changes.orphan(held for held in followers if held.hash != finding.visit.content_hash)
        self._renew_kept(finding.held)

    def _renew_kept(self, held: StoredDocument | None) -> None:
        """Write the document again of which this page was a duplicate."""
        if held is not None and held.because == "duplicate" and held.target is not None:
            kept = self._documents.of(held.target)
            if kept is not None and kept.current:
                self._changes.renew(kept)

    def _suppress(self, finding: Finding, target: int, address: str, because: str) -> None:
        held, url = finding.held, finding.stored.id
        if held is not None and held.current:
            self._changes.replace(held, target, address, because)
        elif held is not None and (held.target, held.because) != (target, because):
            self._renew_kept(held)
        self._documents.suppress(
            url,
            finding.origin,
            self._document(finding),
            finding.visit.content_hash,
            (target, because),
        )
        finding.fresh = True

    def _resolve_canonical(self, finding: Finding) -> None:
        url, target = finding.stored.id, finding.target
        answer = ResolvedClaim(TargetState.DEAD_END, 0)
        if target is not None and target != url:
            answer = self._claims.follow(url, target)
        current = finding.is_current
        if answer.state is TargetState.LOOP:
            self._resolve_cycle(finding, answer)
        elif answer.state is TargetState.DEAD_END:
            self._ingested(finding)
        elif answer.state is TargetState.DUE and (current or finding.is_duplicate):
            self._ingested(finding)  # the target may fail in every run, each time after this page
            if finding.outcome is not Outcome.DUPLICATE:
                self._documents.set_replacement(url, answer.url, "canonical")
        elif answer.state in OPEN and current:
            self._documents.set_replacement(url, answer.url, "canonical")
        elif current:
            self._claim_canonical(finding, answer)
        else:
            self._suppress(finding, answer.url, answer.address, "canonical")

    def _claim_canonical(self, finding: Finding, answer: ResolvedClaim) -> None:
        """Delete a document in favour of its canonical page, unless that names this one in turn."""
        url = finding.stored.id
        if self._claims.leads_to(answer.url, url):
            self._ingested(finding)
            return
        self._held.delete(url, finding.origin, "non_canonical", answer.address, target=answer.url)

    def _resolve_cycle(self, finding: Finding, answer: ResolvedClaim) -> None:
        """Keep the best page of a cycle of canonicals."""
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
            self._renew_kept(held)
        elif finding.outcome in REDIRECTS and finding.target is not None:
            self._moved(held, self._claims.follow(held.url, finding.target))
        else:
            to, plain = visit.redirect_to or visit.canonical, finding.outcome in PLAIN
            self._held.delete(held.url, held.origin, reason, to, plain=plain)

    def _moved(self, held: StoredDocument, answer: ResolvedClaim) -> None:
        if answer.state is TargetState.LOOP:
            return
        if answer.state in OPEN:
            self._documents.set_replacement(held.url, answer.url, "redirect")
            return
        to = answer.address or None
        target = answer.url if answer.state is TargetState.PAGE else None
        self._held.delete(held.url, held.origin, "redirected", to, target=target)

    def _must_wait(self, finding: Finding, change: str) -> bool:
        """Return True if a document may not be its page's own: the text of a known page was replaced,
        or known pages lead to the new page."""
        if change == "changed":
            before = self._documents.content(finding.stored.id)
            words = (words_of(text_of(each)) for each in (before, finding.document))
            return is_rewritten(TextChange(*words))
        is_target = change == "new" and finding.visit.due.via in LED_TO
        return is_target and (finding.stored.held or self._documents.was_led_to(finding.stored.id))

    def _hold(self, finding: Finding, change: str) -> None:
        """Withhold a document until it is clear whether other pages give the same answer."""
        visit = finding.visit
        hashes = (visit.content_hash, visit.document_hash)
        document = self._document(finding)
        self._held.write(finding.stored.id, finding.origin, change, document, hashes)
        finding.changed, finding.fresh, finding.withheld = False, False, True

    def _forget_held(self, finding: Finding) -> None:
        """Drop the change that waits, because the page shows content of its own."""
        if finding.stored.held:
            self._held.forget(finding.stored.id)

    def _has_equal(self, held: StoredDocument, text: str | None) -> bool:
        """Return True if another current document still has the text of a duplicate page."""
        return text is None or self._documents.equal(held.origin, text, held.url) is not None

    def _review(self, held: StoredDocument, answer: ResolvedClaim) -> None:
        if held.because == "redirect":
            self._documents.set_replacement(held.url, None, None)
            self._moved(held, answer)
        elif answer.state in (TargetState.DEAD_END, TargetState.LOOP):
            if held.current:
                self._documents.set_replacement(held.url, None, None)
            else:
                self._changes.promote(held)
        elif answer.state in OPEN or not held.current:
            self._documents.set_replacement(held.url, answer.url, "canonical")
        else:
            self._documents.set_replacement(held.url, None, None)
            if self._claims.leads_to(answer.url, held.url):
                return
            self._held.delete(
                held.url, held.origin, "non_canonical", answer.address, target=answer.url
            )

    def _document(self, finding: Finding) -> dict[str, Any]:
        changed_at = finding.visit.started_at if finding.changed else finding.stored.changed_at
        when = rfc3339(changed_at or finding.visit.started_at)
        document = {**finding.document, "last_changed_at": when}
        if not (finding.is_current and document.get("sections")):
            return document
        return with_lasting_ids(self._documents.content(finding.stored.id), document)
