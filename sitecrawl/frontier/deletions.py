"""Deletions that a run has seen and not written yet, so that an accident can be told."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.database import Database

GATHER = (
    "INSERT INTO deletion (url, origin, reason, moved_to, seen_at, run) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET reason = excluded.reason, moved_to = excluded.moved_to,"
    " seen_at = excluded.seen_at, run = excluded.run"
)
DOUBT = (
    "UPDATE url SET due = 0, ages = 0 WHERE waiting = 0"
    " AND id IN (SELECT url FROM deletion WHERE origin = ?)"
)
UNSEEN = (
    "SELECT n.url FROM deletion AS n JOIN url AS u ON u.id = n.url"
    " WHERE n.origin = ? AND u.run < ? AND u.ages = 0 AND u.due <= ?"
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A deletion that waits for the end of its origin's crawl, or for a person's word."""

    url: int
    reason: str
    moved_to: str | None


class Deletions:
    """The deletion table."""

    def __init__(self, database: Database, run: int) -> None:
        self._database = database
        self._run = run

    def gather(self, url: int, origin: int, reason: str, moved_to: str | None) -> None:
        """Note that a URL's document is to be deleted."""
        row = (url, origin, reason, moved_to, self._database.now(), self._run)
        self._database.execute(GATHER, row)

    def forget(self, url: int) -> None:
        """The page is there after all, or its document is deleted."""
        self._database.execute("DELETE FROM deletion WHERE url = ?", (url,))

    def doubt(self, origin: int) -> None:
        """Let every run look again at pages whose deletion is held back, 410 and 301 too."""
        self._database.execute(DOUBT, (origin,))

    def of(self, origin: int) -> list[Gathered]:
        """What was gathered of an origin, in the order of discovery."""
        rows = self._database.rows(
            "SELECT url, reason, moved_to FROM deletion WHERE origin = ? ORDER BY url", (origin,)
        )
        return [Gathered(*row) for row in rows]

    def unseen(self, origin: int) -> set[int]:
        """The URLs among them that are due, and that this run has not looked at."""
        rows = self._database.rows(UNSEEN, (origin, self._run, self._database.now()))
        return {url for (url,) in rows}

    def documents(self, origin: int) -> int:
        """How many documents of the origin are current."""
        [(count,)] = self._database.rows(
            "SELECT count(*) FROM document WHERE origin = ? AND seq IS NOT NULL", (origin,)
        )
        return int(count)
