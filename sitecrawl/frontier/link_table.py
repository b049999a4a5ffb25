"""Links between known URLs: stored with the page that contains them, read from either end.

A row of ``link`` holds the targets of one page as row ids in ascending order: the first id, then the
difference of each to the one before, in decimal, separated by commas. SQL can take this form apart
(see ``views.py``), and Python reads it at the speed of its C functions. It is written in the
transaction that writes the page, and removed when the page is no longer there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import sub
from typing import NamedTuple

from sitecrawl.frontier.base import Candidate, VisitResult
from sitecrawl.frontier.database import Database, RowStatement, storable
from sitecrawl.frontier.url_table import Urls
from sitecrawl.frontier.visits import NOT_SURE, SILENT, Finding
from sitecrawl.policy.outcomes import Outcome

MAX_LINKS = 5000
"""Targets stored of one page."""
MAX_OUTSIDE = 100_000
"""Addresses stored that are not crawled; further ones are left out."""
MAX_IDS = 32_768
"""Row ids kept in memory: about 4 MB."""
IDS = "SELECT fingerprint, id FROM url WHERE origin = ? AND fingerprint IN ({})"
WRITE = RowStatement(
    "INSERT INTO link (url, targets, outside) VALUES (?, ?, ?) ON CONFLICT (url) DO UPDATE"
    " SET targets = excluded.targets, outside = excluded.outside"
    " WHERE link.targets <> excluded.targets OR link.outside <> excluded.outside",
    ("bigint", "text", "text"),
    keys=(0,),
)
ADD_OUTSIDE = "INSERT INTO outside (realm, url, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
OUTSIDE_IDS = "SELECT url, id FROM outside WHERE realm = ? AND url IN ({})"
COUNT_OUTSIDE = "SELECT count(*) FROM outside WHERE realm = ?"
REMOVE = RowStatement("DELETE FROM link WHERE url = ?", ("bigint",), keys=(0,))

ALL = (
    "SELECT l.url, l.targets FROM link AS l JOIN url AS u ON u.id = l.url"
    " JOIN origin AS o ON o.id = u.origin WHERE o.realm = ? ORDER BY l.url"
)
ONE = "SELECT url, targets FROM link ORDER BY url"
ADDRESSES = "SELECT id, url FROM url WHERE id IN ({})"
OUTSIDE = (
    "SELECT l.url, l.outside FROM link AS l JOIN url AS u ON u.id = l.url"
    " JOIN origin AS o ON o.id = u.origin WHERE o.realm = ? AND l.outside <> '' ORDER BY l.url"
)
KEEPING = SILENT - {Outcome.FILE_NOT_FOUND, Outcome.FILE_GONE}
"""Outcomes after which a page that was not read keeps its links."""


def pack_ids(targets: Iterable[int]) -> str:
    """Return the stored form of row ids."""
    ids = sorted(targets)
    return ",".join(map(str, map(sub, ids, [0, *ids])))


def unpack_ids(targets: str) -> Iterator[int]:
    """Yield the row ids of a stored form, in ascending order."""
    return accumulate(map(int, targets.split(","))) if targets else iter(())


class Links:
    """The links of the pages that this worker reads."""

    def __init__(self, database: Database, urls: Urls, realm: str) -> None:
        self._database = database
        self._urls = urls
        self._realm = realm
        self._ids: dict[tuple[int, int], int] = {}

    def forget(self) -> None:
        """Clear the cache of row ids: a failed transaction may have rolled some back."""
        self._ids.clear()

    def unknown(
        self, visits: Sequence[VisitResult], candidates: Iterable[Candidate]
    ) -> list[Candidate]:
        """Return the linked URLs that are neither stored nor among ``candidates``.

        Another page found them first, and its visit is not written yet.
        """
        linked = {
            (link[0], link[1]): (link, visit)
            for visit in visits
            for link in visit.links or ()
            if link[2]
        }
        for each in candidates:
            linked.pop((each.origin, each.fingerprint), None)
        known = self._find(linked)
        return [
            Candidate(*link, visit.due.depth + 1, "link", visit.due.url)
            for key, (link, visit) in linked.items()
            if key not in known
        ]

    def write(self, findings: Sequence[Finding]) -> None:
        """Store the links of the pages that were read; remove those of pages that are gone."""
        written = [finding for finding in findings if _has_links(finding)]
        outside = self._store_outside(written)
        ids = self._find({link[:2] for finding in written for link in finding.visit.links or ()})
        rows = []
        for finding in written:
            links = (finding.visit.links or ())[:MAX_LINKS]
            targets = {ids[link[:2]] for link in links if link[:2] in ids}
            others = {outside[url] for url, _ in finding.visit.outside if url in outside}
            row = (pack_ids(targets - {finding.stored.id}), pack_ids(others))
            rows.append((finding.stored.id, *row))
        self._database.write(WRITE, rows)
        gone = [(f.stored.id,) for f in findings if not (_has_links(f) or _keeps_links(f))]
        self._database.write(REMOVE, gone)

    def _store_outside(self, findings: Sequence[Finding]) -> dict[str, int]:
        """Store the addresses that are not crawled, as long as there is room; return their rows."""
        kinds = {
            each: kind
            for finding in findings
            for url, kind in finding.visit.outside
            if (each := storable(url))
        }
        if not kinds:
            return {}
        known = self._outside_ids(list(kinds))
        [(count,)] = self._database.rows(COUNT_OUTSIDE, (self._realm,))
        new = sorted(url for url in kinds if url not in known)[: max(0, MAX_OUTSIDE - count)]
        self._database.many(ADD_OUTSIDE, [(self._realm, url, kinds[url]) for url in new])
        return known | self._outside_ids(new)

    def _outside_ids(self, urls: Sequence[str]) -> dict[str, int]:
        return dict(self._database.rows_in(OUTSIDE_IDS, urls, self._realm))

    def _find(self, keys: Collection[tuple[str, int]]) -> dict[tuple[str, int], int]:
        origins = {origin for origin, _ in keys}
        self._urls.know(origins)
        rows = {origin: self._urls.row_of(origin) for origin in origins}
        found: dict[tuple[str, int], int] = {}
        missing: dict[str, list[int]] = {}
        for key in keys:
            origin, fingerprint = key
            known = self._ids.get((rows[origin], fingerprint))
            if known is None:
                missing.setdefault(origin, []).append(fingerprint)
            else:
                found[key] = known
        for origin, fingerprints in missing.items():
            for fingerprint, row in self._look_up(rows[origin], fingerprints):
                found[origin, fingerprint] = row
        return found

    def _look_up(self, origin: int, fingerprints: Sequence[int]) -> Iterator[tuple[int, int]]:
        if len(self._ids) + len(fingerprints) > MAX_IDS:
            self._ids.clear()
        for fingerprint, row in self._database.rows_in(IDS, fingerprints, origin):
            self._ids[origin, fingerprint] = row
            yield fingerprint, row


def _has_links(finding: Finding) -> bool:
    return bool(finding.visit.links or finding.visit.outside)


def _keeps_links(finding: Finding) -> bool:
    visit = finding.visit
    return visit.links is None and (visit.outcome in KEEPING or visit.reason in NOT_SURE)


class Inlinks(NamedTuple):
    """Pages that link to a URL: their number, and the first of them."""

    total: int
    pages: tuple[int, ...]


def inverted(pages: Iterable[tuple[int, Iterable[int]]], limit: int) -> dict[int, Inlinks]:
    """Return the pages of each target, at most ``limit`` of each, from pages with their targets."""
    counts: Counter[int] = Counter()
    found: defaultdict[int, list[int]] = defaultdict(list)
    for page, targets in pages:
        for target in targets:
            counts[target] += 1
            if len(found[target]) < limit:
                found[target].append(page)
    return {target: Inlinks(counts[target], tuple(kept)) for target, kept in found.items()}


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Stored links, read from either end.

    There is no index from a target to its pages: it would be larger than the links. A search for
    the pages that link to a URL reads all links, which takes about 5 µs a page.
    """

    database: Database

    def inlinks(self, url: int, limit: int) -> list[int]:
        """Return up to ``limit`` pages that link to a URL, oldest first."""
        found: list[int] = []
        for page, targets in self.database.stream(ONE):
            if len(found) >= limit:
                break
            if url in unpack_ids(targets):
                found.append(page)
        return found

    def pages(self, realm: str) -> Iterator[tuple[int, Iterator[int]]]:
        """Yield each page with its targets."""
        for page, targets in self.database.stream(ALL, (realm,)):
            yield page, unpack_ids(targets)

    def outside(self, realm: str) -> Iterator[tuple[int, Iterator[int]]]:
        """Yield each page with the rows of the addresses outside of the crawl to which it refers."""
        for page, rows in self.database.stream(OUTSIDE, (realm,)):
            yield page, unpack_ids(rows)

    def inlinks_of(self, urls: Collection[int], realm: str, limit: int) -> dict[int, Inlinks]:
        """Return the pages that link to each of ``urls``, at most ``limit`` of each."""
        wanted = frozenset(urls)
        pages = self.pages(realm) if wanted else ()
        return inverted(((page, wanted.intersection(each)) for page, each in pages), limit)

    def addresses(self, urls: Sequence[int]) -> list[str]:
        """Return the addresses of rows, in their order."""
        known: dict[int, str] = dict(self.database.rows_in(ADDRESSES, urls))
        return [known[url] for url in urls if url in known]
