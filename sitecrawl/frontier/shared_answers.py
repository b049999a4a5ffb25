"""Answers that known pages began to share, and the documents withheld until more is known.

An outage without error status (a redirect to a maintenance page, one text under every URL) is
recognised by several pages beginning to give the same answer. An altered menu is recognised by several
pages beginning to have the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import SharedPages
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Documents, unpack

VISITS = 20  # visits of an origin after which a document with an unshared text is written
TEMPLATE_VISITS = 64  # visits of an origin after which its new lines count as text in any case
WINDOW = 30 * 24 * 3600.0  # seconds for which the answer of a deleted page counts
NOTE = (
    "INSERT INTO answer (url, origin, kind, key, seen_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET kind = excluded.kind, key = excluded.key,"
    " seen_at = excluded.seen_at, accepted = CASE WHEN answer.kind = excluded.kind"
    " AND answer.key = excluded.key THEN answer.accepted ELSE 0 END"
)
ACCEPTED = (
    "SELECT 1 FROM answer AS a JOIN origin AS o ON o.id = a.origin"
    " WHERE a.key = ? AND a.kind = ? AND a.accepted = 1 AND o.realm = ? LIMIT 1"
)
ACCEPT = (
    "UPDATE answer SET accepted = 1 WHERE origin = ? AND (url IN (SELECT url FROM deletion)"
    " OR url IN (SELECT url FROM withheld))"
)
HELD_GROUPS = (
    "SELECT * FROM (SELECT o.key, o.realm, a.kind, a.key AS answer, (SELECT count(*) FROM answer AS b"
    " JOIN origin AS p ON p.id = b.origin"
    " WHERE b.key = a.key AND b.kind = a.kind AND p.realm = o.realm) AS pages, min(u.url)"
    " FROM answer AS a JOIN url AS u ON u.id = a.url JOIN origin AS o ON o.id = a.origin"
    " WHERE (a.url IN (SELECT url FROM deletion)"
    " OR a.url IN (SELECT url FROM withheld WHERE held = 1)){of}"
    " GROUP BY o.key, o.realm, a.kind, a.key) AS held WHERE pages > 1"
    " ORDER BY key, realm, pages DESC, answer"
)
"""Answers because of which pages of an origin are held back, with the number of pages of its realm
that give them, including pages of other origins and those written before the answer was shared."""
COUNT = (
    "SELECT count(*) FROM answer AS a JOIN origin AS o ON o.id = a.origin"
    " WHERE a.key = ? AND a.kind = ? AND a.seen_at >= ? AND o.realm = ?"
)
WITHHOLD = (
    "INSERT INTO withheld"
    " (url, origin, change, body, hash, document_hash, visits_left, template, held)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (url) DO UPDATE SET body = excluded.body,"
    " hash = excluded.hash, document_hash = excluded.document_hash"
)
OF_ORIGIN = (
    "SELECT w.url, u.url, w.change, w.body, w.hash, w.document_hash, w.visits_left, w.held,"
    " w.template FROM withheld AS w JOIN url AS u ON u.id = w.url WHERE w.origin = ? ORDER BY w.url"
)
WAITING = "SELECT url, visits_left, template FROM withheld WHERE origin = ?"
COUNT_VISITS = "UPDATE withheld SET visits_left = visits_left - ? WHERE origin = ?"
DUE = (
    "UPDATE url SET due = 0, ages = 0 WHERE waiting = 0"
    " AND id IN (SELECT url FROM withheld WHERE origin = ? AND held = 1)"
)


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """An answer of a page: ``kind`` is redirect, canonical, text or soft_404, ``key`` the target
    address without query, the hash of the text, or the origin."""

    kind: str
    key: str


def leading_to(kind: str, address: str) -> SharedAnswer:
    """Return the answer of a page that leads to an address; its query is ignored."""
    return SharedAnswer(kind, address.partition("#")[0].partition("?")[0])


@dataclass(frozen=True, slots=True)
class WithheldDocument:
    """A document that is not written yet: ``change`` is new or changed, ``held`` means that it
    awaits confirmation, ``template`` that its new lines may be furniture."""

    url: int
    origin: int
    address: str
    change: str
    document: dict[str, Any]
    hash: str | None
    document_hash: str | None
    visits_left: int
    held: bool
    template: str | None


class Answers:
    """The answer table of one realm."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm

    def note(self, url: int, origin: int, answer: SharedAnswer) -> None:
        """Store the answer of a page that has a current document but no longer shows it."""
        now = self._database.now()
        self._database.execute(NOTE, (url, origin, answer.kind, answer.key, now))

    def clear(self, url: int) -> None:
        """Delete the answer of a page that shows its own content."""
        self._database.execute("DELETE FROM answer WHERE url = ?", (url,))

    def of(self, url: int) -> SharedAnswer | None:
        """Return the stored answer of a page."""
        rows = self._database.rows("SELECT kind, key FROM answer WHERE url = ?", (url,))
        return SharedAnswer(*rows[0]) if rows else None

    def held(self, origin: int) -> list[SharedPages]:
        """Return the shared answers because of which pages of an origin are held back."""
        rows = self._database.rows(HELD_GROUPS.format(of=" AND a.origin = ?"), (origin,))
        return [SharedPages(*group) for _, _, *group in rows]

    def accept(self, origin: int) -> None:
        """Accept the answers because of which pages of an origin are held back."""
        self._database.execute(ACCEPT, (origin,))

    def is_accepted(self, answer: SharedAnswer) -> bool:
        """Tell whether a person has accepted an answer."""
        return bool(self._database.rows(ACCEPTED, (answer.key, answer.kind, self._realm)))

    def count(self, answer: SharedAnswer) -> int:
        """Count the known pages that began to give an answer within ``WINDOW``."""
        since = self._database.now() - WINDOW
        values = (answer.key, answer.kind, since, self._realm)
        [(count,)] = self._database.rows(COUNT, values)
        return int(count)


