"""Guard of the documents of an origin: carries out the changes that wait, or holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from sitecrawl.frontier.base import Change, HeldGroup, Settlement
from sitecrawl.frontier.claims import Claims, ResolvedClaim, StateTables, TargetState
from sitecrawl.frontier.documents import Changes, StoredDocument
from sitecrawl.frontier.former_starts import FormerStarts
from sitecrawl.frontier.held_changes import HeldChange
from sitecrawl.frontier.outbox import Outbox
from sitecrawl.policy.documents.output_shapes import text_of
from sitecrawl.policy.lifecycle.duplicates import rank
from sitecrawl.policy.lifecycle.losses import (
    TextChange,
    acceptable,
    has_own_content,
    is_lasting,
    is_rewritten,
    words_of,
)

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
        equal_to = deletion.hash if deletion.reason == "duplicate" else None
        if equal_to is None or self._documents.equal(held.origin, equal_to, held.url) is not None:
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
            if held is not None:
                self._changes.replace(held, equal, equal.address, "duplicate")
            target = (equal.url, "duplicate")
            self._documents.store(change.url, change.origin, document, change.hash, target)
            self._documents.look_again(change.url)
            self._changes.renew(equal)
            return
        self._changes.publish(change.url, document, change.hash, change.change or "")
        self._documents.confirm(change.url, change.hash, change.document_hash, change.change or "")
        followers = self._documents.pointing_at([change.url])
        self._changes.orphan(held for held in followers if held.hash != change.hash)

    def _lasting_equal(self, change: HeldChange) -> StoredDocument | None:
        if change.hash is None or self._options.keep_duplicates:
            return None
        equal = self._documents.equal(change.origin, change.hash, change.url)
        return None if equal is None or self._held.has(equal.url) else equal

    def _rewriting(self, change: HeldChange) -> TextChange:
        before, after = self._documents.content(change.url), self._held.document(change.url)
        return TextChange(words_of(text_of(before)), words_of(text_of(after)))


def groups_of(changes: Sequence[HeldChange]) -> tuple[HeldGroup, ...]:
    """Return the losses among held changes by their reason, the largest number first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for each in changes:
        if each.change != "new":
            groups[each.reason or "changed"].append(each.address)
    found = (HeldGroup(reason, len(pages), min(pages)) for reason, pages in groups.items())
    return tuple(sorted(found, key=lambda group: (-group.pages, group.reason)))


class LossGuard:
    """Guard of one origin in one transaction."""

    def __init__(self, memory: StateTables, origin: int) -> None:
        self._memory = memory
        self._origin = origin
        self._changes = Changes(memory.documents, origin)
        self._releases = HeldReleases(memory, self._changes)
        self._rows = memory.held.of(origin)
        self._open = {each.url for each in self._rows}
        """URLs whose changes are not carried out yet."""

    def settle(self, outbox: Outbox, now: float, kept_back: Collection[int] = ()) -> Settlement:
        """Carry out the changes that the run has found, unless too many documents were lost.

        ``kept_back`` are URLs whose changes wait in any case.

        What is held is visited in every run, unless ``blacklist`` leaves failed URLs to manual
        retries. A run that does not visit it, because of its activity, holds it.
        """
        memory = self._memory
        documents = memory.documents.count(self._origin)
        before = memory.held.lost_today(self._origin)
        rows = [each for each in self._rows if each.url not in kept_back]
        found = [each for each in rows if each.run == memory.run]
        moved = {each.url for each in found if self._keeps_text(each)}
        kept = moved | self._own(found, moved)
        losses = [each.loss for each in rows if each.change != "new" and each.url not in kept]
        lasting = {
            each.url for each in found if is_lasting(each.loss, now, memory.options.revisit.maximum)
        }
        fresh = [loss for loss in losses if loss.url not in lasting]
        share = memory.options.deletion.share
        accepted = acceptable(fresh, documents + sum(before), before, share)
        done = self._carry_out(found, kept | lasting | {loss.url for loss in accepted})
        memory.held.count_losses(
            self._origin, before.plus(loss for loss in accepted if loss.url in done)
        )
        held = [each for each in self._rows if each.url not in done]
        memory.held.hold([each.url for each in held])
        if not memory.options.revisit.blacklist:
            memory.held.look_again(self._origin)
        self._changes.write_stale()
        written = outbox.write(self._changes.entries())
        lasted = len(done & lasting)
        return Settlement(written, documents, groups_of(held), lasted)

    def _own(self, found: Sequence[HeldChange], moved: Collection[int]) -> set[int]:
        """Return the URLs of documents with content of their own; that to which other pages begin to
        lead may be a maintenance page."""
        own = self._releases.own_content(found, self._rows)
        return own - {each.target for each in self._rows if each.url not in moved}

    def confirm(self, outbox: Outbox) -> list[Change]:
        """Carry out every change, because a person has confirmed it."""
        self._carry_out(self._rows, set(self._open))
        self._changes.write_stale()
        return outbox.write(self._changes.entries())

    def _carry_out(self, found: Sequence[HeldChange], allowed: Collection[int]) -> set[int]:
        """Carry out those changes that are allowed, documents first; return their URLs.

        A new page to which pages moved becomes a document together with the deletion of these. No
        deletion leads to a page that does not stay.
        """
        done = set()
        for each in sorted(found, key=lambda each: rank(each.address)):
            vacated = each.change == "new" and self._is_vacated(each, allowed)
            if each.change and (vacated or each.url in allowed):
                self._open.discard(each.url)
                self._releases.release(each)
                done.add(each.url)
        for each in found:
            if each.reason and each.url in allowed and self._may_delete(each):
                done.add(each.url)
        return done

    def _is_vacated(self, new: HeldChange, allowed: Collection[int]) -> bool:
        documents = self._memory.documents
        if documents.is_current(new.referrer) and not (
            new.referrer in self._open and new.referrer in allowed
        ):
            return False
        leading = [each for each in self._rows if each.target == new.url]
        return all(each.url in allowed for each in leading) and bool(leading or not new.held)

    def _may_delete(self, deletion: HeldChange) -> bool:
        """Carry out a deletion unless the page that replaces its own does not stay."""
        moved_to = deletion.moved_to
        if deletion.target is not None:
            end = self._releases.end_of(deletion)
            if end.state is not TargetState.PAGE or end.url in self._open:
                return False
            moved_to = end.address
        self._releases.carry_out(deletion, moved_to)
        return True

    def _keeps_text(self, change: HeldChange) -> bool:
        target, documents = change.target, self._memory.documents
        if change.reason and documents.duplicates_of(change.url):
            return True
        if target is None:
            return False
        there = documents.of(target)
        if there is not None and there.current:
            after = documents.content(target)
        elif self._memory.held.is_document(target):
            after = self._memory.held.document(target)
        else:
            return False
        before = documents.content(change.url) if documents.of(change.url) else {}
        words = (frozenset(text_of(each).split()) for each in (before, after))
        return not is_rewritten(TextChange(*words))


def settle(
    memory: StateTables, outbox: Outbox, former_starts: FormerStarts, origin: int, now: float
) -> Settlement:
    """Inside a transaction: carry out the changes of an origin that has nothing left to visit."""
    changes = Changes(memory.documents, origin)
    releases = HeldReleases(memory, changes)
    for url in former_starts.unnamed(origin):
        releases.exclude(url)
    written = outbox.write(changes.entries())
    settlement = LossGuard(memory, origin).settle(outbox, now, former_starts.kept(origin))
    settlement.changes[:0] = written
    return settlement
