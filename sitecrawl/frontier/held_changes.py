"""Changes that wait: deletions, and documents whose text may not be that of their page.

Each waits until its origin has nothing left to visit; a guard then carries it out or holds it, see
policy/lifecycle/losses.py. What is held is visited in every run, until the page shows content of its
own, a person confirms it, or it has lasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Documents, unpack
from sitecrawl.frontier.leases import day_of
from sitecrawl.policy.lifecycle.losses import Loss, LossCount

VISITS = 20  # visits of an origin after which a document with content of its own is written
FIELDS = "change, reason, moved_to, target, plain, hash, document_hash, body, visits_left"
# Whatever a page answered instead of its content, its loss stands since the first such answer.
KEEP = (
    f"INSERT INTO held_change (url, origin, {FIELDS}, held, visits, since, seen_at, run)"  # noqa: S608
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in FIELDS.split(", ")[:-1])
    + ", visits = held_change.visits + 1, seen_at = excluded.seen_at, run = excluded.run"
)
ROWS = (
    "SELECT h.url, h.origin, u.url, u.referrer, h.change, h.reason, h.moved_to, h.target, h.plain, h.hash,"
    " h.document_hash, h.visits_left, h.held, h.visits, h.since, h.run"
    " FROM held_change AS h JOIN url AS u ON u.id = h.url WHERE h.origin = ? ORDER BY h.url"
)
LOOK_AGAIN = (
    "UPDATE url SET due = 0, ages = 0 WHERE waiting = 0 AND unnamed = 0"
    " AND id IN (SELECT h.url FROM held_change AS h JOIN origin AS o ON o.id = h.origin WHERE "
)
LOST_TODAY = "SELECT plain_losses, other_losses FROM origin WHERE id = ? AND loss_day = ?"


@dataclass(frozen=True, slots=True)
class HeldChange:
    """A change that waits: a document if ``change`` is new or changed, else a deletion.

    ``target`` is the URL that replaces the page, if it is known. ``plain``: see policy's losses.
    ``hash`` is that of the document, or of the text of which a page became a duplicate. ``held``: the
    guard has held it. ``run`` is the last one that found it, by one of ``visits`` in a row.
    """

    url: int
    origin: int
    address: str
    referrer: int | None
    change: str | None
    reason: str | None
    moved_to: str | None
    target: int | None
    plain: bool
    hash: str | None
    document_hash: str | None
    visits_left: int
    held: bool
    visits: int
    since: float
    run: int

    @property
    def loss(self) -> Loss:
        """The loss that it would be."""
        return Loss(self.url, bool(self.plain), self.visits, self.since)


class HeldChanges:
    """The held_change table."""

    def __init__(self, database: Database, documents: Documents, run: int) -> None:
        self._database = database
        self._documents = documents
        self._run = run

    def delete(
        self,
        url: int,
        origin: int,
        reason: str,
        moved_to: str | None = None,
        *,
        target: int | None = None,
        plain: bool = False,
        text: str | None = None,
    ) -> None:
        """Record that the document of a URL is to be deleted."""
        self._keep(url, origin, (None, reason, moved_to, target, int(plain), text, *[None] * 2, 0))

    def write(
        self,
        url: int,
        origin: int,
        change: str,
        document: dict[str, Any],
        hashes: Sequence[str | None],
    ) -> None:
        """Record a document that is to be written."""
        body = self._documents.packed(document)
        self._keep(url, origin, (change, None, None, None, 0, *hashes, body, VISITS))

    def _keep(self, url: int, origin: int, fields: Sequence[Any]) -> None:
        now = self._database.now()
        self._database.execute(KEEP, (url, origin, *fields, now, now, self._run))

    def document(self, url: int) -> dict[str, Any]:
        """Return the document that waits."""
        [(body,)] = self._database.rows("SELECT body FROM held_change WHERE url = ?", (url,))
        return unpack(body)

    def forget(self, url: int) -> None:
        """Drop a change: it was carried out, or its page shows content of its own."""
        self._database.execute("DELETE FROM held_change WHERE url = ?", (url,))

    def has(self, url: int) -> bool:
        """Return True if a change of the URL's document waits."""
        return bool(self._database.rows("SELECT 1 FROM held_change WHERE url = ?", (url,)))

    def is_document(self, url: int) -> bool:
        """Return True if a document of the URL waits."""
        rows = self._database.rows(
            "SELECT 1 FROM held_change WHERE url = ? AND change IS NOT NULL", (url,)
        )
        return bool(rows)

    def hold(self, urls: Sequence[int]) -> None:
        """Mark changes as held by the guard."""
        self._database.many("UPDATE held_change SET held = 1 WHERE url = ?", [(u,) for u in urls])

    def look_again(self, origin: int) -> None:
        """Make the pages of an origin with held changes due in every run."""
        self._database.execute(f"{LOOK_AGAIN}o.id = ? AND h.held = 1)", (origin,))

    def of(self, origin: int) -> list[HeldChange]:
        """Return the changes of an origin that wait, in order of discovery of their URLs."""
        return [HeldChange(*row) for row in self._database.rows(ROWS, (origin,))]

    def count_visits(self, origin: int, visits: int) -> list[HeldChange]:
        """Count visits of the origin; return the documents that have waited long enough."""
        count = "UPDATE held_change SET visits_left = visits_left - ? WHERE origin = ? AND held = 0"
        if not self._database.execute(f"{count} AND change IS NOT NULL", (visits, origin)):
            return []
        waiting = [each for each in self.of(origin) if each.change and not each.held]
        return [each for each in waiting if each.visits_left <= 0]

    def lost_today(self, origin: int) -> LossCount:
        """Return the losses of an origin that were carried out today (UTC)."""
        rows = self._database.rows(LOST_TODAY, (origin, self._today))
        return LossCount(*rows[0]) if rows else LossCount()

    def count_losses(self, origin: int, count: LossCount) -> None:
        """Store the losses of today."""
        self._database.execute(
            "UPDATE origin SET plain_losses = ?, other_losses = ?, loss_day = ? WHERE id = ?",
            (*count, self._today, origin),
        )

    @property
    def _today(self) -> int:
        return day_of(self._database.now())


def look_again(database: Database, realm: str) -> None:
    """Make the pages of a realm due whose changes wait: held ones, or those of a killed run."""
    database.execute(f"{LOOK_AGAIN}o.realm = ?)", (realm,))
