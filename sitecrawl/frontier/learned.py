"""Stored learned rules, and the URLs that they fold into others."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sitecrawl.frontier.database import Database, placeholders
from sitecrawl.frontier.documents import unpack
from sitecrawl.policy.learning.host_rules import Partner
from sitecrawl.policy.lifecycle.revisit import LASTING, WITH_CONTENT
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
UNREACHABLE = "robots_txt_unreachable"
FAILING = tuple(sorted(int(outcome) for outcome in LASTING | {Outcome.RATE_LIMITED}))
GONE = (int(Outcome.FILE_NOT_FOUND), int(Outcome.FILE_GONE), int(Outcome.SOFT_404))
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
IS_FOLDED = f"reason = '{FOLDED}' AND waiting = 0"
RELEASE = f"UPDATE url SET waiting = 1 WHERE origin = ? AND {IS_FOLDED}"
ORPHANED = (
    f"UPDATE url SET waiting = 1 WHERE {IS_FOLDED}"
    " AND target IN (SELECT t.id FROM url AS t WHERE t.id IN ({})"
    f" AND t.outcome NOT IN ({', '.join(map(str, HARMLESS))}) AND t.waiting = 0"
    f" AND coalesce(t.reason, '') <> '{FOLDED}'"
    # A page of another origin that was read stands for others while that origin is down.
    " AND (t.origin = url.origin OR t.indexed_at IS NULL"
    f" OR NOT (t.outcome IN ({', '.join(map(str, FAILING))})"
    f" OR coalesce(t.reason, '') = '{UNREACHABLE}'))) RETURNING origin"
)
# Their replacements are of an origin that is not visited any more.
UNATTENDED = (
    f"UPDATE url SET waiting = 1 WHERE {IS_FOLDED} AND origin <> ?"
    " AND target IN (SELECT t.id FROM url AS t WHERE t.origin = ? AND t.indexed_at IS NULL)"
    " RETURNING origin"
)
PARTNERS = (
    "SELECT o.id, o.key, EXISTS (SELECT 1 FROM url AS u WHERE u.origin = o.id AND u.via = 'seed'),"
    " coalesce(o.given_up = ?, FALSE) FROM origin AS o WHERE o.realm = ? AND o.key IN ({})"
)
FOLDED_INTO = (
    "SELECT o.key, l.value FROM learned AS l JOIN origin AS o ON o.id = l.origin"
    " WHERE l.kind = 'host' AND l.state = 'active' AND o.realm = ?"
)
FOLDS = "SELECT value FROM learned WHERE origin = ? AND kind = 'host' AND state = 'active'"


class StoredRule(NamedTuple):
    """A learned rule as it is stored; ``value`` has its parameters and evidence."""

    kind: str
    name: str
    state: str
    words: str
    value: dict[str, Any]


class StoredPage(NamedTuple):
    """Stored state of a URL to which a learned rule refers.

    ``stands`` is False if it proved not to be a page, so that no URL can be folded into it;
    ``gone`` is True if the server said that it does not exist, ``fails`` if the last visit failed in a
    way that may pass.
    """

    stands: bool
    read: bool
    text: str | None
    canonical: str | None
    words: str
    gone: bool = False
    fails: bool = False


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
            gone, fails = outcome in GONE, outcome in FAILING or reason == UNREACHABLE
            found[fingerprint] = StoredPage(
                stands, text is not None, text, canonical, said, gone=gone, fails=fails
            )
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

    def release_orphaned(self, urls: Sequence[int]) -> int:
        """Queue the URLs folded into those of ``urls`` that proved not to be pages."""
        if not urls:
            return 0
        return self._counted(ORPHANED.format(placeholders(len(urls))), urls)

    def release_unattended(self, origin: int) -> int:
        """Queue the URLs of other origins folded into pages of an origin that were never read."""
        return self._counted(UNATTENDED, (origin, origin))

    def partners(self, key: str, others: Collection[str], realm: str, run: int) -> list[Partner]:
        """Return those of ``others`` that are origins of the crawl, as partners of an origin."""
        keys = [key, *others]
        rows = self._database.rows(PARTNERS.format(placeholders(len(keys))), (run, realm, *keys))
        ours = next(((not start, id_) for id_, each, start, _ in rows if each == key), None)
        return [
            Partner(
                each,
                comes_first=ours is not None and (not start, id_) < ours,
                is_down=bool(down),
                folds_into=tuple(
                    json.loads(value)["partner"] for (value,) in self._database.rows(FOLDS, (id_,))
                ),
            )
            for id_, each, start, down in rows
            if each != key
        ]

    def origins_folded_into(self, key: str, realm: str) -> list[str]:
        """Return the origins that active rules fold into one, unless it is folded into them."""
        folds = {
            (origin, json.loads(value)["partner"])
            for origin, value in self._database.rows(FOLDED_INTO, (realm,))
        }
        return sorted(
            origin for origin, partner in folds if partner == key and (key, origin) not in folds
        )

    def _counted(self, statement: str, values: Sequence[object]) -> int:
        released = Counter(origin for (origin,) in self._database.rows(statement, values))
        for origin in sorted(released):
            self._count(origin, released[origin])
        return released.total()

    def _count(self, origin: int, released: int) -> int:
        if released:
            self._database.execute(
                "UPDATE origin SET pending = pending + ? WHERE id = ?", (released, origin)
            )
        return released
