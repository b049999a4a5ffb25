"""Held changes that are carried out: deletions, and documents with content of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitecrawl.frontier.claims import Claims
from sitecrawl.frontier.document_changes import Changes, StateTables
from sitecrawl.frontier.documents import StoredDocument
from sitecrawl.frontier.held_changes import HeldChange
from sitecrawl.frontier.redirect_resolver import ResolvedClaim, TargetState
from sitecrawl.policy.documents.output_shapes import text_of
from sitecrawl.policy.lifecycle.losses import TextChange, has_own_content, is_rewritten, words_of

STANDS_FOR = frozenset({"duplicate", "non_canonical"})
COMPARED = 20  # other pages with which a page's new text is compared


class HeldReleases:
    """Releases of held changes in one transaction."""

    def __init__(self, tables: StateTables, changes: Changes) -> None:
        self._documents = tables.documents
        self._held = tables.held
        self._resolver = tables.claims
        self._claims = Claims(tables, changes)
        self._options = tables.options
        self._changes = changes

    def release_own(self, origin: int, visits: int) -> None:
        """Count visits of an origin, and write the documents that have waited long enough and have
        content of their own."""
        waited = self._held.count_visits(origin, visits)
        changed = [each for each in waited if each.change == "changed"]
        if changed:
            own = self.own_content(changed, self._held.of(origin))
            self._held.hold([each.url for each in changed if each.url not in own])
            for each in changed:
                if each.url in own:
                    self.release(each)

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
            self._claims.withdraw(held, deletion.reason, moved_to)

    def exclude(self, url: int) -> None:
        """Gather the deletion of a page that no longer belongs to the crawl."""
        held = self._documents.of(url)
        if held is None:
            return
        if held.current:
            self._held.delete(url, held.origin, "excluded", plain=True)
        else:
            self._documents.remove(url)
            self._changes.renew_kept(held)

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
        end = self._resolver.follow(url, target)
        if end.state is TargetState.PAGE and self._resolver.leads_to(end.url, url):
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

    def _has_equal(self, held: StoredDocument, text: str | None) -> bool:
        """Return True if another current document still has the text of a duplicate page."""
        return text is None or self._documents.equal(held.origin, text, held.url) is not None
