"""Starts that were removed from the configuration and may no longer belong to the crawl.

A former start is an ordinary URL, but possibly one to which no page links and which no sitemap
lists. ``retire`` marks as unnamed the former starts that no sitemap has ever listed. A page or
sitemap in scope that references one removes its mark, and so does a stored link. ``unnamed`` returns
those still marked, in a run that follows links, once nothing is left that could reference them:

- every page with a document was read for its links, and answered since, and
- nothing else is due that was never requested.

In case of doubt the former start is kept: if a page with a document is gone.
While a start has never brought anything, as one that was mistyped, no document is deleted because
other starts are gone.
"""

from __future__ import annotations

from collections.abc import Iterable

from sitecrawl.frontier.base import Candidate, StateOptions
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.link_table import LinkGraph
from sitecrawl.frontier.url_table import OF_REALM, ONE, PENDING
from sitecrawl.policy.lifecycle.revisit import FAILED, STILL_WAITING
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.refusal_reasons import FORMER_START
from sitecrawl.policy.urls.scope import Scope

# ruff: noqa: S608 -- only constants become part of a statement

UNNAMED_REASON = FORMER_START.name
UNNAMED_DETAIL = "it is no longer a start, and no page or sitemap in scope names it"

GONE = f"{Outcome.FILE_NOT_FOUND:d}, {Outcome.FILE_GONE:d}"
STARTS = (
    "SELECT u.id, o.key, u.fingerprint, u.url FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE u.via = 'seed' AND o.realm = ? ORDER BY u.id"
)
# The depth is that of a page linked from a start; the real one is unknown.
RETIRE = (
    "UPDATE url SET via = 'link', priority = 0, depth = 1,"
    " unnamed = CASE WHEN listed = 0 THEN 1 ELSE 0 END WHERE id = ?"
)
MARKED = (
    "SELECT o.key, u.fingerprint FROM url AS u JOIN origin AS o ON o.id = u.origin"
    " WHERE u.unnamed = 1 AND o.realm = ?"
)
EXCLUDED = f"reason = '{UNNAMED_REASON}' AND due IS NULL AND waiting = 0"
REQUEUE = f"UPDATE url SET waiting = 1, due = 0 WHERE unnamed = 1 AND {EXCLUDED} AND {ONE}"
KEEP = (
    "DELETE FROM held_change WHERE reason = 'excluded'"
    f" AND url IN (SELECT id FROM url WHERE unnamed = 1 AND {ONE})"
)
CONFIRM = f"UPDATE url SET unnamed = 0 WHERE unnamed = 1 AND {ONE}"
OF_ORIGIN = (
    f"SELECT id FROM url WHERE unnamed = 1 AND origin = ? AND waiting = 0 AND NOT ({EXCLUDED})"
)
COULD_NAME = (
    f"SELECT 1 FROM url AS u WHERE u.{OF_REALM} AND u.id <> ?"
    " AND (u.outcome IS NULL AND (u.due IS NOT NULL OR u.waiting <> 0)"
    f" OR (coalesce(u.following, '') = '' OR u.outcome IN ({GONE}))"
    " AND EXISTS (SELECT 1 FROM document AS d WHERE d.url = u.id)) LIMIT 1"
)
LEADS = "SELECT target, id FROM url WHERE target IN ({})"
EXCLUDE = (
    "UPDATE url SET due = NULL, ages = 0, outcome = ?, reason = ?, detail = ?"
    " WHERE id = ? AND unnamed = 1"
)
OUTSIDE_STARTS = (
    "SELECT u.id FROM held_change AS h JOIN url AS u ON u.id = h.url WHERE h.origin = ?"
    f" AND u.reason IN ('{UNNAMED_REASON}', '{Scope.reason.name}')"
)
WITHOUT_PAGE = ", ".join(str(int(outcome)) for outcome in sorted(FAILED | STILL_WAITING))
WITHOUT_CONTENT = (
    f"SELECT 1 FROM url AS u WHERE u.via = 'seed' AND u.{OF_REALM} AND u.indexed_at IS NULL"
    f" AND (u.outcome IS NULL OR u.outcome IN ({WITHOUT_PAGE})) LIMIT 1"
)


class FormerStarts:
    """Former starts of one realm."""

    def __init__(self, database: Database, options: StateOptions) -> None:
        self._database = database
        self._realm = options.realm
        follows = options.following.rules not in ("", "none")
        self._reads_all = follows and options.activity == "all"  # links of pages, and sitemaps
        self.marked: set[tuple[str, int]] = set()
        self._load()

    def retire(self, starts: Iterable[Candidate]) -> list[str]:
        """Turn stored starts that are not among ``starts`` into ordinary URLs; return them.

        Nothing is deleted here: when they are due, the rules judge them like any link.
        """
        kept = {(start.origin, start.fingerprint) for start in starts}
        rows = self._database.rows(STARTS, (self._realm,))
        retired = [(id_, url) for id_, key, identity, url in rows if (key, identity) not in kept]
        if retired:
            self._database.many(RETIRE, [(id_,) for id_, _ in retired])
            self._load()
        return [url for _, url in retired]

    def confirm(self, candidates: Iterable[Candidate]) -> None:
        """Unmark and requeue former starts that another page, or a sitemap or feed, references."""
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
        """Exclude and return the former starts of an origin that nothing references."""
        if not (self.marked and self._reads_all):
            return []
        found = [url for (url,) in self._database.rows(OF_ORIGIN, (origin,))]
        sources = self._database.rows_in(LEADS, found)
        named = {target for target, source in sources if target != source}
        named |= LinkGraph(self._database).inlinks_of(found, self._realm, 1).keys()
        self._database.many("UPDATE url SET unnamed = 0 WHERE id = ?", [(url,) for url in named])
        state = (int(Outcome.BLOCKED_URL_BY_LOCAL_POLICY), UNNAMED_REASON, UNNAMED_DETAIL)
        return [
            url
            for url in found
            if url not in named
            and not self._database.rows(COULD_NAME, (self._realm, url))
            and self._database.execute(
                EXCLUDE, (*state, url)
            )  # fails if it was referenced meanwhile
        ]

    def kept(self, origin: int) -> set[int]:
        """Return the URLs whose deletion waits until every start has brought something."""
        rows = self._database.rows(OUTSIDE_STARTS, (origin,))
        if not rows or not self._database.rows(WITHOUT_CONTENT, (self._realm,)):
            return set()
        return {url for (url,) in rows}

    def _load(self) -> None:
        rows = self._database.rows(MARKED, (self._realm,))
        self.marked = {(key, identity) for key, identity in rows}
