"""Furniture of origins in the crawl database: sampled pages, and the lines they share."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sitecrawl.frontier.database import Database, RowStatement
from sitecrawl.frontier.visits import Finding
from sitecrawl.policy.documents.furniture import (
    MIN_PAGES,
    SAMPLED_PAGES,
    UNKNOWN,
    Names,
    OriginFurniture,
    learn,
    names_of,
)

STATE = "SELECT furniture FROM origin WHERE id = ?"
LINES = "SELECT name, version, lines FROM furniture WHERE origin = ?"
PAGES = "SELECT name, fingerprint FROM furniture_page WHERE origin = ?"
SAMPLE = (
    "SELECT fingerprint, lines FROM furniture_page WHERE origin = ? AND name = ?"
    " ORDER BY fingerprint"
)
PAGE = "SELECT lines FROM furniture_page WHERE origin = ? AND name = ? AND fingerprint = ?"
SAVE_PAGE = RowStatement(
    "INSERT INTO furniture_page (origin, name, fingerprint, lines) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (origin, name, fingerprint) DO UPDATE SET lines = excluded.lines",
    ("bigint", "text", "bigint", "bytea"),
    keys=(0, 1, 2),
)
SAVE_LINES = (
    "INSERT INTO furniture (origin, name, version, lines) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (origin, name) DO UPDATE SET version = excluded.version,"
    " lines = excluded.lines"
)
NEW_VERSION = "UPDATE origin SET furniture = furniture + 1 WHERE id = ? RETURNING furniture"
STRIPPED = RowStatement(
    "UPDATE document SET furniture = ? WHERE url = ? AND furniture <> ?",
    ("bigint", "bigint", "bigint"),
    keys=(1,),
)
BEFORE = (
    "SELECT d.url, u.url, d.furniture FROM document AS d JOIN url AS u ON u.id = d.url"
    " WHERE d.origin = ? AND d.furniture < ? ORDER BY d.url LIMIT ?"
)
LEAVE_OUT = (
    "UPDATE url SET left_out = CASE WHEN coalesce(left_out, '') = '' THEN ?"
    " ELSE left_out || ? END WHERE id = ?"
)
LEARNING = frozenset({MIN_PAGES, 24, 40, SAMPLED_PAGES})
"""Sizes of a sample at which it is counted; it is also counted when a sampled page changes."""

MAX_GAINED = 200
"""Maximum lines that a page keeps as gained; one with more was written anew, and counts as none."""


class Furniture:
    """Furniture of the origins that this worker leases, loaded with the lease."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, OriginFurniture] = {}
        self._gained: defaultdict[tuple[int, str], dict[int, array[int]]] = defaultdict(dict)

    def of(self, origin: int) -> OriginFurniture:
        """Return the cached furniture of an origin."""
        return self._known.get(origin, UNKNOWN)

    def load(self, origins: Sequence[int]) -> None:
        """Load the furniture of leased origins."""
        for origin in origins:
            rows = self._database.rows(PAGES, (origin,))
            if not rows:
                self._known[origin] = UNKNOWN
                continue
            pages: defaultdict[str, set[int]] = defaultdict(set)
            for name, fingerprint in rows:
                pages[name].add(fingerprint)
            shared = self._rows(LINES, origin)
            lines = {name: frozenset(_keys(blob)) for name, _, blob in shared}
            versions = {name: changed for name, changed, _ in shared}
            [(version,)] = self._database.rows(STATE, (origin,))
            sampled = {name: frozenset(prints) for name, prints in pages.items()}
            self._known[origin] = OriginFurniture(version, lines, versions, sampled)

    def forget(self, origin: int) -> None:
        """Drop the cached furniture of an origin whose lease is released."""
        self._known.pop(origin, None)
        for sample in [each for each in self._gained if each[0] == origin]:
            del self._gained[sample]

    def is_undecided(self, origin: int, names: Names) -> bool:
        """Return True until enough pages were read again to tell new furniture from new text."""
        known = self.of(origin)
        return any(
            len(known.pages.get(name, ())) >= MIN_PAGES
            and len(self._gained.get((origin, name), ())) < MIN_PAGES
            for name in names
        )

    def learn(self, origin: int, findings: Sequence[Finding]) -> OriginFurniture | None:
        """Add pages to the samples; return the new furniture, None if it is the same.

        The result is to be passed to ``know`` once the transaction has ended.
        """
        known = self.of(origin)
        pages = dict(known.pages)
        due: set[str] = set()
        for finding in findings:
            if finding.visit.lines is not None:
                due |= self._sample(origin, finding, known, pages)
            if finding.gained is not None or (finding.visit.unchanged and known.version):
                due |= self._note_others(origin, finding, known)
        if pages == known.pages and not due:
            return None
        changed = self._count(origin, due, known)
        version = known.version
        if changed:
            [(version,)] = self._database.rows(NEW_VERSION, (origin,))
        for name, lines in changed.items():
            blob = array("q", sorted(lines)).tobytes()
            self._database.execute(SAVE_LINES, (origin, name, version, blob))
        versions = known.versions | dict.fromkeys(changed, version)
        return OriginFurniture(version, known.lines | changed, versions, pages)

    def _sample(
        self,
        origin: int,
        finding: Finding,
        known: OriginFurniture,
        pages: dict[str, frozenset[int]],
    ) -> set[str]:
        """Add a page to its samples; return those that are to be counted now."""
        visit = finding.visit
        due, fingerprint = set(), visit.due.fingerprint
        for name in known.samples(fingerprint, names_of(visit.due.url)):
            before = pages.get(name, frozenset())
            if fingerprint not in before and len(before) >= SAMPLED_PAGES:
                continue
            pages[name] = before | {fingerprint}
            if fingerprint in before:
                self._note_gained(origin, name, fingerprint, visit.lines or ())
            row = (origin, name, fingerprint, array("q", visit.lines or ()).tobytes())
            self._database.write(SAVE_PAGE, [row])
            if fingerprint in before or len(pages[name]) in LEARNING:
                due.add(name)
        return due

    def _note_gained(self, origin: int, name: str, fingerprint: int, lines: Iterable[int]) -> None:
        """Keep the lines that a sampled page has gained since it was read in an earlier run.

        Lines that most pages gain are furniture before half of the whole sample was read again.
        """
        for (blob,) in self._rows(PAGE, origin, name, fingerprint):
            pages, now = self._gained[origin, name], frozenset(lines)
            gained = (now & set(pages.get(fingerprint, ()))) | now.difference(_keys(blob))
            pages[fingerprint] = array("q", gained if len(gained) <= MAX_GAINED else ())

    def _note_others(self, origin: int, finding: Finding, known: OriginFurniture) -> set[str]:
        """Keep the lines that a page has gained that is read again before enough sampled ones;
        return the samples that are to be counted now."""
        due, fingerprint = set(), finding.visit.due.fingerprint
        for name in names_of(finding.visit.due.url):
            pages = self._gained[origin, name]
            if len(pages) < MIN_PAGES and fingerprint not in known.pages.get(name, ()):
                gained = finding.gained or ()
                pages[fingerprint] = array("q", gained if len(gained) <= MAX_GAINED else ())
                if len(pages) == MIN_PAGES and name in known.pages:
                    due.add(name)
        return due

    def _count(
        self, origin: int, names: set[str], known: OriginFurniture
    ) -> dict[str, frozenset[int]]:
        """Count samples; return the furniture of those for which it changed."""
        changed = {}
        for name in sorted(names):
            before = known.lines.get(name, frozenset())
            sample = {page: _keys(blob) for page, blob in self._rows(SAMPLE, origin, name)}
            found = learn(sample.values(), before)
            gained = self._gained.get((origin, name), {})
            if len(gained) >= MIN_PAGES:
                shared = learn(gained.values(), before)
                stale = {page: keys for page, keys in sample.items() if page not in gained}
                self._expect(origin, name, stale, shared - before - found)
                found |= shared
            if found != before:
                changed[name] = found
        return changed

    def _expect(
        self, origin: int, name: str, pages: Mapping[int, array[int]], lines: frozenset[int]
    ) -> None:
        """Add new furniture to sampled pages that were not read since, until they are read.

        Otherwise it would be forgotten if the run ends before most of them are.
        """
        if lines:
            added = array("q", lines)
            rows = [(origin, name, page, (keys + added).tobytes()) for page, keys in pages.items()]
            self._database.write(SAVE_PAGE, rows)

    def know(self, origin: int, furniture: OriginFurniture) -> None:
        """Cache learned furniture."""
        self._known[origin] = furniture

    def stripped(self, findings: Sequence[Finding]) -> None:
        """Store the furniture version with which the documents of visits were stripped."""
        rows = [
            (finding.visit.furniture, finding.stored.id, finding.visit.furniture)
            for finding in findings
            if finding.visit.furniture and finding.fresh
        ]
        if rows:
            self._database.write(STRIPPED, rows)

    def leave_out(self, url: int, words: str) -> None:
        """Append a description of the text that was stripped from a stored document."""
        self._database.execute(LEAVE_OUT, (words, f"\n{words}", url))

    def brought_up(self, origin: int, urls: Sequence[int]) -> None:
        """Record that documents are stripped with the current version."""
        version = self.of(origin).version
        self._database.write(STRIPPED, [(version, url, version) for url in urls])

    def stripped_before(self, origin: int, limit: int) -> list[tuple[int, str, int]]:
        """Return documents stripped with an older version: row, URL and version."""
        return self._rows(BEFORE, origin, self.of(origin).version, limit)

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        return list(self._database.rows(statement, values))


def _keys(blob: bytes) -> array[int]:
    keys = array("q")
    keys.frombytes(bytes(blob))
    return keys
