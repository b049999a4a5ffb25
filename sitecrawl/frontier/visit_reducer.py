"""Reducer of visits: applies their results to documents and deletions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Settlement
from sitecrawl.frontier.deletions import Deletions, Gathered
from sitecrawl.frontier.documents import Documents, NearPages, StoredDocument
from sitecrawl.frontier.former_starts import FormerStarts
from sitecrawl.frontier.furniture_table import Furniture
from sitecrawl.frontier.outbox import Entry, Outbox
from sitecrawl.frontier.redirect_resolver import OPEN, RedirectResolver, ResolvedClaim, TargetState
from sitecrawl.frontier.shared_answers import (
    Answers,
    SharedAnswer,
    Withheld,
    WithheldDocument,
    leading_to,
)
from sitecrawl.frontier.state_options import StateOptions
from sitecrawl.frontier.visits import NOT_SURE, Finding
from sitecrawl.policy.documents.document_dates import rfc3339
from sitecrawl.policy.documents.fields import VOLATILE
from sitecrawl.policy.documents.furniture import (
    Names,
    encoded_lines,
    line_key,
    names_of,
    stripped_document,
)
from sitecrawl.policy.documents.text_fields import TEXT_SOURCES
from sitecrawl.policy.lifecycle.deletion import (
    FEW_DOCUMENTS,
    MIN_SHARED_PAGES,
    deletion_reason,
    is_shared,
    too_many,
)
from sitecrawl.policy.lifecycle.duplicates import is_rewritten, rank
from sitecrawl.policy.lifecycle.revisit import FAILED, STILL_WAITING
from sitecrawl.policy.outcomes import REDIRECTS, Outcome
from sitecrawl.web.html.main_content import left_out
from sitecrawl.web.urls.url import origin as origin_key


@dataclass(frozen=True, slots=True)
class StateTables:
    """Tables that the reducer changes, and its options."""

    documents: Documents
    deletions: Deletions
    answers: Answers
    withheld: Withheld
    claims: RedirectResolver
    near: NearPages
    furniture: Furniture
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

    def strip(self, held: StoredDocument, document: dict[str, Any]) -> None:
        """Write a document again without furniture that was not known when it was written."""
        self._documents.rewrite(held.url, document)
        if held.current:
            self._upserts[held.url] = Entry(
                held.url, "upsert", held.id, "template", content=document
            )

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


"""Maximum number of pages with the same text that a visit reports."""
SILENT = FAILED | STILL_WAITING  # outcomes that tell nothing about the content of a page


STANDS_FOR = frozenset({"duplicate", "non_canonical"})


def text_of(document: dict[str, Any]) -> str:
    """Return title and text of a document."""
    return f"{document.get('title', '')} {document.get('body', '')}"


def answers_of(withheld: WithheldDocument) -> list[SharedAnswer]:
    """Return the answers that, if shared by known pages, mark a withheld document as an outage."""
    texts = [SharedAnswer("text", withheld.hash)] if withheld.hash else []
    return [*texts, leading_to("redirect", withheld.address)]


class VisitReducer:
    """Reducer of the findings of one transaction; ``changes`` gathers the resulting entries."""

    def __init__(self, memory: StateTables, changes: Changes) -> None:
        self._documents = memory.documents
        self._deletions = memory.deletions
        self._answers = memory.answers
        self._withheld = memory.withheld
        self._claims = memory.claims
        self._near = memory.near
        self._furniture = memory.furniture
        self._options = memory.options
        self._run = memory.run
        self._changes = changes

    def judge(self, finding: Finding) -> None:
        """Apply a visit, and set the final outcome of its finding."""
        finding.target = self._claims.target_of(finding.visit)
        if finding.stored.written:  # saves queries for a new URL
            finding.held = self._documents.of(finding.stored.id)
        if finding.stored.suspected and finding.outcome not in SILENT:
            self._forget_withheld(finding)
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

    def carry_out(self, gathered: Sequence[Gathered]) -> None:
        """Write gathered deletions.

        A page that another one replaces is visited in the next run, which finds it duplicate or
        non-canonical, and adds its address to the other document.
        """
        for deletion in gathered:
            held = self._documents.of(deletion.url)
            self._deletions.forget(deletion.url)
            if held is None or not held.current:
                continue
            if deletion.reason not in STANDS_FOR:
                self._withdraw(held, deletion.reason, deletion.moved_to)
                continue
            self._deletions.look_again(held.url)
            if deletion.reason != "duplicate" or self._has_equal(held, deletion.answer):
                self._withdraw(held, deletion.reason, deletion.moved_to)

    def exclude(self, url: int) -> None:
        """Gather the deletion of a page that no longer belongs to the crawl."""
        held = self._documents.of(url)
        if held is None:
            return
        if held.current:
            self._deletions.gather(url, held.origin, "excluded", None)
        else:
            self._documents.remove(url)
            self._renew_kept(held)

    def is_shared(self, origin: int, answer: SharedAnswer | None) -> bool:
        """Tell whether several known pages of an origin began to give the same answer."""
        if answer is None or self._answers.is_accepted(answer):
            return False
        return is_shared(
            self._answers.count(answer), self._documents.count_up_to(FEW_DOCUMENTS + 1, origin)
        )

    def shares_answer(self, withheld: WithheldDocument) -> bool:
        """Tell whether a withheld document belongs to an outage: several known pages have its
        text, or redirect to it."""
        return any(self.is_shared(withheld.origin, each) for each in answers_of(withheld))

    def release(self, withheld: Sequence[WithheldDocument]) -> None:
        """Write withheld documents, unless their pages have changed since."""
        for each in withheld:
            self._withheld.forget(each.url)
            held = self._documents.of(each.url)
            current = held is not None and held.current
            if self._deletions.knows(each.url) or current is not (each.change == "changed"):
                continue
            if self._has_lasting_equal(each):
                self._deletions.look_again(each.url)  # the visit will find it to be a duplicate
                continue
            document = each.document
            if each.template is not None:
                names = names_of(each.address)
                document = self._without_furniture(each.origin, names, document)
                if self._has_same_text(each.url, each.origin, names, document):
                    self._documents.set_hash(each.url, each.hash)
                    self._documents.confirm(each.url, each.hash, each.document_hash, "template")
                    continue
            self._changes.publish(each.url, document, each.hash, each.change)
            self._documents.confirm(each.url, each.hash, each.document_hash, each.change)
            followers = self._documents.pointing_at([each.url])
            self._changes.orphan(held for held in followers if held.hash != each.hash)

    def _has_lasting_equal(self, withheld: WithheldDocument) -> bool:
        """Tell whether another document has the text of a withheld one and is not moving to it."""
        if withheld.hash is None:
            return False
        equal = self._documents.equal(withheld.origin, withheld.hash, withheld.url)
        return equal is not None and not self._deletions.moves(equal.url, withheld.address)

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
        self._strip_again(finding)
        furniture = self._differs_by_furniture(finding)
        if furniture and self._is_stored(finding) and not self._is_reread(finding):
            self._documents.set_hash(finding.stored.id, finding.visit.content_hash)
            self._still_there(finding)
            return
        if finding.stored.written:
            self._deletions.forget(finding.stored.id)
        stripped = furniture and not (same and self._has_body(finding))
        change = self._change(finding, same=same or furniture, furniture=stripped)
        self._note_gained(finding, change)
        equal = self._equal(finding)
        if equal is not None and finding.is_current:
            self._gather_duplicate(finding, equal)
        elif equal is not None and not self._replaces(finding, equal):
            self._duplicate(finding, equal)
        elif self._must_wait(finding, change):
            self._withhold(finding, change)
        else:
            self._publish(finding, equal, change)

    def _strip_again(self, finding: Finding) -> None:
        """Strip a document of furniture that became known after its page was read."""
        if 0 < finding.visit.furniture < self._furniture.of(finding.origin).version:
            names = names_of(finding.stored.url)
            finding.document = self._without_furniture(finding.origin, names, finding.document)

    def _differs_by_furniture(self, finding: Finding) -> bool:
        """Tell whether the text differs from the stored one only by lines of the template."""
        url = finding.stored
        if not (finding.is_current and finding.visit.furniture):
            return False
        return self._has_same_text(url.id, finding.origin, names_of(url.url), finding.document)

    def _has_same_text(
        self, url: int, origin: int, names: Names, document: Mapping[str, Any]
    ) -> bool:
        """Tell whether a document has the text of the stored one without known furniture."""
        before = self._without_furniture(origin, names, self._documents.content(url))
        return all(before.get(name) == document.get(name) for name in ("title", "body"))

    def _without_furniture(
        self, origin: int, names: Names, document: dict[str, Any]
    ) -> dict[str, Any]:
        stripped = stripped_document(document, self._furniture.of(origin), names)
        return document if stripped is None else stripped[0]

    def _has_body(self, finding: Finding) -> bool:
        """Tell whether the stored document has the body of the visit."""
        before = self._documents.content(finding.stored.id)
        return before.get("body") == finding.document.get("body")

    def _is_stored(self, finding: Finding) -> bool:
        """Tell whether the document differs from the stored one only in volatile fields."""
        before = self._documents.content(finding.stored.id)
        after = finding.document
        names = (before.keys() | after.keys()) - (VOLATILE - {"body"})
        if {before.get("description_source"), after.get("description_source")} <= TEXT_SOURCES:
            names -= {"description", "description_source"}
        return all(before.get(name) == after.get(name) for name in names)

    def _change(self, finding: Finding, *, same: bool, furniture: bool = False) -> str:
        """Return the kind of change of a page, and set whether its content changed."""
        reread = self._is_reread(finding)
        finding.changed = not (same or reread)
        known = "config" if reread else "metadata" if same else "changed"
        if furniture and not reread:
            known = "template"
        return known if finding.is_current else "new"

    def _is_reread(self, finding: Finding) -> bool:
        """Tell whether the current document of a page was read with other options."""
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
        """Tell whether the site prefers a page to an equal one whose document is of an earlier run."""
        ranks = self._documents.rank(finding.stored.id), self._documents.rank(equal.url)
        return ranks[0] < ranks[1] and not self._documents.is_written(equal, self._run)

    def _gather_duplicate(self, finding: Finding, equal: StoredDocument) -> None:
        finding.outcome, finding.fresh = Outcome.DUPLICATE, False
        self._note_text(finding, equal.hash)
        self._gather_deletion(finding, "duplicate", equal.address, moved=True)

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
        self._deletions.forget(finding.stored.id)
        if finding.stored.suspected and not self._is_own(finding):
            self._answers.clear(finding.stored.id)
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
        self._note_canonical(finding, answer)
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
            self._gather_deletion(finding, "non_canonical", answer.address, moved=True)
        else:
            self._suppress(finding, answer.url, answer.address, "canonical")

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
        if held is None or visit.reason in NOT_SURE:
            return
        if held.current and finding.outcome in REDIRECTS:
            self._note_redirect(finding)
        if held.current and finding.outcome is Outcome.SOFT_404:
            self._answers.note(
                held.url, held.origin, SharedAnswer("soft_404", origin_key(held.address))
            )
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
            self._gather_deletion(finding, reason, visit.redirect_to or visit.canonical)

    def _moved(self, held: StoredDocument, answer: ResolvedClaim) -> None:
        if answer.state is TargetState.LOOP:
            return
        if answer.address:
            self._answers.note(held.url, held.origin, leading_to("redirect", answer.address))
        if answer.state in OPEN:
            self._documents.set_replacement(held.url, answer.url, "redirect")
            return
        moved = answer.state is TargetState.PAGE or self._withheld.is_withheld(answer.url)
        to = answer.address or None
        self._deletions.gather(held.url, held.origin, "redirected", to, moved=moved)

    def _note_redirect(self, finding: Finding) -> None:
        """Store the end of the known redirect chain as the answer of a page."""
        address = finding.visit.redirect_to or ""
        if finding.target is not None:
            address = self._claims.follow(finding.stored.id, finding.target).address or address
        if address:
            shared = leading_to("redirect", address)
            self._answers.note(finding.stored.id, finding.origin, shared)

    def _note_canonical(self, finding: Finding, answer: ResolvedClaim) -> None:
        canonical = finding.visit.canonical
        if finding.is_current and canonical and answer.state in (*OPEN, TargetState.PAGE):
            shared = leading_to("canonical", canonical)
            self._answers.note(finding.stored.id, finding.origin, shared)

    def _note_text(self, finding: Finding, content_hash: str | None) -> None:
        if content_hash is not None:
            shared = SharedAnswer("text", content_hash)
            self._answers.note(finding.stored.id, finding.origin, shared)

    def _must_wait(self, finding: Finding, change: str) -> bool:
        """Tell whether a document may belong to an outage: the text of a known page was rewritten,
        or known pages redirect to the new page; or may differ by lines that other pages gain."""
        visit = finding.visit
        if change == "changed":
            before = self._documents.content(finding.stored.id)
            if self._may_be_shared(finding) and is_rewritten(
                text_of(before), text_of(finding.document)
            ):
                self._note_text(finding, visit.content_hash)
                return True
            return finding.template is not None
        if change != "new" or visit.due.via != "redirect":
            return False
        led = self._answers.count(leading_to("redirect", finding.stored.url)) > 0
        return led or self._withheld.is_held(finding.stored.id)

    def _may_be_shared(self, finding: Finding) -> bool:
        """Tell whether enough pages may share the text of a page, or it is withheld already."""
        noted = SharedAnswer("text", finding.visit.content_hash or "")
        enough = self._documents.count_up_to(MIN_SHARED_PAGES, finding.origin) >= MIN_SHARED_PAGES
        return enough or self._answers.of(finding.stored.id) == noted

    def _note_gained(self, finding: Finding, change: str) -> None:
        """Set the lines that a changed page has gained, and the name of its template while it is
        undecided whether they are new furniture."""
        if change != "changed" or not finding.visit.furniture:
            return
        before = self._documents.content(finding.stored.id)
        texts = (str(each.get("body", "")) for each in (finding.document, before))
        now, then = (frozenset(map(line_key, encoded_lines(text))) for text in texts)
        finding.gained = now - then
        names = names_of(finding.stored.url)
        if self._furniture.is_undecided(finding.origin, names):
            finding.template = names.template

    def _withhold(self, finding: Finding, change: str) -> None:
        """Withhold a document until it is clear whether other pages give the same answer, or
        have gained the same lines."""
        visit, url = finding.visit, finding.stored.id
        hashes = (visit.content_hash, visit.document_hash)
        document = self._document(finding)
        self._withheld.withhold(
            url, finding.origin, change, document, hashes, template=finding.template
        )
        finding.changed, finding.fresh, finding.withheld = False, False, True

    def _forget_withheld(self, finding: Finding) -> None:
        """Delete a withheld document, because its page is judged again; keep a new one that awaits
        confirmation."""
        if finding.held is not None or not self._withheld.is_held(finding.stored.id):
            self._withheld.forget(finding.stored.id)

    def _is_own(self, finding: Finding) -> bool:
        """Tell whether the stored answer is the text of the current document."""
        return self._answers.of(finding.stored.id) == SharedAnswer(
            "text", finding.stored.content_hash or ""
        )

    def _has_equal(self, held: StoredDocument, answer: SharedAnswer | None) -> bool:
        """Tell whether another current document still has the text of a duplicate page."""
        if answer is None or answer.kind != "text":
            return True
        return self._documents.equal(held.origin, answer.key, held.url) is not None

    def _gather_deletion(
        self, finding: Finding, reason: str, moved_to: str | None, *, moved: bool = False
    ) -> None:
        self._deletions.gather(finding.stored.id, finding.origin, reason, moved_to, moved=moved)

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
            self._deletions.gather(
                held.url, held.origin, "non_canonical", answer.address, moved=True
            )

    def _document(self, finding: Finding) -> dict[str, Any]:
        changed_at = finding.visit.started_at if finding.changed else finding.stored.changed_at
        when = rfc3339(changed_at or finding.visit.started_at)
        return {**finding.document, "last_changed_at": when}


STRIP_BATCH = 200
"""Documents stripped per transaction, few enough to renew leases in time."""


def strip_stored(furniture: Furniture, documents: Documents, changes: Changes, origin: int) -> bool:
    """Strip a batch of documents of furniture that was not known when they were written; return
    whether more are left."""
    known = furniture.of(origin)
    before = furniture.stripped_before(origin, STRIP_BATCH) if known.version else []
    for url, address, version in before:
        names = names_of(address)
        if not known.changed_since(version, names):
            continue
        held, content = documents.of(url), documents.content(url)
        stripped = stripped_document(content, known, names)
        if held is not None and stripped is not None:
            document, gone = stripped
            changes.strip(held, document)
            furniture.leave_out(url, str(left_out("templates", gone)))
    furniture.brought_up(origin, [url for url, _, _ in before])
    return len(before) == STRIP_BATCH


class DeletionFlush:
    """Flush of the deletions of each origin, by one worker in one pass."""

    def __init__(self, memory: StateTables, outbox: Outbox, former_starts: FormerStarts) -> None:
        self._memory = memory
        self._former_starts = former_starts
        self._outbox = outbox
        self._deleted: Counter[int] = Counter()

    def begin_round(self) -> None:
        """Reset the counts for a new pass."""
        self._deleted.clear()

    def settle(self, origin: int) -> Settlement:
        """Inside a transaction: write the deletions seen on an origin, or hold them back.

        Deletions are held back if several known pages began to give the same answer; the rest are
        if they are too many, not counting pages that another one replaces. Pages whose deletion is
        held back are due in every run, unless ``blacklist`` leaves failed URLs to manual retries. A
        run that does not visit them, because of its activity, keeps them.
        """
        memory = self._memory
        documents = memory.documents.count(origin)
        changes = Changes(memory.documents, origin)
        judge = VisitReducer(memory, changes)
        for url in self._former_starts.unnamed(origin):
            judge.exclude(url)
        gathered = memory.deletions.of(origin)
        unseen = memory.deletions.unseen(origin)
        self._write_withheld(judge, origin, unseen)
        withheld = [each for each in memory.withheld.of(origin) if each.held]
        outage = {leading_to("redirect", each.address) for each in withheld}
        shared = [
            each
            for each in gathered
            if each.answer in outage or judge.is_shared(origin, each.answer)
        ]
        unshared = [each for each in gathered if each not in shared]
        losses = [each for each in unshared if not each.moved]
        before = self._deleted[origin]
        held = 0
        if too_many(memory.options.deletion, before + len(losses), before + documents):
            unshared, held = [each for each in unshared if each.moved], len(losses)
        if (held or shared) and not memory.options.revisit.blacklist:
            memory.deletions.doubt(origin)
        memory.withheld.doubt(origin)
        judge.carry_out([each for each in unshared if each.url not in unseen])
        written = self._outbox.write(changes.entries())
        deleted = sum(1 for each in losses if not held and each.url not in unseen)
        groups = memory.answers.held(origin)
        return Settlement(written, held, documents, deleted, tuple(groups))

    def _write_withheld(self, judge: VisitReducer, origin: int, unseen: set[int]) -> None:
        for each in self._memory.withheld.of(origin):
            if judge.shares_answer(each):
                self._memory.withheld.hold(each.url)
            elif each.url not in unseen and not (each.held and each.change == "new"):
                judge.release([each])

    def note(self, origin: int, settlement: Settlement) -> None:
        """Count the written deletions, once the transaction has ended: it may be retried before."""
        self._deleted[origin] += settlement.deleted
