"""Claims of pages that another URL replaces them, by a redirect or a canonical URL.

``CANONICAL`` and ``REVIEWED`` list what follows from each state of a document and of the URL that it
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sitecrawl.frontier.base import StateOptions, VisitResult
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Changes, Documents, StoredDocument
from sitecrawl.frontier.held_changes import HeldChanges
from sitecrawl.policy.lifecycle.losses import UNREACHABLE
from sitecrawl.policy.outcomes import REDIRECTS
from sitecrawl.web.urls.identity import fingerprint
from sitecrawl.web.urls.url import origin

# ruff: noqa: S608 -- only constants become part of a statement

LONGEST_CHAIN = 10
LINK = (
    "SELECT u.url, u.outcome, u.redirect_to, u.waiting, u.target, coalesce(d.seq, h.visits), d.target"
    " FROM url AS u"
    " LEFT JOIN document AS d ON d.url = u.id"
    " LEFT JOIN held_change AS h ON h.url = u.id AND h.change = 'new' WHERE u.id = ?"
)
REDIRECTED = ", ".join(str(int(outcome)) for outcome in sorted(REDIRECTS))
STEP = f"SELECT CASE WHEN outcome IN ({REDIRECTED}) THEN target END FROM url WHERE id = ?"
STEP_OR_CLAIM = (
    f"SELECT CASE WHEN u.outcome IN ({REDIRECTED}) THEN u.target WHEN h.target IS NOT NULL"
    " THEN h.target WHEN u.canonical IS NOT NULL THEN u.target END FROM url AS u"
    " LEFT JOIN held_change AS h ON h.url = u.id WHERE u.id = ?"
)
PLACE = (
    "SELECT u.id, u.redirect_to FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE o.key = ? AND o.realm = ? AND u.fingerprint = ?"
)


class TargetState(Enum):
    """State of the URL at the end of a claim."""

    PAGE = "a page of the output, or a new one that waits to be written"
    UNKNOWN = "not visited yet"
    DUE = "visited before, and due again"
    DEAD_END = "no page"
    LOOP = "the claimant itself"


OPEN = frozenset({TargetState.UNKNOWN, TargetState.DUE})


@dataclass(frozen=True, slots=True)
class ResolvedClaim:
    """End of a claim's chain: the URL, its address and its state."""

    state: TargetState
    url: int
    address: str = ""
    loop: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RedirectResolver:
    """Resolver of redirects and canonicals through the stored URLs of one realm; ``_key`` returns
    the identity key of a URL."""

    _database: Database
    _realm: str
    _key: Callable[[str], str]

    def target_of(self, visit: VisitResult) -> int | None:
        """Return the row of the visit's redirect target or canonical URL, None if unknown."""
        if visit.target is not None:
            return self._row(visit.target.origin, visit.target.fingerprint)
        named = visit.redirect_to or visit.canonical
        if named is None:
            return None
        for candidate in visit.candidates:
            if candidate.url == named:
                return self._row(candidate.origin, candidate.fingerprint)
        return self._row(origin(named) or "", fingerprint(self._key(named)))

    def follow(self, claimant: int, target: int) -> ResolvedClaim:
        """Follow the chain that begins at ``target``."""
        passed: list[tuple[int, str]] = []
        for url, address, state in self._chain(target):
            if url == claimant:
                return ResolvedClaim(TargetState.LOOP, url, address, tuple(passed))
            if state is TargetState.PAGE and self.leads_to(url, claimant, STEP):
                return ResolvedClaim(TargetState.LOOP, url, address, tuple(passed))
            if state is not None:
                return ResolvedClaim(state, url, address)
            passed.append((url, address))
        return ResolvedClaim(TargetState.DEAD_END, target)

    def redirect_chain(self, urls: Iterable[str]) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target."""
        found = []
        for url in urls:
            step = url
            for _ in range(LONGEST_CHAIN):
                place = (origin(step), self._realm, fingerprint(self._key(step)))
                rows = self._database.rows(PLACE, place)
                if not rows or not rows[0][1]:
                    break
                found.append((step, rows[0][1]))
                step = rows[0][1]
        return found

    def _chain(self, url: int) -> Iterator[tuple[int, str, TargetState | None]]:
        step: int | None = url
        for _ in range(LONGEST_CHAIN):
            if step is None:
                return
            [row] = self._database.rows(LINK, (step,))
            address, outcome, redirect_to, waiting, target, seq, stands_for = row
            moved = outcome in REDIRECTS or (redirect_to and outcome in UNREACHABLE)
            state = None
            if seq is not None:
                state = TargetState.PAGE
            elif stands_for is None and (outcome is None or waiting):
                state = TargetState.UNKNOWN if outcome is None else TargetState.DUE
            elif stands_for is None and not moved:
                state = TargetState.DEAD_END
            yield step, address, state
            step = stands_for or target

    def leads_to(self, url: int, claimant: int, query: str = STEP_OR_CLAIM) -> bool:
        """Return True if a page of the output now redirects to the claimant, or names it as its
        canonical URL."""
        step: int | None = url
        for _ in range(LONGEST_CHAIN):
            [(next_,)] = self._database.rows(query, (step,))
            if next_ in (None, claimant, step):
                return bool(next_ == claimant)
            step = next_
        return False

    def _row(self, key: str, identity: int) -> int | None:
        rows = self._database.rows(PLACE, (key, self._realm, identity))
        return int(rows[0][0]) if rows else None


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


class StateTables:
    """The tables of documents and of their state, as a run changes them, and the crawl's options."""

    def __init__(self, database: Database, options: StateOptions, run: int) -> None:
        self.options, self.run = options, run
        self.documents = Documents(database)
        self.held = HeldChanges(database, self.documents, run)
        self.claims = RedirectResolver(database, options.realm, options.key)


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
