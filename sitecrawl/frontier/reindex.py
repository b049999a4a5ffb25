"""Applying another configuration to the stored documents, without fetching anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.changes import Changes
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Documents, Held
from sitecrawl.frontier.outbox import Outbox

BATCH = 500
CURRENT = (
    "SELECT d.url FROM document AS d JOIN origin AS o ON o.id = d.origin"
    " WHERE d.seq IS NOT NULL AND o.realm = ? AND d.url > ? ORDER BY d.url LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What becomes of a stored document: the fields it has now and their hash, or, where
    ``document`` is None, why it is deleted."""

    document: dict[str, Any] | None
    document_hash: str | None = None
    reason: str = "excluded"


Verdict = Callable[[dict[str, Any]], Rewrite | None]


class Reindex:
    """Goes through the current documents of a realm, and writes those that change."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm
        self._documents = Documents(database)

    def planned(self, verdict: Verdict) -> Iterator[tuple[str, Rewrite]]:
        """The addresses that would change, and how; nothing is written."""
        for held in self._current():
            rewrite = verdict(self._documents.content(held.url))
            if rewrite is not None:
                yield held.address, rewrite

    def apply(self, verdict: Verdict) -> Iterator[Change]:
        """Write what changes, document by document; a crash leaves whole ones behind."""
        for held in self._current():
            rewrite = verdict(self._documents.content(held.url))
            if rewrite is not None:
                with self._database.transaction():
                    changes = self._rewrite(held, rewrite)
                yield from changes

    def _rewrite(self, held: Held, rewrite: Rewrite) -> list[Change]:
        changes = Changes(self._documents, held.origin)
        if rewrite.document is None:
            changes.withdraw(held, rewrite.reason, None)
        else:
            changes.publish(held.url, rewrite.document, held.hash, "config")
            self._database.execute(
                "UPDATE url SET document_hash = ? WHERE id = ?", (rewrite.document_hash, held.url)
            )
        [(run,)] = self._database.rows("SELECT coalesce(max(id), 0) FROM run")
        return Outbox(self._database, run, None).write(changes.entries())

    def _current(self) -> Iterator[Held]:
        last = -1
        while rows := self._database.rows(CURRENT, (self._realm, last, BATCH)):
            for (last,) in rows:
                held = self._documents.of(last)
                if held is not None and held.current:
                    yield held
