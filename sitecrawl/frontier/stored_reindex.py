"""Application of a changed configuration to the stored documents, without fetching."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Candidate, Change, StateOptions
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.documents import Changes, Documents, StoredDocument
from sitecrawl.frontier.outbox import Outbox
from sitecrawl.frontier.runs import count_pending, last_run, reread
from sitecrawl.frontier.url_table import Urls

BATCH = 500
CURRENT = (
    "SELECT d.url FROM document AS d JOIN origin AS o ON o.id = d.origin"
    " WHERE d.seq IS NOT NULL AND o.realm = ? AND d.url > ? ORDER BY d.url LIMIT ?"
)
WAY = (
    "SELECT coalesce(r.url, u.referrer_url), u.via, u.depth"
    " FROM url AS u LEFT JOIN url AS r ON r.id = u.referrer WHERE u.id = ?"
)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Rewrite of a stored document: its new fields and their hash or, if ``document`` is None,
    the reason of its deletion.

    Without ``document_hash`` the stored hash is kept. ``successor`` is the new address of the
    page, to be crawled. ``word`` and ``rule`` are those of the decision, for display.
    """

    document: dict[str, Any] | None
    document_hash: str | None = None
    reason: str = "excluded"
    successor: Candidate | None = None
    word: str = ""
    rule: str = ""


Verdict = Callable[[str, dict[str, Any]], Rewrite | None]
"""Function that judges the document stored under an address."""


class Reindex:
    """Reindexing of the current documents of a realm; only changed ones are written."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm
        self._documents = Documents(database)

    def planned(self, verdict: Verdict) -> Iterator[tuple[str, Rewrite]]:
        """Return the addresses that would change, with their rewrites; nothing is written."""
        return ((held.address, rewrite) for held, rewrite in self._judged(verdict))

    def apply(self, verdict: Verdict) -> Iterator[Change]:
        """Write the changed documents, each in a transaction of its own."""
        for held, rewrite in self._judged(verdict):
            with self._database.transaction():
                changes = self._rewrite(held, rewrite)
            yield from changes

    @property
    def last_seq(self) -> int:
        """Seq of the newest change."""
        [(seq,)] = self._database.rows("SELECT seq FROM crawl")
        return int(seq)

    def finish(self, reading: str, configuration: dict[str, Any]) -> None:
        """Queue the pages read with other options than ``reading``, and store the applied
        configuration with the last run."""
        with self._database.transaction():
            reread(self._database, StateOptions(realm=self._realm, reading=reading))
            count_pending(self._database, self._realm)
            self._database.execute(
                "UPDATE run SET configuration = ? WHERE id ="
                " (SELECT max(id) FROM run WHERE realm = ?)",
                (json.dumps(configuration, sort_keys=True, default=str), self._realm),
            )

    def _rewrite(self, held: StoredDocument, rewrite: Rewrite) -> list[Change]:
        changes = Changes(self._documents, held.origin)
        if rewrite.document is None:
            if rewrite.successor is not None:
                Urls(self._database, self._realm).add([rewrite.successor], {})
            moved_to = rewrite.successor.url if rewrite.successor else None
            changes.withdraw(held, rewrite.reason, moved_to)
            if rewrite.successor is None:  # rules that admit the page again find it at once
                self._database.execute("UPDATE url SET due = 0 WHERE id = ?", (held.url,))
        else:
            changes.publish(held.url, rewrite.document, held.hash, "config")
            self._database.execute(
                "UPDATE url SET document_hash = coalesce(?, document_hash) WHERE id = ?",
                (rewrite.document_hash, held.url),
            )
        changes.write_stale()
        run = last_run(self._database, self._realm)
        return Outbox(self._database, run, self._realm, None).write(changes.entries())

    def _content(self, held: StoredDocument) -> dict[str, Any]:
        """Return a stored document with today's path from a start, which may be shorter.

        Path fields that a project's pipelines removed are not added.
        """
        [way] = self._database.rows(WAY, (held.url,))
        names = ("source_url", "discovered_via", "depth")
        content = self._documents.content(held.url)
        now = dict(zip(names, way, strict=True))
        content |= {name: value for name, value in now.items() if name in content}
        return {name: value for name, value in content.items() if value is not None}

    def _judged(self, verdict: Verdict) -> Iterator[tuple[StoredDocument, Rewrite]]:
        last = -1
        while rows := self._database.rows(CURRENT, (self._realm, last, BATCH)):
            for (last,) in rows:
                held = self._documents.of(last)
                if held is None or not held.current:
                    continue
                rewrite = verdict(held.address, self._content(held))
                if rewrite is not None:
                    yield held, rewrite
