"""The outbox: every change of a document, in commit order."""

# ruff: noqa: S608 -- only constants become part of a statement

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sitecrawl.frontier.base import Change, Entry
from sitecrawl.frontier.database import Database, Row, RowStatement
from sitecrawl.frontier.documents import Documents, unpack
from sitecrawl.frontier.section_table import SectionTable

NUMBER = "UPDATE crawl SET seq = seq + ? RETURNING seq"
LAST_SEQ = "(SELECT seq FROM crawl)"  # after ``NUMBER``, the one of the last change
NUMBERED = (
    "SELECT seq FROM outbox WHERE url = ? AND id = ? AND run = ? AND made_at = ?"
    " ORDER BY seq DESC LIMIT 1"
)
INSERT = RowStatement(
    "INSERT INTO outbox (seq, url, op, id, change, reason, moved_to, address, run, realm, made_at,"
    f" owner) VALUES ({LAST_SEQ} - ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ("bigint", "bigint", *("text",) * 6, "bigint", "text", "float8", "text"),
)
SET_SEQ = RowStatement(
    f"UPDATE document SET seq = {LAST_SEQ} - ? WHERE url = ?", ("bigint", "bigint"), keys=(1,)
)


def record(seq: int, run: int, realm: str, entry: Entry) -> dict[str, Any]:
    """Return the output line of a change, without empty values."""
    envelope = {
        "op": entry.op,
        "id": entry.id,
        "seq": seq,
        "run_id": run,
        "realm": realm,
        "change": entry.change,
        "url": entry.address,
        "reason": entry.reason,
        "moved_to": entry.moved_to,
    }
    return {name: value for name, value in envelope.items() if value is not None} | entry.content


COLUMNS = (
    "SELECT o.seq, o.run, o.realm, o.url, o.op, o.id, o.change, o.reason, o.moved_to, o.address,"
    " coalesce(s.body, d.body), coalesce(s.seq, CASE WHEN d.id = o.id THEN d.seq END), s.seq,"
    " o.made_at"
    " FROM outbox AS o LEFT JOIN document AS d ON d.url = o.url"
    " LEFT JOIN section AS s ON s.url = o.url AND s.id = o.id"
)
BODY = 10  # of these columns
MAX_PACKED = 300_000  # bytes of the packed documents of a batch
CHANGES = f"{COLUMNS} WHERE o.seq > ?{{of}} ORDER BY o.seq LIMIT ?"
OF_SEQS = f"{COLUMNS} WHERE o.seq IN ({{}}) ORDER BY o.seq"
OF_URL = (
    f"{COLUMNS} WHERE o.seq IN (SELECT seq FROM document WHERE url = ?"
    " UNION SELECT seq FROM section WHERE url = ?)"
)


class Outbox:
    """Outbox of a run; changes are numbered last in a transaction, so that no reader misses one."""

    def __init__(self, database: Database, run: int, realm: str, owner: str | None) -> None:
        self._database = database
        self._run = run
        self._realm = realm
        self._owner = owner
        self._sections = SectionTable(database, Documents(database), run)

    def write(self, pages: Sequence[Entry]) -> list[Change]:
        """Write the changes of pages, or of their sections, and number them.

        The list that is returned is complete when the transaction has ended. Numbers are given
        last in it: workers wait for each other from there to the commit.
        """
        entries = self._sections.expanded(pages)
        changes: list[Change] = []
        if not pages:
            return changes
        made_at = self._database.now()
        count = len(entries)

        def receive(rows: list[Row]) -> None:
            for seq, e in enumerate(entries, start=rows[0][0] - count + 1):
                line = record(seq, self._run, self._realm, e)
                changes.append(Change(seq, e.op, e.id, line))

        last = (entries[-1].url, entries[-1].id, self._run, made_at) if entries else ()
        self._database.notify()
        self._database.query_last(NUMBER, (count,), receive, repeat=(NUMBERED, last))
        before_last = [(count - 1 - place, entry) for place, entry in enumerate(entries)]
        made = (self._run, self._realm, made_at, self._owner)
        self._database.write_last(INSERT, [(gap, *_columns(e), *made) for gap, e in before_last])
        upserts = [(gap, e) for gap, e in before_last if e.op == "upsert"]
        whole = [(gap, e.url) for gap, e in upserts if not e.hash]
        self._database.write_last(SET_SEQ, whole)
        by_section = {e.url for e in pages if e.op == "upsert"} - {url for _, url in whole}
        self._sections.store([(gap, e) for gap, e in upserts if e.hash], by_section)
        return changes


def _columns(e: Entry) -> Row:
    return (e.url, e.op, e.id, e.change, e.reason, e.moved_to, e.address)


def change_of(row: Row, additional: dict[int, list[str]]) -> Change | None:
    """Return the change of an outbox row; None if a later change has replaced it."""
    seq, run, realm, url, op, id_, change, reason, moved_to, address, body, current, *rest = row
    section, made_at = rest
    entry = Entry(url, op, id_, change, reason, moved_to, address)
    if op == "upsert":
        if current != seq:
            return None
        is_page = section is None
        also = {"additional_urls": additional[url]} if is_page and url in additional else {}
        entry.content = {**unpack(body), **also}
    return Change(seq, op, id_, record(seq, run, realm, entry), change_hash(seq, id_, made_at))


def change_hash(seq: int, id_: str, made_at: float) -> str:
    """Return the hash of a change: another database has none of the same time in this place."""
    return sha256(f"{seq} {id_} {made_at!r}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes ordered by seq, and seq and hash of the last row up to which the log was read.

    It exceeds the seq of the last change if the rows after it were replaced by later changes.
    """

    changes: Sequence[Change]
    seq: int
    hash: str


def read_changes(
    database: Database, after: int, realm: str | None, limit: int
) -> ChangeBatch | None:
    """Read up to ``limit`` rows above a seq, of one realm or of all; None if there are none.

    Fewer rows of long documents are read, so that the memory of a batch is bounded.
    """
    query = CHANGES.format(of=" AND o.realm = ?" if realm else "")
    rows: list[Row] = []
    size = 0
    for row in database.stream(query, (after, *([realm] if realm else []), limit)):
        size += len(row[BODY] or b"")
        if rows and size > MAX_PACKED:
            break
        rows.append(row)
    if not rows:
        return None
    seq, id_, made_at = rows[-1][0], rows[-1][5], rows[-1][-1]
    return ChangeBatch(changes_of(database, rows), seq, change_hash(seq, id_, made_at))


def changes_of(database: Database, rows: Sequence[Row]) -> list[Change]:
    """Return the changes of outbox rows that no later change has replaced."""
    return [change for change in changes_by_seq(database, rows).values() if change is not None]


def changes_by_seq(database: Database, rows: Sequence[Row]) -> dict[int, Change | None]:
    """Return the change of each outbox row, None for those that a later change has replaced."""
    additional = Documents(database).additional_urls([row[3] for row in rows])
    return {row[0]: change_of(row, additional) for row in rows}
