"""Claims of pages that another URL replaces them, by a redirect or a canonical URL.

``CANONICAL`` and ``REVIEWED`` list what follows from each state of a document and of the URL that it
names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from sitecrawl.frontier.document_changes import Changes, StateTables
from sitecrawl.frontier.documents import StoredDocument
from sitecrawl.frontier.redirect_resolver import OPEN, ResolvedClaim, TargetState


class ClaimantState(Enum):
    """State of the document of a page."""

    NONE = "no document is stored"
    CURRENT = "it is part of the output"
    DUPLICATE = "it is suppressed as a duplicate"
    REPLACED = "it is suppressed, as another URL replaces it"

    @classmethod
    def of(cls, document: StoredDocument | None) -> ClaimantState:
        """Return the state of a document."""
        if document is None:
            return cls.NONE
        if document.current:
            return cls.CURRENT
        return cls.DUPLICATE if document.because == "duplicate" else cls.REPLACED


class ClaimStep(Enum):
    """Consequence of a canonical URL for the page that names it."""

    INGEST = "the page is read as one of its own"
    INGEST_AND_MARK = "the same, and the target may replace it later"
    MARK = "the document stays as it is, and the target may replace it later"
    SUPPRESS = "the document is stored, and not part of the output"
    DELETE = "the current document is deleted, unless the target names this page in turn"
    KEEP_BEST = "one page of the circle is kept"
    PROMOTE = "the document becomes part of the output"
    CLEAR = "nothing replaces the document any more"


CANONICAL: Mapping[TargetState, Mapping[ClaimantState, ClaimStep]] = {
    TargetState.PAGE: {
        **dict.fromkeys(ClaimantState, ClaimStep.SUPPRESS),
        ClaimantState.CURRENT: ClaimStep.DELETE,
    },
    TargetState.UNKNOWN: {
        **dict.fromkeys(ClaimantState, ClaimStep.SUPPRESS),
        ClaimantState.CURRENT: ClaimStep.MARK,
    },
    # The target may fail in every run, each time after this page.
    TargetState.DUE: {
        **dict.fromkeys((ClaimantState.NONE, ClaimantState.REPLACED), ClaimStep.SUPPRESS),
        **dict.fromkeys(
            (ClaimantState.CURRENT, ClaimantState.DUPLICATE), ClaimStep.INGEST_AND_MARK
        ),
    },
    TargetState.DEAD_END: dict.fromkeys(ClaimantState, ClaimStep.INGEST),
    TargetState.LOOP: dict.fromkeys(ClaimantState, ClaimStep.KEEP_BEST),
}
"""After a visit of the page that names a canonical URL, by the states of that URL and of the page."""
ENDED = {ClaimantState.CURRENT: ClaimStep.CLEAR, ClaimantState.REPLACED: ClaimStep.PROMOTE}
OPENED = {ClaimantState.CURRENT: ClaimStep.MARK, ClaimantState.REPLACED: ClaimStep.MARK}
REVIEWED: Mapping[TargetState, Mapping[ClaimantState, ClaimStep]] = {
    TargetState.PAGE: {
        ClaimantState.CURRENT: ClaimStep.DELETE,
        ClaimantState.REPLACED: ClaimStep.MARK,
    },
    TargetState.UNKNOWN: OPENED,
    TargetState.DUE: OPENED,
    TargetState.DEAD_END: ENDED,
    TargetState.LOOP: ENDED,
}
"""After a visit of that URL, or of one to which it leads."""


class Claims:
    """The claims of one transaction; ``changes`` gathers what follows from them."""

    def __init__(self, tables: StateTables, changes: Changes) -> None:
        self._documents = tables.documents
        self._held = tables.held
        self._resolver = tables.claims
        self._changes = changes

    def review_all(self, urls: Sequence[int]) -> None:
        """Resolve again the redirects and canonicals that lead to visited URLs."""
        found = self._documents.pointing_at(urls)
        for each in sorted(found, key=lambda each: each.because == "redirect"):
            if each.because != "duplicate" and each.target is not None:
                self.review(each, each.target)

    def review(self, document: StoredDocument, target: int) -> None:
        """Resolve the claim of a document again, which begins at ``target``."""
        url, answer = document.url, self._resolver.follow(document.url, target)
        if document.because == "redirect":
            self._documents.set_replacement(url, None, None)
            self.moved(document, answer)
            return
        place = ClaimantState.CURRENT if document.current else ClaimantState.REPLACED
        match REVIEWED[answer.state][place]:
            case ClaimStep.PROMOTE:
                self._changes.promote(document)
            case ClaimStep.MARK:
                self._documents.set_replacement(url, answer.url, "canonical")
            case step:
                self._documents.set_replacement(url, None, None)
                if step is ClaimStep.DELETE:
                    self.delete(url, document.origin, answer)

    def moved(self, document: StoredDocument, answer: ResolvedClaim) -> None:
        """Record that a current document is to be deleted, as its page redirects."""
        if answer.state is TargetState.LOOP:
            return
        if answer.state in OPEN:
            self._documents.set_replacement(document.url, answer.url, "redirect")
            return
        target = answer.url if answer.state is TargetState.PAGE else None
        to = answer.address or None
        self._held.delete(document.url, document.origin, "redirected", to, target=target)

    def delete(self, url: int, origin: int, answer: ResolvedClaim) -> bool:
        """Record that a current document is to be deleted in favour of its canonical page; return
        False if that names this one in turn."""
        if self._resolver.leads_to(answer.url, url):
            return False
        self._held.delete(url, origin, "non_canonical", answer.address, target=answer.url)
        return True

    def withdraw(self, document: StoredDocument, reason: str, moved_to: str | None) -> None:
        """Delete a current document, and review the claims that lead to it."""
        followers = self._documents.pointing_at([document.url])
        self._changes.withdraw(document, reason, moved_to)
        for each in followers:
            if each.because == "canonical":
                self.review(each, document.url)
