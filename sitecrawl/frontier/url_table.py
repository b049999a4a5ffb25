"""Known URLs of a crawl: add new ones, pop due ones, queue others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest

from sitecrawl.frontier.base import Candidate, DueUrl
from sitecrawl.frontier.database import Database, Row, RowStatement
from sitecrawl.frontier.leases import Lease
from sitecrawl.policy.lifecycle.change_rate import PRIOR_RATE
from sitecrawl.policy.lifecycle.revisit import LASTING
from sitecrawl.policy.outcomes import Outcome

COLUMNS = (
    "SELECT u.fingerprint, u.url, u.depth, u.via, coalesce(r.url, u.referrer_url), u.etag,"
    " u.last_modified, u.content_hash, u.document_hash, d.id, u.indexed_at, u.found_at,"
    " u.outcome, u.reading, u.following, u.priority"
    " FROM url AS u LEFT JOIN url AS r ON r.id = u.referrer"
    " LEFT JOIN document AS d ON d.url = u.id AND d.seq IS NOT NULL"
)
POP = (
    COLUMNS + " WHERE u.origin = ? AND u.waiting = 1 AND {}"
    " ORDER BY u.priority DESC, u.depth, u.id LIMIT ?"
)
# URLs that may exhaust the failure budget of the origin come last. Starts come first.
UNPROMISING = ", ".join(str(int(outcome)) for outcome in sorted(LASTING))
PROMISING = f"(u.outcome IS NULL OR u.outcome NOT IN ({UNPROMISING}) OR u.priority > 0)"
POP_LATER = (
    COLUMNS + " WHERE u.origin = ? AND u.waiting = 1 AND u.priority < 0"
    " ORDER BY u.priority DESC, u.depth / 2, u.fingerprint LIMIT ?"
)
"""Pops what comes after all others, each two depths in random order: fingerprints are hashes."""
POPS = (
    POP.format(f"u.priority >= 0 AND {PROMISING}"),
    POP.format(f"u.priority >= 0 AND NOT {PROMISING}"),
    POP_LATER,
)
POP_STARTS = POP.format("u.priority > 0")
POP_NEW = POP.format(f"u.priority = 0 AND u.indexed_at IS NULL AND {PROMISING}")
POP_CHANGED = (
    f"{COLUMNS} WHERE u.origin = ? AND u.waiting = 1 AND u.priority = 0"
    f" AND u.indexed_at IS NOT NULL AND {PROMISING}"
    " ORDER BY CASE WHEN u.announced > u.indexed_at OR u.missing > 0 THEN 0 ELSE 1 END,"
    f" coalesce(u.change_rate, {PRIOR_RATE!r}) * (? - u.indexed_at) DESC, u.id LIMIT ?"
)
"""Pops known pages: first those whose change a sitemap or feed has announced, or that were missing
once, then by the number of changes expected since the last visit."""
SKIP = "UPDATE url SET waiting = 0 WHERE origin = ? AND fingerprint = ? AND waiting = 1"
PUT_OFF = (
    "UPDATE url SET priority = ? WHERE origin = ? AND fingerprint = ? AND waiting = 1"
    " AND priority <= 0"
)
SET_FOUND_ASIDE = (
    "UPDATE url SET waiting = 2 WHERE origin = ? AND fingerprint = ? AND waiting = 1"
    " AND via = 'link' AND outcome IS NULL"
    " AND found_at >= (SELECT started_at FROM run WHERE id = ?)"
)


MORE_PENDING = RowStatement(
    "UPDATE origin SET pending = pending + ? WHERE id = ?", ("bigint", "bigint"), keys=(1,)
)
LISTED = "UPDATE url SET listed = ? WHERE origin = ? AND fingerprint = ? AND listed <> ?"
NOT_COOLING = f"(outcome IS NULL OR outcome <> {int(Outcome.RATE_LIMITED)} OR due <= ?)"
"""False if the response set the time of the next request (Retry-After), later than a given time."""
OF_REALM = "origin IN (SELECT id FROM origin WHERE realm = ?)"
ONE = "fingerprint = ? AND origin = (SELECT id FROM origin WHERE key = ? AND realm = ?)"
UNSKIP = f"UPDATE url SET waiting = 1 WHERE waiting = 2 AND {ONE}"  # noqa: S608
QUEUE = (
    "UPDATE url SET waiting = 1 WHERE waiting <> 1"  # noqa: S608
    f" AND (outcome IS NULL OR outcome <> {int(Outcome.FILE_GONE)}) AND {NOT_COOLING}"
)
MARK_DUE = f"{QUEUE} AND {ONE}"
REDATED = f"{QUEUE} AND dated <> ? AND {ONE}"
MODIFIED = f"{QUEUE} AND indexed_at < ? AND {ONE}"
ANNOUNCE = f"UPDATE url SET announced = ? WHERE indexed_at < ? AND {ONE}"  # noqa: S608
RECORD_DATE = f"UPDATE url SET dated = ? WHERE (dated IS NULL OR dated <> ?) AND {ONE}"  # noqa: S608
PENDING = "UPDATE origin SET pending = pending + 1 WHERE key = ? AND realm = ?"


class Urls:
    """The url table of one realm."""

    def __init__(self, database: Database, realm: str, aside_in: int | None = None) -> None:
        """``aside_in``: the run whose newly found links are left to the next run."""
        self._database = database
        self._realm = realm
        self._aside_in = aside_in
        self._origins: dict[str, int] = {}

    def add(
        self,
        candidates: Iterable[Candidate],
        pages: dict[str, int],
        source_origin: int | None = None,
    ) -> int:
        """Store unknown URLs, and shorter paths to known ones; return the number of new URLs.

        ``pages`` maps the URLs of the committed pages to their rows: a referrer among them is
        stored as a reference. ``source_origin`` is the leased origin of these pages: links to other
        origins are sorted, so that workers do not deadlock.
        """
        by_origin: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            by_origin[candidate.origin].append(candidate)
        self.know(by_origin)
        found_at = self._database.now()
        new = 0
        for key in sorted(by_origin, key=self._origins.__getitem__):
            origin, found = self._origins[key], by_origin[key]
            if source_origin not in (None, origin):
                found.sort(key=lambda candidate: candidate.fingerprint)
            new += self._add_to(origin, found, pages, found_at)
        return new

    def note_listed(self, candidates: Iterable[Candidate], run: int) -> None:
        """Record that a sitemap lists these known URLs."""
        found = [each for each in candidates if each.via == "sitemap"]
        self.know({each.origin for each in found})
        rows = ((run, self._origins[each.origin], each.fingerprint, run) for each in found)
        self._database.many(LISTED, sorted(rows))

    def _add_to(
        self, origin: int, candidates: list[Candidate], pages: dict[str, int], found_at: float
    ) -> int:
        rows = []
        for c in candidates:
            page = pages.get(c.referrer) if c.referrer else None
            text = c.referrer if page is None else None
            rows.append(
                (origin, c.fingerprint, c.url, c.depth, c.via, c.priority, page, text, found_at)
            )
        new = self._database.add_urls(rows)
        waiting = new - self._set_aside(origin, candidates)
        if waiting:
            self._database.write(MORE_PENDING, [(waiting, origin)])
        return new

    def _set_aside(self, origin: int, candidates: list[Candidate]) -> int:
        """Set newly found links aside if the run defers them; return how many were waiting."""
        if self._aside_in is None:
            return 0
        links = [(origin, c.fingerprint, self._aside_in) for c in candidates if c.via == "link"]
        return self._database.many(SET_FOUND_ASIDE, links) if links else 0

    def pop(self, origin: str, lease: Lease, limit: int) -> list[DueUrl]:
        """Pop waiting URLs in order; they stay popped until they are committed."""
        free: list[Row] = []
        for pop in POPS:
            rows = self._database.rows(pop, (lease.id, limit + len(lease.popped)))
            free += [row for row in rows if row[0] not in lease.popped]
            if len(free) >= limit:
                break
        del free[limit:]
        lease.popped.update(row[0] for row in free)
        return [DueUrl(origin, *row) for row in free]

    def pop_by_change(
        self, origin: str, lease: Lease, limit: int, *, known_first: bool
    ) -> list[DueUrl]:
        """Pop starts, then new URLs and known pages in turns, then the others."""
        most, now = limit + len(lease.popped), self._database.now()
        starts = self._database.rows(POP_STARTS, (lease.id, most))
        new = self._database.rows(POP_NEW, (lease.id, most))
        known = self._database.rows(POP_CHANGED, (lease.id, now, most))
        first, second = (known, new) if known_first else (new, known)
        turns = [row for pair in zip_longest(first, second) for row in pair if row is not None]
        free = [row for row in (*starts, *turns) if row[0] not in lease.popped][:limit]
        lease.popped.update(row[0] for row in free)
        found = [DueUrl(origin, *row) for row in free]
        return found if len(found) == limit else found + self.pop(origin, lease, limit - len(found))

    def put_off(self, lease: Lease, priorities: Mapping[int, int]) -> None:
        """Return popped URLs to the queue, each with a new priority, by fingerprint."""
        rows = [(priority, lease.id, identity) for identity, priority in priorities.items()]
        self._database.many(PUT_OFF, rows)
        lease.popped.difference_update(priorities)

    def skip(self, lease: Lease, fingerprints: Collection[int]) -> None:
        """Remove popped URLs from the queue without a visit; their age stays as it is."""
        skipped = self._database.many(SKIP, [(lease.id, each) for each in fingerprints])
        self._database.execute(
            "UPDATE origin SET pending = pending - ? WHERE id = ?", (skipped, lease.id)
        )
        lease.popped.difference_update(fingerprints)

    def has_promising(self, origin: int) -> bool:
        """Return True if a start, or a URL that did not fail last time, is waiting."""
        query = "SELECT 1 FROM url AS u WHERE u.origin = ? AND u.waiting = 1 AND"
        return bool(self._database.rows(f"{query} {PROMISING} LIMIT 1", (origin,)))

    def forget(self) -> None:
        """Clear the cache of row ids: a failed transaction may have rolled some back."""
        self._origins.clear()

    def row_of(self, key: str) -> int:
        """Return the row id of an origin that is known."""
        return self._origins[key]

    def know(self, keys: Iterable[str]) -> None:
        """Insert missing origins, and cache the row id of each."""
        for key in sorted(key for key in keys if key not in self._origins):
            self._database.execute(
                "INSERT INTO origin (realm, key) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (self._realm, key),
            )
            [(self._origins[key],)] = self._database.rows(
                "SELECT id FROM origin WHERE key = ? AND realm = ?", (key, self._realm)
            )


class Reminders:
    """Requeueing of URLs of one realm for reasons other than their age."""

    def __init__(self, database: Database, realm: str, *, announces: bool = False) -> None:
        """``announces``: store the dates of announced changes, by which pages are then ordered."""
        self._database = database
        self._realm = realm
        self._announces = announces

    def unskip(self, candidates: Iterable[Candidate]) -> None:
        """Queue those candidates that the run has set aside."""
        for candidate in candidates:
            self._queue(candidate, UNSKIP)

    def mark_due(self, candidates: Iterable[Candidate]) -> None:
        """Queue these regardless of their age, unless they are permanently gone."""
        for candidate in candidates:
            self._queue(candidate, MARK_DUE, self._database.now())

    def record_feed_dates(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Store the dates of feed entries, and queue the URLs whose date has changed."""
        for candidate, date in entries:
            at = date.timestamp()
            self._announce(candidate, at)
            self._queue(candidate, REDATED, self._database.now(), at)
            self._update(candidate, RECORD_DATE, at, at)

    def mark_modified(self, entries: Iterable[tuple[Candidate, float]]) -> None:
        """Queue the URLs that were last read before the date given with each."""
        for candidate, date in entries:
            self._announce(candidate, date)
            self._queue(candidate, MODIFIED, self._database.now(), date)

    def _announce(self, candidate: Candidate, date: float) -> None:
        if self._announces and date <= self._database.now():
            self._update(candidate, ANNOUNCE, date, date)

    def _queue(self, candidate: Candidate, statement: str, *values: float) -> None:
        if self._update(candidate, statement, *values):
            self._database.execute(PENDING, (candidate.origin, self._realm))

    def _update(self, candidate: Candidate, statement: str, *values: float) -> int:
        one = (candidate.fingerprint, candidate.origin, self._realm)
        return self._database.execute(statement, (*values, *one))
