"""Stored learned rules, and the URLs that they fold into others."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sitecrawl.frontier.database import Database, placeholders
from sitecrawl.frontier.documents import unpack
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome

FOLDED = "learned_duplicate"
"""Reason stored for a URL that a learned rule folds into another one."""
MAX_TEXTS = 5000
"""Maximum number of earlier pages against which a rule is checked."""
HARMLESS = tuple(
    int(outcome)
    for outcome in sorted(
        WITH_CONTENT | {Outcome.CANCELLED, Outcome.LEASE_LOST, Outcome.DATABASE_ERROR}
    )
)
PAGES = (
    "SELECT u.fingerprint, u.outcome, u.reason, u.content_hash, u.canonical, {body}"
    " FROM url AS u LEFT JOIN document AS d ON d.url = u.id"
    " WHERE u.origin = ? AND u.fingerprint IN ({marks})"
)
SAVE = (
    "INSERT INTO learned (origin, kind, name, state, words, value) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (origin, kind, name) DO UPDATE SET state = excluded.state,"
    " words = excluded.words, value = excluded.value"
)
RELEASE = f"UPDATE url SET waiting = 1 WHERE origin = ? AND reason = '{FOLDED}' AND waiting = 0"
ORPHANED = (
    f"{RELEASE} AND target IN (SELECT t.id FROM url AS t WHERE t.id IN ({{}})"
    f" AND t.outcome NOT IN ({', '.join(map(str, HARMLESS))}) AND t.waiting = 0"
    f" AND coalesce(t.reason, '') <> '{FOLDED}')"
)


class StoredRule(NamedTuple):
    """A learned rule as it is stored; ``value`` has its parameters and evidence."""

    kind: str
    name: str
    state: str
    words: str
    value: dict[str, Any]


class StoredPage(NamedTuple):
    """Stored state of a URL to which a learned rule refers.

    ``stands`` is False if it proved not to be a page, so that no URL can be folded into it.
    """

    stands: bool
    read: bool
    text: str | None
    canonical: str | None
    words: str


class LearnedRules:
    """The learned table, and the folded URLs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, origin: int) -> list[StoredRule]:
        """Return the rules of an origin, ordered by kind and name."""
        rows = self._database.rows(
            "SELECT kind, name, state, words, value FROM learned WHERE origin = ?"
            " ORDER BY kind, name",
            (origin,),
        )
        return [
            StoredRule(kind, name, state, words, json.loads(value))
            for kind, name, state, words, value in rows
        ]

    def save(
        self, origin: int, rules: Iterable[StoredRule], gone: Iterable[tuple[str, str]]
    ) -> None:
        """Store rules, replacing those of the same kind and name; delete those of ``gone``."""
        self._database.many(
            "DELETE FROM learned WHERE origin = ? AND kind = ? AND name = ?",
            [(origin, *each) for each in gone],
        )
        self._database.many(
            SAVE,
            [(origin, *rule[:4], json.dumps(rule.value, separators=(",", ":"))) for rule in rules],
        )

    def pages(
        self, origin: int, fingerprints: Collection[int], *, words: bool
    ) -> dict[int, StoredPage]:
        """Return stored states of URLs by fingerprint, with their texts if ``words`` is set."""
        if not fingerprints:
            return {}
        statement = PAGES.format(
            body="d.body" if words else "NULL", marks=placeholders(len(fingerprints))
        )
        found = {}
        for fingerprint, outcome, reason, text, canonical, body in self._database.rows(
            statement, (origin, *fingerprints)
        ):
            stands = outcome is None or outcome in HARMLESS or reason == FOLDED
            document = unpack(body) if body is not None else {}
            said = f"{document.get('title', '')} {document.get('body', '')}" if document else ""
            found[fingerprint] = StoredPage(stands, text is not None, text, canonical, said)
        return found

    def texts(self, origin: int) -> dict[str, str]:
        """Return the text hashes of the last ``MAX_TEXTS`` pages with content, by URL."""
        rows = self._database.rows(
            "SELECT url, content_hash FROM url WHERE origin = ? AND content_hash IS NOT NULL"
            " ORDER BY id DESC LIMIT ?",
            (origin, MAX_TEXTS),
        )
        return dict(rows)

    def release(self, origin: int) -> int:
        """Queue the folded URLs, to be judged by today's rules; return their number."""
        return self._count(origin, self._database.execute(RELEASE, (origin,)))

    def release_orphaned(self, origin: int, urls: Sequence[int]) -> int:
        """Queue the URLs folded into those of ``urls`` that proved not to be pages."""
        if not urls:
            return 0
        statement = ORPHANED.format(placeholders(len(urls)))
        return self._count(origin, self._database.execute(statement, (origin, *urls)))

    def _count(self, origin: int, released: int) -> int:
        if released:
            self._database.execute(
                "UPDATE origin SET pending = pending + ? WHERE id = ?", (released, origin)
            )
        return released
