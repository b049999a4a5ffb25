"""What a redirect or a canonical comes to: a claim is checked, it is no order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from sitecrawl.frontier.base import Visit
from sitecrawl.frontier.database import Database
from sitecrawl.policy.lifecycle.deletion import UNREACHABLE
from sitecrawl.policy.outcomes import REDIRECTS
from sitecrawl.web.urls.identity import fingerprint, identity_key
from sitecrawl.web.urls.url import origin

LONGEST_CHAIN = 10
LINK = (
    "SELECT u.url, u.outcome, u.redirect_to, u.waiting, u.target, d.seq, d.target FROM url AS u"
    " LEFT JOIN document AS d ON d.url = u.id WHERE u.id = ?"
)
STEP = "SELECT outcome, target FROM url WHERE id = ?"
SENT = (
    "SELECT u.redirect_to FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE o.key = ? AND o.realm = ? AND u.fingerprint = ?"
)


class Standing(Enum):
    """What a claim's target has turned out to be."""

    PAGE = "a page of the output"
    UNKNOWN = "not visited yet"
    DUE = "visited before, and due again"
    NOWHERE = "no page"
    BACK = "the claimant itself"


OPEN = frozenset({Standing.UNKNOWN, Standing.DUE})


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a claim leads: the URL at its end, that one's address, and what stands there."""

    standing: Standing
    url: int
    address: str = ""
    loop: tuple[tuple[int, str], ...] = ()


class Claims:
    """Follows redirects and canonicals through the stored URLs of one realm."""

    def __init__(
        self, database: Database, realm: str, key: Callable[[str], str] = identity_key
    ) -> None:
        self._database = database
        self._realm = realm
        self._key = key

    def target_of(self, visit: Visit) -> int | None:
        """The row of the URL that the visit names, if it is one the crawl knows."""
        if visit.target is not None:
            return self._row(visit.target.origin, visit.target.fingerprint)
        named = visit.redirect_to or visit.canonical
        if named is None:
            return None
        for candidate in visit.candidates:
            if candidate.url == named:
                return self._row(candidate.origin, candidate.fingerprint)
        return self._row(origin(named) or "", fingerprint(self._key(named)))

    def follow(self, claimant: int, target: int) -> Answer:
        """Follow the chain that begins at ``target``."""
        passed: list[tuple[int, str]] = []
        for url, address, standing in self._chain(target):
            if url == claimant:
                return Answer(Standing.BACK, url, address, tuple(passed))
            if standing is Standing.PAGE and self._redirects_to(url, claimant):
                return Answer(Standing.BACK, url, address, tuple(passed))
            if standing is not None:
                return Answer(standing, url, address)
            passed.append((url, address))
        return Answer(Standing.NOWHERE, target)

    def sent(self, urls: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Where each URL was sent when it last answered, where that was sent, and so on."""
        for url in urls:
            step = url
            for _ in range(LONGEST_CHAIN):
                place = (origin(step), self._realm, fingerprint(self._key(step)))
                rows = self._database.rows(SENT, place)
                if not rows or not rows[0][0]:
                    break
                yield step, rows[0][0]
                step = rows[0][0]

    def _chain(self, url: int) -> Iterator[tuple[int, str, Standing | None]]:
        step: int | None = url
        for _ in range(LONGEST_CHAIN):
            if step is None:
                return
            [row] = self._database.rows(LINK, (step,))
            address, outcome, redirect_to, waiting, target, seq, stands_for = row
            moved = outcome in REDIRECTS or (redirect_to and outcome in UNREACHABLE)
            standing = None
            if seq is not None:
                standing = Standing.PAGE
            elif stands_for is None and (outcome is None or waiting):
                standing = Standing.UNKNOWN if outcome is None else Standing.DUE
            elif stands_for is None and not moved:
                standing = Standing.NOWHERE
            yield step, address, standing
            step = stands_for or target

    def _redirects_to(self, url: int, claimant: int) -> bool:
        """Whether what is a page of the output by now leads to the claimant."""
        step: int | None = url
        for _ in range(LONGEST_CHAIN):
            [(outcome, target)] = self._database.rows(STEP, (step,))
            step = target if outcome in REDIRECTS else None
            if step in (None, claimant):
                break
        return step == claimant

    def _row(self, key: str, identity: int) -> int | None:
        rows = self._database.rows(
            "SELECT u.id FROM url AS u JOIN origin AS o ON o.id = u.origin"
            " WHERE o.key = ? AND o.realm = ? AND u.fingerprint = ?",
            (key, self._realm, identity),
        )
        return int(rows[0][0]) if rows else None
