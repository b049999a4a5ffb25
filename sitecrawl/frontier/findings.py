"""From what a visit found to what it changes: the document's life, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitecrawl.frontier.changes import Changes
from sitecrawl.frontier.claims import OPEN, Answer, Standing
from sitecrawl.frontier.deletions import Gathered
from sitecrawl.frontier.documents import Held
from sitecrawl.frontier.memory import Memory
from sitecrawl.frontier.visits import Finding
from sitecrawl.policy.deletion import verdict
from sitecrawl.policy.documents.dates import rfc3339
from sitecrawl.policy.duplicates import rank
from sitecrawl.policy.outcomes import REDIRECTS, Outcome

NOT_SURE = frozenset({"robots_txt_unreachable"})  # RFC 9309, 2.3.1.4: it forbids for now


class Judge:
    """Judges the findings of one transaction; ``changes`` gathers what comes of them."""

    def __init__(self, memory: Memory, changes: Changes) -> None:
        self._documents = memory.documents
        self._deletions = memory.deletions
        self._claims = memory.claims
        self._near = memory.near
        self._options = memory.options
        self._run = memory.run
        self._changes = changes

    def judge(self, finding: Finding) -> None:
        """Change what the visit changes; the finding gets its final outcome."""
        finding.target = self._claims.target_of(finding.visit)
        if finding.stored.written:  # a new URL is spared the questions
            finding.held = self._documents.of(finding.stored.id)
        if finding.visit.unchanged:
            self._unchanged(finding)
        elif finding.outcome is Outcome.FILE_DID_NOT_CHANGE:
            self._still_there(finding)
            self._still_claims(finding)
        elif finding.visit.document is None:
            self._without_document(finding)
        elif finding.outcome is Outcome.NON_CANONICAL:
            self._claimed(finding)
        else:
            self._ingested(finding)

    def review(self, findings: Sequence[Finding]) -> None:
        """Look again at the pages whose redirect or canonical leads to a visited URL."""
        held_back = self._documents.pointing_at([finding.stored.id for finding in findings])
        for held in sorted(held_back, key=lambda held: held.because == "redirect"):
            if held.because != "duplicate" and held.target is not None:
                self._review(held, self._claims.follow(held.url, held.target))

    def carry_out(self, gathered: Sequence[Gathered]) -> None:
        """Carry out deletions that were gathered."""
        for deletion in gathered:
            held = self._documents.of(deletion.url)
            self._deletions.forget(deletion.url)
            if held is not None and held.current:
                self._withdraw(held, deletion.reason, deletion.moved_to)

    def _withdraw(self, held: Held, reason: str, moved_to: str | None) -> None:
        followers = self._documents.pointing_at([held.url])
        self._changes.withdraw(held, reason, moved_to)
        for follower in followers:
            if follower.because == "canonical":
                self._review(follower, self._claims.follow(follower.url, held.url))

    def _ingested(self, finding: Finding) -> None:
        visit, url, held = finding.visit, finding.stored.id, finding.held
        finding.outcome, finding.fresh = Outcome.FILE_INGESTED, True
        current = held is not None and held.current
        same = current and visit.content_hash == finding.stored.content_hash
        if same and visit.document_hash == finding.stored.document_hash:
            self._still_there(finding)
            return
        reread = current and finding.stored.reading not in (None, self._options.reading)
        finding.changed = not (same or reread)
        if finding.stored.written:
            self._deletions.forget(url)
        equal = self._equal(finding)
        if equal is not None and current and not self._documents.take_move(equal.url, self._run):
            finding.outcome, finding.fresh = Outcome.DUPLICATE, False
            self._gather(finding, "duplicate", equal.address)
            return
        if equal is not None and rank(equal.address) < rank(finding.stored.url):
            self._duplicate(finding, equal)
            return
        known = "config" if reread else "metadata" if same else "changed"
        change = known if current else "new"
        self._changes.publish(url, self._document(finding), visit.content_hash, change)
        if equal is not None:
            self._documents.take_move(url, self._run)
            for each in (equal, *self._documents.duplicates_of(equal.url)):
                self._documents.liken(each.url, url)
            self._changes.replace(equal, url, finding.stored.url, "duplicate")
        if held is not None or equal is not None:  # else nothing equal can lead here yet
            self._part(finding)

    def _equal(self, finding: Finding) -> Held | None:
        """The current document that has the same content, or nearly so where that is asked."""
        visit, url = finding.visit, finding.stored.id
        if visit.content_hash is None:
            return None
        equal = self._documents.equal(finding.origin, visit.content_hash, url)
        if equal is not None or visit.simhash is None:
            return equal
        found = self._near.find(finding.origin, visit.simhash, url)
        self._near.note(finding.origin, visit.simhash, url)
        pages = [held for other in found if (held := self._documents.of(other))]
        return next((held for held in pages if held.current and held.target is None), None)

    def _unchanged(self, finding: Finding) -> None:
        """Keep the document of a page that was read and found as it was when its visit began.

        One that was deleted meanwhile has to be made again.
        """
        if finding.held is None:
            finding.outcome = Outcome.CANCELLED
            return
        finding.fresh = True
        self._still_there(finding)

    def _still_there(self, finding: Finding) -> None:
        finding.outcome = Outcome.FILE_DID_NOT_CHANGE
        self._deletions.forget(finding.stored.id)
        if finding.held is not None and finding.held.current and finding.held.target is not None:
            self._documents.point(finding.stored.id, None, None)

    def _still_claims(self, finding: Finding) -> None:
        """Weigh the canonical again of a page that did not change: its target may have."""
        held, target = finding.held, finding.stored.target
        if held is None or finding.is_duplicate:
            return
        if finding.stored.canonical is not None and target not in (None, held.url):
            self._review(held, self._claims.follow(held.url, target))
        elif not held.current and "canonical_url" not in self._documents.content(held.url):
            self._changes.promote(held)  # another version of it named a canonical

    def _duplicate(self, finding: Finding, equal: Held) -> None:
        finding.outcome = Outcome.DUPLICATE
        self._keep_back(finding, equal.url, equal.address, "duplicate")
        self._documents.liken(finding.stored.id, equal.url)
        if not (finding.is_duplicate and finding.held and finding.held.target == equal.url):
            self._changes.renew(equal)

    def _part(self, finding: Finding) -> None:
        """Let go of equal pages when this one's content is another now."""
        followers = self._documents.pointing_at([finding.stored.id])
        self._changes.orphan(held for held in followers if held.hash != finding.visit.content_hash)
        self._unlike(finding.held)

    def _unlike(self, held: Held | None) -> None:
        """Write the page again that stood for this one as its equal."""
        if held is not None and held.because == "duplicate" and held.target is not None:
            kept = self._documents.of(held.target)
            if kept is not None and kept.current:
                self._changes.renew(kept)

    def _keep_back(self, finding: Finding, target: int, address: str, because: str) -> None:
        held, url = finding.held, finding.stored.id
        if held is not None and held.current:
            self._changes.replace(held, target, address, because)
        elif held is not None and (held.target, held.because) != (target, because):
            self._unlike(held)
        self._documents.keep_back(
            url,
            finding.origin,
            self._document(finding),
            finding.visit.content_hash,
            (target, because),
        )
        finding.fresh = True

    def _claimed(self, finding: Finding) -> None:
        url, target = finding.stored.id, finding.target
        answer = Answer(Standing.NOWHERE, 0)
        if target is not None and target != url:
            answer = self._claims.follow(url, target)
        current = finding.held is not None and finding.held.current
        if answer.standing is Standing.BACK:
            self._looped(finding, answer)
        elif answer.standing is Standing.NOWHERE:
            self._ingested(finding)
        elif answer.standing is Standing.DUE and (current or finding.is_duplicate):
            self._ingested(finding)  # what led nowhere may do so in every run, after this page
            if finding.outcome is not Outcome.DUPLICATE:
                self._documents.point(url, answer.url, "canonical")
        elif answer.standing in OPEN and current:
            self._documents.point(url, answer.url, "canonical")
        elif current and not self._documents.take_move(answer.url, self._run):
            self._gather(finding, "non_canonical", answer.address)
        else:
            self._keep_back(finding, answer.url, answer.address, "canonical")

    def _looped(self, finding: Finding, answer: Answer) -> None:
        """Canonicals in a circle: the best of its pages is kept."""
        members = [self._documents.of(url) for url, _ in answer.loop]
        pages = [held for held in members if held is not None]
        best = min(pages, key=lambda held: rank(held.address), default=None)
        if best is None or rank(finding.stored.url) < rank(best.address):
            self._ingested(finding)
            return
        self._changes.promote(best)
        self._keep_back(finding, best.url, best.address, "canonical")

    def _without_document(self, finding: Finding) -> None:
        held, visit = finding.held, finding.visit
        if held is None or visit.reason in NOT_SURE:
            return
        rule = self._options.deletion
        reason = verdict(rule, finding.outcome, finding.missing, finding.failures)
        if reason is None:
            return
        if not held.current:
            self._documents.remove(held.url)
            self._unlike(held)
        elif finding.outcome in REDIRECTS and finding.target is not None:
            self._moved(held, self._claims.follow(held.url, finding.target))
        else:
            self._gather(finding, reason, visit.redirect_to or visit.canonical)

    def _moved(self, held: Held, answer: Answer) -> None:
        if answer.standing in OPEN:
            self._documents.point(held.url, answer.url, "redirect")
        elif answer.standing is Standing.PAGE and self._documents.take_move(answer.url, self._run):
            self._deletions.forget(held.url)
            self._withdraw(held, "redirected", answer.address)
        elif answer.standing is not Standing.BACK:
            self._deletions.gather(held.url, held.origin, "redirected", answer.address or None)

    def _gather(self, finding: Finding, reason: str, moved_to: str | None) -> None:
        self._deletions.gather(finding.stored.id, finding.origin, reason, moved_to)

    def _review(self, held: Held, answer: Answer) -> None:
        if held.because == "redirect":
            self._documents.point(held.url, None, None)
            self._moved(held, answer)
        elif answer.standing in (Standing.NOWHERE, Standing.BACK):
            if held.current:
                self._documents.point(held.url, None, None)
            else:
                self._changes.promote(held)
        elif answer.standing in OPEN or not held.current:
            self._documents.point(held.url, answer.url, "canonical")
        elif self._documents.take_move(answer.url, self._run):
            self._changes.replace(held, answer.url, answer.address, "canonical")
        else:
            self._documents.point(held.url, None, None)
            self._deletions.gather(held.url, held.origin, "non_canonical", answer.address)

    def _document(self, finding: Finding) -> dict[str, Any]:
        assert finding.visit.document is not None
        changed_at = finding.visit.started_at if finding.changed else finding.stored.changed_at
        when = rfc3339(changed_at or finding.visit.started_at)
        return {**finding.visit.document, "last_changed_at": when}
