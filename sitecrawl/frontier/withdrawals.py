"""Documents withdrawn because of what their kind of page proved to be worth, or by a learned rule."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from sitecrawl.frontier.database import Database, placeholders
from sitecrawl.frontier.deletions import Deletions
from sitecrawl.frontier.documents import Documents, OriginName, StoredDocument, unpack
from sitecrawl.frontier.learned import FOLDED
from sitecrawl.frontier.link_table import unpack_ids
from sitecrawl.frontier.visit_reducer import Changes
from sitecrawl.policy.learning.repeated_pages import CurrentPage, StoredText
from sitecrawl.policy.outcomes import Outcome

COPY = "near_copy"
"""Reason stored for a URL whose document was withdrawn in favour of ``target``."""
READ = (int(Outcome.FILE_INGESTED), int(Outcome.FILE_DID_NOT_CHANGE))
BATCH = 200
WITHDRAWN_AT_ONCE = 200
"""Documents that a caller withdraws in one transaction; others of the crawl wait meanwhile."""
Part = TypeVar("Part")
CURRENT = (
    "SELECT u.id, u.fingerprint, u.url, u.depth, u.via, coalesce(r.url, u.referrer_url),"
    f" u.run = ? AND u.outcome IN ({', '.join(map(str, READ))})"
    " AND NOT EXISTS (SELECT 1 FROM deletion AS x WHERE x.url = u.id)"
    " AND NOT EXISTS (SELECT 1 FROM withheld AS w WHERE w.url = u.id)"
    " FROM document AS d JOIN url AS u ON u.id = d.url LEFT JOIN url AS r ON r.id = u.referrer"
    " WHERE d.origin = ? AND d.seq IS NOT NULL AND d.target IS NULL AND u.waiting = 0"
    " ORDER BY u.id"
)
WITHDRAWN = f"SELECT url FROM url WHERE origin = ? AND reason = '{COPY}' ORDER BY id"
TEXTS = (
    "SELECT d.url, d.body, l.targets FROM document AS d LEFT JOIN link AS l ON l.url = d.url"
    " WHERE d.url IN ({})"
)
URLS = "SELECT id, url FROM url WHERE id IN ({})"
HASHES = "SELECT id, content_hash FROM url WHERE id IN ({})"
LEAVE_OUT = (
    f"UPDATE url SET outcome = {int(Outcome.BLOCKED_URL_BY_LOCAL_POLICY)}, reason = ?, detail = ?,"
    " target = ?, due = ?, ages = 0, run = ? WHERE id = ?"
)
MOVE = f"UPDATE url SET target = ? WHERE origin = ? AND target = ? AND reason = '{COPY}'"
IS_NEW = "SELECT 1 FROM document AS d JOIN outbox AS o ON o.seq = d.seq WHERE d.url = ? AND o.run = ? AND o.change = 'new'"
# Another page took the place of the one that was kept.
FOLLOW = (
    "UPDATE url SET target = (SELECT d.target FROM document AS d WHERE d.url = url.target)"
    f" WHERE origin = ? AND reason = '{COPY}' AND EXISTS (SELECT 1 FROM document AS d"
    " WHERE d.url = url.target AND d.seq IS NULL AND d.target IS NOT NULL)"
)
ADMIT = f"UPDATE url SET waiting = 1, reason = NULL, outcome = {int(Outcome.CANCELLED)} WHERE "
ORPHANED = (
    f"{ADMIT} origin = ? AND reason = '{COPY}' AND waiting = 0 AND NOT EXISTS"
    " (SELECT 1 FROM document AS d WHERE d.url = url.target AND d.seq IS NOT NULL)"
)
READMIT = f"{ADMIT} origin = ? AND reason = '{COPY}' AND waiting = 0 AND url IN ({{}})"


class ReplacedPage(NamedTuple):
    """A page that a learned rule replaces by that of another origin with ``fingerprint``; ``words``
    name rule and page."""

    row: int
    fingerprint: int
    words: str


class Withdrawal(NamedTuple):
    """A page to be withdrawn, with reason and evidence; ``by`` is the row of the page that has its text."""

    row: int
    reason: str
    words: str
    by: int | None = None


class Withdrawals:
    """Withdrawn pages: left out like URLs that were never requested, so that every run considers
    them again."""

    def __init__(
        self, database: Database, documents: Documents, deletions: Deletions, run: int
    ) -> None:
        self._database = database
        self._documents = documents
        self._deletions = deletions
        self._run = run

    def current(self, origin: int) -> list[CurrentPage]:
        """Return the pages of an origin with a current document, in order of discovery."""
        rows = self._database.rows(CURRENT, (self._run, origin))
        return [CurrentPage(*row) for row in rows]

    def withdrawn(self, origin: int) -> list[str]:
        """Return the URLs of an origin withdrawn as near copies."""
        return [url for (url,) in self._database.rows(WITHDRAWN, (origin,))]

    def texts(self, rows: Collection[int]) -> dict[int, StoredText]:
        """Return the texts of documents by row."""
        return {
            row: StoredText(
                str(document.get("title", "")),
                str(document.get("body", "")),
                frozenset(unpack_ids(targets or "")),
            )
            for row, body, targets in self._database.rows(
                TEXTS.format(placeholders(len(rows))), list(rows)
            )
            for document in [unpack(body)]
        }

    def urls(self, rows: Collection[int]) -> dict[int, str]:
        """Return URLs by row."""
        return {
            row: url
            for part in _parts(sorted(rows))
            for row, url in self._database.rows(URLS.format(placeholders(len(part))), part)
        }

    def write(self, origin: int, pages: Iterable[Withdrawal], changes: Changes) -> None:
        """Withdraw pages, unless they or those that keep their texts have changed meanwhile.

        A page without another one in its place counts as a loss if an earlier run has published it.
        """
        for page in pages:
            held = self._documents.of(page.row)
            if held is None or not held.current or held.target is not None:
                continue
            moved_to = None
            if page.by is not None:
                kept = self._documents.of(page.by)
                if kept is None or not kept.current or self._deletions.knows(page.by):
                    continue
                moved_to = kept.address
            elif not self._database.rows(IS_NEW, (page.row, self._run)):
                self._deletions.gather(page.row, origin, page.reason, None)
                continue
            for each in (*self._documents.duplicates_of(page.row), held):
                self._withdraw(each, page, moved_to, changes)
            self._database.execute(MOVE, (page.by, origin, page.row))

    def fold(
        self, origin: int, partner: OriginName, pages: Sequence[ReplacedPage], changes: Changes
    ) -> None:
        """Withdraw pages of an origin that a rule replaces by those of its partner, if these have the
        same texts. They are left out like URLs that the rule folds.
        """
        rows = [page.row for page in pages]
        hashes: dict[int, str | None] = dict(
            self._database.rows(HASHES.format(placeholders(len(rows))), rows)
        )
        others = self._documents.replacements(partner, [page.fingerprint for page in pages])
        for page in pages:
            other, held = others.get(page.fingerprint), self._documents.of(page.row)
            if other is None or other.text != hashes.get(page.row) or held is None:
                continue
            if held.current and held.target is None:
                withdrawal = Withdrawal(page.row, FOLDED, page.words, other.url)
                for each in (*self._documents.duplicates_of(page.row), held):
                    self._withdraw(each, withdrawal, other.address, changes)
                self._database.execute(MOVE, (other.kept, origin, page.row))

    def _withdraw(
        self, held: StoredDocument, page: Withdrawal, moved_to: str | None, changes: Changes
    ) -> None:
        if held.current:
            changes.withdraw(held, page.reason, moved_to)
        else:
            self._documents.remove(held.url)
        self._deletions.forget(held.url)
        row = (page.reason, page.words, page.by, self._database.now(), self._run, held.url)
        self._database.execute(LEAVE_OUT, row)

    def admit_orphaned(self, origin: int) -> int:
        """Queue the near copies of pages that are documents no more; return their number."""
        self._database.execute(FOLLOW, (origin,))
        return self._admitted(origin, self._database.execute(ORPHANED, (origin,)))

    def admit(self, origin: int, urls: Collection[str]) -> int:
        """Queue near copies, because their kind of page is none of copies after all."""
        return sum(
            self._admitted(
                origin,
                self._database.execute(READMIT.format(placeholders(len(part))), (origin, *part)),
            )
            for part in _parts(sorted(urls))
        )

    def _admitted(self, origin: int, admitted: int) -> int:
        if admitted:
            self._database.execute(
                "UPDATE origin SET pending = pending + ? WHERE id = ?", (admitted, origin)
            )
        return admitted


def _parts(values: Sequence[Part]) -> Iterator[Sequence[Part]]:
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))
