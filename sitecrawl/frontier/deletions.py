"""Deletions gathered during a run and written later, so that an outage can be detected."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.database import Database
from sitecrawl.frontier.shared_answers import SharedAnswer

GATHER = (
    "INSERT INTO deletion (url, origin, reason, moved_to, moved, seen_at, run)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET reason = excluded.reason, moved_to = excluded.moved_to,"
    " moved = excluded.moved, seen_at = excluded.seen_at, run = excluded.run"
)
DOUBT = (
    "UPDATE url SET due = 0, ages = 0 WHERE waiting = 0 AND unnamed = 0"
    " AND id IN (SELECT url FROM deletion WHERE origin = ?)"
)
OF_ORIGIN = (
    "SELECT n.url, n.reason, n.moved_to, n.moved, a.kind, a.key FROM deletion AS n"
    " LEFT JOIN answer AS a ON a.url = n.url WHERE n.origin = ? ORDER BY n.url"
)
AGAIN = "UPDATE url SET due = 0, ages = 0 WHERE id = ?"
UNSEEN = (
    "SELECT u.id FROM url AS u WHERE u.id IN (SELECT url FROM deletion WHERE origin = ?"
    " UNION SELECT url FROM withheld WHERE origin = ?)"
    " AND u.run < ? AND u.ages = 0 AND u.due <= ?"
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A deletion that waits for the end of its origin's crawl, or for confirmation.

    ``moved``: another page of the crawl replaces it. ``answer`` is the stored answer of its page,
    which other pages may share.
    """

    url: int
    reason: str
    moved_to: str | None
    moved: bool
    answer: SharedAnswer | None


class Deletions:
    """The deletion table."""

    def __init__(self, database: Database, run: int) -> None:
        self._database = database
        self._run = run

    def gather(
        self, url: int, origin: int, reason: str, moved_to: str | None, *, moved: bool = False
    ) -> None:
        """Record that the document of a URL is to be deleted."""
        row = (url, origin, reason, moved_to, int(moved), self._database.now(), self._run)
        self._database.execute(GATHER, row)

    def forget(self, url: int) -> None:
        """Drop a deletion: it was written, or the page exists again."""
        self._database.execute("DELETE FROM deletion WHERE url = ?", (url,))

    def doubt(self, origin: int) -> None:
        """Make pages whose deletion is held back due in every run, including 410 and 301."""
        self._database.execute(DOUBT, (origin,))

    def of(self, origin: int) -> list[Gathered]:
        """Return the gathered deletions of an origin, in order of discovery."""
        return [
            Gathered(url, reason, to, bool(moved), SharedAnswer(kind, key) if kind else None)
            for url, reason, to, moved, kind, key in self._database.rows(OF_ORIGIN, (origin,))
        ]

    def knows(self, url: int) -> bool:
        """Tell whether the deletion of a URL's document is gathered."""
        return bool(self._database.rows("SELECT 1 FROM deletion WHERE url = ?", (url,)))

    def moves(self, url: int, address: str) -> bool:
        """Tell whether a page's document is to be deleted because it moved to an address."""
        rows = self._database.rows(
            "SELECT 1 FROM deletion WHERE url = ? AND moved_to = ? AND moved = 1", (url, address)
        )
        return bool(rows)

    def look_again(self, url: int) -> None:
        """Make a page due in the next run."""
        self._database.execute(AGAIN, (url,))

    def unseen(self, origin: int) -> set[int]:
        """Return the due URLs with a deletion or a withheld document that this run has not
        visited."""
        values = (origin, origin, self._run, self._database.now())
        rows = self._database.rows(UNSEEN, values)
        return {url for (url,) in rows}