class Withheld:
    """The withheld table."""

    def __init__(self, database: Database, documents: Documents) -> None:
        self._database = database
        self._documents = documents

    def withhold(
        self,
        url: int,
        origin: int,
        change: str,
        document: dict[str, Any],
        hashes: Sequence[Any],
        *,
        template: str | None = None,
    ) -> None:
        """Withhold a document until it is clear whether other pages give the same answer, or,
        with ``template``, whether other pages have the same new lines."""
        visits = VISITS if template is None else TEMPLATE_VISITS
        body = self._documents.packed(document)
        self._database.execute(WITHHOLD, (url, origin, change, body, *hashes, visits, template))

    def forget(self, url: int) -> None:
        """Delete the withheld document of a URL."""
        self._database.execute("DELETE FROM withheld WHERE url = ?", (url,))

    def is_withheld(self, url: int) -> bool:
        """Tell whether a document of the URL is withheld."""
        return bool(self._database.rows("SELECT 1 FROM withheld WHERE url = ?", (url,)))

    def is_held(self, url: int) -> bool:
        """Tell whether a document of the URL awaits confirmation."""
        rows = self._database.rows("SELECT 1 FROM withheld WHERE url = ? AND held = 1", (url,))
        return bool(rows)

    def hold(self, url: int) -> None:
        """Hold a document until a person confirms it."""
        self._database.execute("UPDATE withheld SET held = 1 WHERE url = ?", (url,))

    def of(self, origin: int) -> list[WithheldDocument]:
        """Return the withheld documents of an origin, in order of discovery."""
        return [
            WithheldDocument(
                url, origin, at, change, unpack(body), text, fields, left, bool(held), name
            )
            for url, at, change, body, text, fields, left, held, name in self._database.rows(
                OF_ORIGIN, (origin,)
            )
        ]

    def count_visits(
        self, origin: int, visits: int, is_decided: Callable[[str], bool]
    ) -> list[WithheldDocument]:
        """Count visits of the origin; return the documents that were withheld long enough.

        ``is_decided`` tells for the name of a template whether its new furniture is known.
        """
        if not self._database.execute(COUNT_VISITS, (visits, origin)):
            return []
        waiting, since = self._database.rows(WAITING, (origin,)), TEMPLATE_VISITS - VISITS
        due = {
            url
            for url, left, template in waiting
            if left <= 0 or (template is not None and left <= since and is_decided(template))
        }
        return [each for each in self.of(origin) if each.url in due] if due else []

    def awaiting_furniture(self, origin: int) -> list[WithheldDocument]:
        """Return the documents that wait until it is clear which new lines pages share."""
        waiting = self._database.rows(WAITING, (origin,))
        due = {url for url, _, template in waiting if template is not None}
        return [each for each in self.of(origin) if each.url in due] if due else []

    def doubt(self, origin: int) -> None:
        """Make pages whose documents await confirmation due in every run."""
        self._database.execute(DUE, (origin,))
