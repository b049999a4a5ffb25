"""Starts that were taken out of the configuration, until something in scope names them.

A former start is an ordinary URL, but it may be that nothing brings it: no page links to it and
no sitemap lists it. Links are not stored, and an answer 304 names none. So ``retire`` marks the
former starts as unnamed, and every other URL of the realm as unread; unread pages are asked for
without conditions. Whatever names a former start ends its mark. ``unnamed`` gives those still
marked, once nothing is left that could name them:

- every URL was asked for since by a run that follows links and reads sitemaps, and
- every page with a document was read whole since, and
- every sitemap that was asked for since was read.

What cannot be known keeps the former start: a server that answers 304 to everything, a page with a
document that fails, a sitemap that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable

from sitecrawl.frontier.base import Candidate, Outcome
from sitecrawl.frontier.database import Database
from sitecrawl.policy.refusal_reasons import FORMER_START

# ruff: noqa: S608 -- only constants become part of a statement

READ, ANSWERED, UNREAD = 0, 1, 2
"""``url.unread``: read whole, answered without a page, neither since the last retirement."""
UNNAMED_REASON = FORMER_START.name
UNNAMED_DETAIL = "it is no longer a start, and no page or sitemap in scope names it"

OF_REALM = "origin IN (SELECT id FROM origin WHERE realm = ?)"
STARTS = (
    "SELECT u.id, o.key, u.fingerprint, u.url FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE u.via = 'seed' AND o.realm = ? ORDER BY u.id"
)
# As if a start had a link to it: how deep it lies otherwise, nobody knows.
RETIRE = "UPDATE url SET via = 'link', priority = 0, depth = 1, unnamed = 1 WHERE id = ?"
# No run has followed links with an empty text of options, so no page is asked for conditionally.
REREAD_ALL = f"UPDATE url SET unread = {UNREAD}, following = '' WHERE {OF_REALM}"
MARKED = (
    "SELECT o.key, u.fingerprint FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE u.unnamed = 1 AND o.realm = ?"
)
ONE = "fingerprint = ? AND origin = (SELECT id FROM origin WHERE key = ? AND realm = ?)"
EXCLUDED = f"reason = '{UNNAMED_REASON}' AND due IS NULL AND waiting = 0"
REQUEUE = f"UPDATE url SET waiting = 1, due = 0 WHERE unnamed = 1 AND {EXCLUDED} AND {ONE}"
PENDING = "UPDATE origin SET pending = pending + 1 WHERE key = ? AND realm = ?"
KEEP = (
    "DELETE FROM deletion WHERE reason = 'excluded'"
    f" AND url IN (SELECT id FROM url WHERE unnamed = 1 AND {ONE})"
)
CONFIRM = f"UPDATE url SET unnamed = 0 WHERE unnamed = 1 AND {ONE}"
OF_ORIGIN = (
    f"SELECT id FROM url WHERE unnamed = 1 AND origin = ? AND waiting = 0 AND NOT ({EXCLUDED})"
)
COULD_NAME = (
    f"SELECT 1 FROM url AS u WHERE u.{OF_REALM} AND u.id <> ? AND u.unread > {READ}"
    f" AND (u.unread = {UNREAD} AND (u.due IS NOT NULL OR u.waiting <> 0)"
    " OR EXISTS (SELECT 1 FROM document AS d WHERE d.url = u.id)) LIMIT 1"
)
EXCLUDE = (
    "UPDATE url SET due = NULL, ages = 0, outcome = ?, reason = ?, detail = ?"
    " WHERE id = ? AND unnamed = 1"
)


class FormerStarts:
    """The former starts of one realm."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm
        self.marked: set[tuple[str, int]] = set()
        self._load()

    def retire(self, starts: Iterable[Candidate]) -> list[str]:
        """Make ordinary URLs of former starts that are not among ``starts``; returns these URLs.

        Nothing is deleted here: the rules judge each when it is due, as they do a link.
        """
        kept = {(start.origin, start.fingerprint) for start in starts}
        rows = self._database.rows(STARTS, (self._realm,))
        retired = [(id_, url) for id_, key, identity, url in rows if (key, identity) not in kept]
        if retired:
            self._database.many(RETIRE, [(id_,) for id_, _ in retired])
            self._database.execute(REREAD_ALL, (self._realm,))
            self._database.execute("DELETE FROM listing WHERE realm = ?", (self._realm,))
            self._load()
        return [url for _, url in retired]

    def confirm(self, candidates: Iterable[Candidate]) -> None:
        """End the marks of former starts that another page or a list names, and ask for them."""
        if not self.marked:
            return
        for each in candidates:
            if (each.origin, each.fingerprint) in self.marked and each.referrer != each.url:
                one = (each.fingerprint, each.origin, self._realm)
                if self._database.execute(REQUEUE, one):
                    self._database.execute(PENDING, (each.origin, self._realm))
                self._database.execute(KEEP, one)
                self._database.execute(CONFIRM, one)

    def unnamed(self, origin: int) -> list[int]:
        """The former starts of an origin that nothing names; they are not asked for any more."""
        if not self.marked or self._database.rows(
            "SELECT 1 FROM listing WHERE realm = ?", (self._realm,)
        ):
            return []
        state = (int(Outcome.BLOCKED_URL_BY_LOCAL_POLICY), UNNAMED_REASON, UNNAMED_DETAIL)
        return [
            url
            for (url,) in self._database.rows(OF_ORIGIN, (origin,))
            if not self._database.rows(COULD_NAME, (self._realm, url))
            and self._database.execute(EXCLUDE, (*state, url))  # not if it was named meanwhile
        ]

    def ask_listing(self, url: str) -> None:
        """Note that a sitemap is asked for, which may name a former start."""
        if self.marked:
            self._database.execute(
                "INSERT INTO listing (realm, url) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (self._realm, url),
            )

    def read_listing(self, url: str) -> None:
        """Note that a sitemap was read to its end."""
        self._database.execute(
            "DELETE FROM listing WHERE realm = ? AND url = ?", (self._realm, url)
        )

    def _load(self) -> None:
        rows = self._database.rows(MARKED, (self._realm,))
        self.marked = {(key, identity) for key, identity in rows}
