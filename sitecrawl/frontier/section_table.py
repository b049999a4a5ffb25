"""The section table: documents that are written section by section."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sitecrawl.frontier.base import Entry
from sitecrawl.frontier.database import Database, RowStatement
from sitecrawl.frontier.documents import Documents
from sitecrawl.policy.documents.section_documents import orders, section_documents

REMOVED = "section_removed"
OTHER_FORM = "split"
STORE = RowStatement(
    "INSERT INTO section (url, id, seq, hash, place, body)"
    " VALUES (?, ?, (SELECT seq FROM crawl) - ?, ?, ?, ?)"
    " ON CONFLICT (url, id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash,"
    " place = excluded.place, body = excluded.body",
    ("bigint", "text", "bigint", "text", "bigint", "bytea"),
    keys=(0, 1),
)
SET_SEQ = RowStatement(
    "UPDATE document SET seq = (SELECT max(seq) FROM section WHERE section.url = document.url)"
    " WHERE url = ?",
    ("bigint",),
    keys=(0,),
)
KNOWN = "SELECT DISTINCT url FROM section WHERE url IN ({})"
SPLITS = "SELECT configuration FROM run WHERE id = ?"


class SectionTable:
    """Last written sections of each page, with the seq of their change.

    A page has rows here only while it is written section by section. Changes of a page are
    expanded into changes of its sections when they are numbered, so that the code for duplicates,
    redirects and deletions need not know about sections.
    """

    def __init__(self, database: Database, documents: Documents, run: int) -> None:
        self._database = database
        self._documents = documents
        self._run = run
        self._is_split: bool | None = None

    def expanded(self, entries: Sequence[Entry]) -> list[Entry]:
        """Expand the changes of pages into changes of sections; deletions come first."""
        found: list[Entry] = []
        deleted: set[int] = set()
        rows = self._database.rows_in(KNOWN, [entry.url for entry in entries])
        known = {url for (url,) in rows}
        for entry in entries:
            if entry.op == "delete":
                deleted.add(entry.url)
                found += self._deleted(entry) if entry.url in known else [entry]
            elif self._splits():
                found += self._changed(entry, is_new=entry.url in deleted)
            elif entry.url in known:
                found += [*self._withdrawn(entry, self._rows(entry.url)), entry]
            else:
                found.append(entry)
        return sorted(found, key=lambda entry: entry.op != "delete")

    def store(self, sections: Iterable[tuple[int, Entry]], pages: Iterable[int]) -> None:
        """Store sections, each with the gap from its seq to the last one of the transaction.

        ``pages`` are all pages that are written by sections.
        """
        self._database.write_last(
            STORE,
            [
                (e.url, e.id, gap, e.hash, e.content["order"], self._documents.packed(e.content))
                for gap, e in sections
            ],
        )
        self._database.write_last(SET_SEQ, [(url,) for url in pages])

    def _changed(self, entry: Entry, *, is_new: bool) -> Iterator[Entry]:
        before = self._rows(entry.url)
        sections = section_documents(entry.content)
        if not before and entry.change != "new" and not is_new:  # it was written as a page
            yield from self._withdrawn(entry, [entry.id])
        now = {section.id for section in sections}
        gone = {id_: row for id_, row in before.items() if id_ not in now}
        yield from self._withdrawn(entry, gone, REMOVED)
        numbers = orders(
            {id_: place for id_, (_, place) in before.items()}, [s.id for s in sections]
        )
        for section in sections:
            hash_, place = before.get(section.id, ("", 0))
            number = numbers[section.id]
            if (hash_, place) == (section.hash, number) and entry.change != "config":
                continue
            change = entry.change if section.id in before else "new"
            content = {**section.content, "order": number}
            yield replace(entry, id=section.id, change=change, content=content, hash=section.hash)

    def _deleted(self, entry: Entry) -> list[Entry]:
        rows = self._rows(entry.url)
        self._forget(entry.url, rows)
        return [replace(entry, id=id_) for id_ in rows] or [entry]

    def _withdrawn(
        self, entry: Entry, rows: Iterable[str], reason: str = OTHER_FORM
    ) -> list[Entry]:
        ids = list(rows)
        self._forget(entry.url, ids)
        address = entry.content.get("url")
        return [
            replace(
                entry, op="delete", id=id_, change=None, reason=reason, content={}, address=address
            )
            for id_ in ids
        ]

    def _rows(self, url: int) -> dict[str, tuple[str, int]]:
        rows = self._database.rows("SELECT id, hash, place FROM section WHERE url = ?", (url,))
        return {id_: (hash_, place) for id_, hash_, place in rows}

    def _forget(self, url: int, ids: Iterable[str]) -> None:
        self._database.many(
            "DELETE FROM section WHERE url = ? AND id = ?", [(url, id_) for id_ in ids]
        )

    def _splits(self) -> bool:
        if self._is_split is None:
            rows = self._database.rows(SPLITS, (self._run,))
            configuration: dict[str, Any] = json.loads(rows[0][0]) if rows else {}
            self._is_split = configuration.get("params", {}).get("split") == "sections"
        return self._is_split
