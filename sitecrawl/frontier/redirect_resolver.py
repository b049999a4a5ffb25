"""Resolver of redirects and canonicals, which follows stored claims to their end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from sitecrawl.frontier.base import VisitResult
from sitecrawl.frontier.database import Database
from sitecrawl.policy.lifecycle.deletion import UNREACHABLE
from sitecrawl.policy.outcomes import REDIRECTS
from sitecrawl.web.urls.identity import fingerprint, identity_key
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
SENT = (
    "SELECT u.redirect_to FROM url AS u JOIN origin AS o ON o.id = u.origin"
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


class RedirectResolver:
    """Resolver of redirects and canonicals through the stored URLs of one realm."""

    def __init__(
        self, database: Database, realm: str, key: Callable[[str], str] = identity_key
    ) -> None:
        self._database = database
        self._realm = realm
        self._key = key

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
            if state is TargetState.PAGE and self._redirects_to(url, claimant):
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
                rows = self._database.rows(SENT, place)
                if not rows or not rows[0][0]:
                    break
                found.append((step, rows[0][0]))
                step = rows[0][0]
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

    def leads_to(self, url: int, claimant: int) -> bool:
        """Return True if a page of the output now redirects to the claimant, or names it as its
        canonical URL."""
        return self._passes(STEP_OR_CLAIM, url, claimant)

    def _redirects_to(self, url: int, claimant: int) -> bool:
        """Return True if a page of the output now redirects to the claimant."""
        return self._passes(STEP, url, claimant)

    def _passes(self, query: str, url: int, claimant: int) -> bool:
        step: int | None = url
        for _ in range(LONGEST_CHAIN):
            [(next_,)] = self._database.rows(query, (step,))
            if next_ in (None, claimant, step):
                return bool(next_ == claimant)
            step = next_
        return False

    def _row(self, key: str, identity: int) -> int | None:
        rows = self._database.rows(
            "SELECT u.id FROM url AS u JOIN origin AS o ON o.id = u.origin"
            " WHERE o.key = ? AND o.realm = ? AND u.fingerprint = ?",
            (key, self._realm, identity),
        )
        return int(rows[0][0]) if rows else None
