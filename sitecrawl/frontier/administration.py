"""Manual maintenance of a crawl database: clear errors, retry pages, confirm held changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from sitecrawl.frontier.base import Candidate, Change, StateOptions
from sitecrawl.frontier.claims import StateTables
from sitecrawl.frontier.database import Database, placeholders
from sitecrawl.frontier.documents import Changes
from sitecrawl.frontier.link_table import LinkGraph, pack_ids
from sitecrawl.frontier.loss_guard import LossGuard
from sitecrawl.frontier.outbox import Outbox
from sitecrawl.frontier.pending_file import ERROR, WAITING
from sitecrawl.frontier.records import ERRORS
from sitecrawl.frontier.runs import count_pending, last_run
from sitecrawl.frontier.url_table import OF_REALM, ONE, Urls
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import DEFAULT_REALM

# ruff: noqa: S608 -- only constants become part of a statement


WAITS = "waiting = 1, due = 0, ages = 0, outcome = NULL, missing = 0, failures = 0"
FAILS = "waiting = 0, due = NULL, ages = 0, outcome = ?, visited_at = coalesce(visited_at, 0)"
INDEXED = "waiting = 0, due = ?, ages = 1, outcome = ?, visited_at = ?"
OF_ORIGIN = "origin IN (SELECT id FROM origin WHERE realm = ? AND key = ?)"


class Administration:
    """Maintenance of one realm of the crawl database between runs."""

    def __init__(self, database: Database, realm: str = DEFAULT_REALM) -> None:
        self._database = database
        self._realm = realm

    def save_checks(self, checks: Iterable[tuple[str, Outcome, int | None, str | None]]) -> int:
        """Store what addresses outside of the crawl answered; return their number."""
        with self._database.transaction():
            now = self._database.now()
            rows = [
                (int(outcome), status, reason, now, self._realm, url)
                for url, outcome, status, reason in checks
            ]
            return self._database.many(
                "UPDATE outside SET outcome = ?, status = ?, reason = ?, checked_at = ?"
                " WHERE realm = ? AND url = ?",
                rows,
            )

    def clear_errors(self) -> int:
        """Requeue every URL that ended in an error; return their number."""
        with self._database.transaction():
            cleared = self._database.execute(
                f"UPDATE url SET {WAITS} WHERE outcome IN ({placeholders(len(ERRORS))})"
                f" AND {OF_REALM}",
                (*(int(outcome) for outcome in ERRORS), self._realm),
            )
            count_pending(self._database, self._realm)
        return cleared

    def retry(self, candidate: Candidate) -> bool:
        """Requeue one URL, whatever its state; return False when it is unknown."""
        with self._database.transaction():
            known = self._set(candidate, WAITS, ())
            count_pending(self._database, self._realm)
        return known

    def adopt(self, states: Iterable[tuple[Candidate, int]]) -> int:
        """Set URLs to the states of a pending file, adding unknown ones; return their number.

        A URL that already has the state is not changed.
        """
        adopted = list(states)
        with self._database.transaction():
            urls = Urls(self._database, self._realm)
            for candidate, state in adopted:
                one = (candidate.fingerprint, candidate.origin, self._realm)
                if not self._database.rows(f"SELECT 1 FROM url WHERE {ONE}", one):
                    urls.add([candidate], {})  # a file has no path from a start
                self._adopt(candidate, state)
            count_pending(self._database, self._realm)
        return len(adopted)

    def _adopt(self, candidate: Candidate, state: int) -> None:
        errors = ", ".join(str(int(outcome)) for outcome in ERRORS)
        if state == WAITING:
            self._set(candidate, WAITS, (), " AND outcome IS NOT NULL")
        elif state == ERROR:
            other = f" AND (outcome IS NULL OR outcome NOT IN ({errors}))"
            self._set(candidate, FAILS, (int(Outcome.SERVER_BLAMED_CLIENT),), other)
        else:
            values = (float(state), int(Outcome.FILE_INGESTED), float(state))
            other = " AND (visited_at IS NULL OR visited_at < ? OR visited_at >= ?)"
            self._set(candidate, INDEXED, values, other, (state, state + 1))

    def _set(
        self,
        candidate: Candidate,
        columns: str,
        values: Sequence[object],
        condition: str = "",
        more: Sequence[object] = (),
    ) -> bool:
        found = self._database.execute(
            f"UPDATE url SET {columns} WHERE {ONE}{condition}",
            (*values, candidate.fingerprint, candidate.origin, self._realm, *more),
        )
        return found > 0

    def confirm(self, origin: str | None = None) -> list[Change]:
        """Carry out the changes that are held, of one origin or of all."""
        rows = self._database.rows(
            "SELECT o.id, o.key FROM origin AS o WHERE o.realm = ?"
            " AND o.id IN (SELECT origin FROM held_change) ORDER BY o.id",
            (self._realm,),
        )
        changes: list[Change] = []
        for row, key in rows:
            if origin in (None, key):
                with self._database.transaction():
                    memory = self._memory()
                    outbox = Outbox(self._database, memory.run, self._realm, None)
                    confirmed = LossGuard(memory, row).confirm(outbox)
                changes += confirmed
        return changes

    def delete_realm(self) -> list[Change]:
        """Delete every document of the realm, then its stored state."""
        with self._database.transaction():
            written = self._delete(OF_REALM, (self._realm,))
            self._database.execute("DELETE FROM outside WHERE realm = ?", (self._realm,))
        return written

    def delete_origin(self, key: str) -> list[Change]:
        """Delete every document of an origin, its stored state, and what refers to its rows."""
        with self._database.transaction():
            written = self._delete(OF_ORIGIN, (self._realm, key))
            count_pending(self._database, self._realm)
        return written

    def _delete(self, of: str, values: Sequence[object]) -> list[Change]:
        memory = self._memory()
        changes = Changes(memory.documents, 0)
        rows = self._database.rows(
            f"SELECT url FROM document WHERE seq IS NOT NULL AND {of} ORDER BY url", values
        )
        for held in filter(None, (memory.documents.of(url) for (url,) in rows)):
            changes.delete(held, "excluded")
        outbox = Outbox(self._database, memory.run, self._realm, None)
        written = outbox.write(changes.entries())
        urls = f"(SELECT id FROM url WHERE {of})"
        deleted = {row for (row,) in self._database.rows(urls[1:-1], values)}
        for statement in (
            f"UPDATE url SET {WAITS} WHERE id IN (SELECT url FROM document WHERE target IN {urls})",
            f"DELETE FROM document WHERE target IN {urls}",
            f"UPDATE held_change SET target = NULL WHERE target IN {urls}",
            f"UPDATE url SET target = NULL WHERE target IN {urls}",
            f"UPDATE url SET referrer = NULL, referrer_url = NULL WHERE referrer IN {urls}",
            f"DELETE FROM document WHERE {of}",
            f"DELETE FROM held_change WHERE {of}",
            f"DELETE FROM section WHERE url IN {urls}",
            f"DELETE FROM receipt WHERE {of}",
            f"DELETE FROM link WHERE url IN {urls}",
            f"DELETE FROM evidence WHERE {of}",
            f"DELETE FROM attempt WHERE url IN {urls}",
            f"DELETE FROM url WHERE {of}",
        ):
            self._database.execute(statement, values)
        self._forget_targets(deleted)  # SQLite gives the row ids to other URLs
        self._database.execute(
            f"DELETE FROM origin WHERE {of.replace('origin IN', 'id IN', 1)}", values
        )
        return written

    def _forget_targets(self, deleted: AbstractSet[int]) -> None:
        pages = [
            (pack_ids(kept - deleted), page)
            for page, targets in LinkGraph(self._database).pages(self._realm)
            if not deleted.isdisjoint(kept := set(targets))
        ]
        self._database.many("UPDATE link SET targets = ? WHERE url = ?", pages)

    def _memory(self) -> StateTables:
        run = last_run(self._database, self._realm)
        return StateTables(self._database, StateOptions(realm=self._realm), run)
