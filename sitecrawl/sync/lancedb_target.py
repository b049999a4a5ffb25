"""LanceDB as a target: a table of sections with the vectors that the user's function makes.

A batch is written in two commits of the table: sections are added or replaced by their id, then
those that their documents have lost are deleted. The cursor follows in a file beside the table, so
that a killed batch is repeated; every step may be. The table itself is the cache of vectors: only
texts that it does not hold are embedded.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ctypes import CDLL
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, ClassVar

os.environ.setdefault("LANCEDB_LOG", "error")  # read when it is imported; it warns of new tables
# Without these, the library reads as far ahead as memory permits.
os.environ.setdefault("LANCE_DEFAULT_BATCH_SIZE", "512")  # rows; 8,192 with vectors are 30 MB
os.environ.setdefault("LANCE_DEFAULT_IO_BUFFER_SIZE", "16000000")  # bytes, instead of 2 GB

import lancedb
import pyarrow as pa

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter, ExpectedCount
from sitecrawl.sync.embedding import Embedder
from sitecrawl.sync.page_sections import PageSection, page_sections
from sitecrawl.sync.target import (
    LOCK,
    REBUILD,
    Cursor,
    SyncError,
    TargetLock,
    TargetMismatchError,
    TargetOptions,
    TargetUriError,
    folder_of,
    replace_json,
)
from sitecrawl.web.urls.identity import DEFAULT_REALM

TABLE, REBUILT = "sections", "sections_rebuilt"
CURSOR = "sitecrawl-cursor.json"
TABLE_VERSION = 2
EMBED = b"sitecrawl_embed"  # key of the table's metadata
STRING = pa.string()
COLUMNS: Mapping[str, tuple[Any, Callable[[_Row], Any]]] = {
    "id": (STRING, lambda row: row.section.id),
    "document": (STRING, lambda row: row.change.id),
    "page_id": (STRING, lambda row: row.text("page_id") or row.text("id")),
    "url": (STRING, lambda row: row.section.url),
    "title": (STRING, lambda row: row.text("title")),
    "headings": (pa.list_(STRING), lambda row: list(row.section.headings)),
    "text": (STRING, lambda row: row.section.text),
    "markdown": (STRING, lambda row: row.section.markdown),
    "language": (STRING, lambda row: row.text("language")),
    "realm": (STRING, lambda row: row.text("realm") or DEFAULT_REALM),
    "modified_at": (STRING, lambda row: row.change.record.get("modified_at")),
    "change": (STRING, lambda row: row.change.hash),
    "sections": (pa.int32(), lambda row: row.sections),
    "hash": (STRING, lambda row: row.section.hash),
}
"""The columns beside the vector: type and value."""
COMPACT_FROM, COMPACT_AT = 20, 200  # fragments, one for each batch: at least, and in any case
CACHE_BYTES = 16_000_000  # of the library, instead of gigabytes
OLD_VERSIONS = timedelta(minutes=10)  # kept for readers that are still at work
M_ARENA_MAX = -8  # malloc.h
MAX_IDS = 2000  # in one condition


with suppress(AttributeError, OSError):  # glibc's allocator: its arenas keep what is freed
    CDLL(None).mallopt(M_ARENA_MAX, 2)
pa.set_memory_pool(pa.system_memory_pool())


@dataclass(frozen=True, slots=True)
class _Row:
    """A section to be written, the change that it belongs to, and the number of that one's sections."""

    change: Change
    section: PageSection
    sections: int

    def text(self, field: str) -> str:
        """Return a field of the document."""
        return str(self.change.record.get(field) or "")


class LanceDbTarget:
    """The table ``sections`` in a folder: ``lancedb:///FOLDER``."""

    incremental: ClassVar[bool] = True

    def __init__(self, uri: str, options: TargetOptions, table: str = TABLE) -> None:
        """Write to ``table``; raises TargetUriError without a function that makes vectors."""
        self.folder = folder_of(uri)
        if not options.embed:
            raise TargetUriError(
                f"{uri} needs vectors: give -a embed=package.module:function, which takes a list "
                "of texts and returns a vector for each"
            )
        self._uri = uri
        self._options = options
        self._embedder = Embedder(options.embed)
        self._name = table
        self._lock = TargetLock(self.folder / LOCK, self.folder)
        self._opened: Any = None
        self.reached: Cursor | None = None

    def mapping(self) -> str:
        """Return the table's version and the function that makes its vectors."""
        return f"lancedb {TABLE_VERSION} {self._options.embed}"

    def cursor(self) -> Cursor | None:
        """Read the cursor beside the table; None if there is none."""
        with self._errors():
            stored = self._stored()
            if stored is None and self._table(TABLE) is not None:
                raise TargetMismatchError(f"{self._uri} has a table and no {CURSOR}; {REBUILD}.")
            return None if stored is None else stored[0]

    def open(self) -> Cursor | None:
        """Lock the folder; read the cursor."""
        with self._errors():
            self._take()
            return self.cursor()

    def fault(self, expected: ExpectedCount) -> str:  # noqa: ARG002 - it holds no documents
        """Compare the number of sections with that of the last batch."""
        with self._errors():
            _, last = self._stored() or (None, 0)
            count = self._count()
        return "" if count == last else f"has {count} sections instead of {last}"

    def documents(self) -> list[tuple[str, str]]:
        """Return each document with sections, and its change if it has all of these."""
        found: dict[str, Counter[tuple[str, int]]] = {}
        with self._errors():
            table = self._table(TABLE)
            query = table.search().select(["document", "change", "sections"]) if table else None
            for batch in query.to_batches() if query is not None else ():
                for id_, change, count in zip(*map(pa.Array.to_pylist, batch.columns), strict=True):
                    found.setdefault(id_, Counter())[change, count] += 1
        return [(id_, _whole(rows)) for id_, rows in found.items()]

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write the sections of the changed documents, delete the others'."""
        latest = {change.id: change for change in changes}
        upserts = [change for change in latest.values() if change.op != "delete"]
        rows = [
            _Row(change, each, len(sections))
            for change in upserts
            for sections in [page_sections(change.record)]
            for each in sections
        ]
        with self._errors():
            known = self._known(latest)
            vectors, refused = self._vectors(rows)
            rows = [row for row in rows if row.section.hash in vectors]
            if rows and self._name == TABLE and self.table() is None:
                self._write_cursor(replace(cursor, seq=0, hash=""))
            self._write(rows, vectors, are_new=not known)
            self._delete(
                [
                    f"document = '{change.id}'"
                    + ("" if change.op == "delete" else f" AND change <> '{change.hash}'")
                    for change in map(latest.__getitem__, known)
                ]
            )
            if self._name == TABLE:
                self._write_cursor(cursor)
            self.reached = cursor
            self._compact()
        return list({letter.id: letter for letter in refused}.values())

    @contextmanager
    def rebuild(self) -> Iterator[LanceDbTarget]:
        """Fill a second table; its content replaces this one's in one commit at the end."""
        with self._errors():
            self._take()
            self._drop(REBUILT)
        fresh = LanceDbTarget(self._uri, self._options, REBUILT)
        yield fresh
        with self._errors():
            filled = fresh.table()
            if filled is None:
                self._drop(TABLE)
            else:
                self._database.create_table(
                    TABLE, data=filled.search().to_batches(), schema=filled.schema, mode="overwrite"
                )
            self._drop(REBUILT)
            if fresh.reached is not None:
                self._write_cursor(fresh.reached)

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()

    def table(self) -> Any:
        """Return the table that is written to; None before its first section."""
        if self._opened is None:
            self._opened = self._table(self._name)
        return self._opened

    @cached_property
    def _database(self) -> Any:
        session = lancedb.Session(
            index_cache_size_bytes=CACHE_BYTES, metadata_cache_size_bytes=CACHE_BYTES
        )
        return lancedb.connect(self.folder, session=session)

    def _table(self, name: str) -> Any:
        """Return a table; None without a version, as a killed sync may leave its folder."""
        versions = (self.folder / f"{name}.lance" / "_versions").glob("*.manifest")
        return self._database.open_table(name) if any(versions) else None

    def _drop(self, name: str) -> None:
        self._database.drop_table(name, ignore_missing=True)

    def _vectors(self, rows: Sequence[_Row]) -> tuple[dict[str, Any], list[DeadLetter]]:
        table = self.table()
        texts = {row.section.hash: row.section.embedded_text for row in rows}
        found = dict(self._cached(texts))
        dimension = table.schema.field("vector").type.list_size if table is not None else 0
        faults = self._embedder.complete(found, texts, dimension, list)
        letters = [
            DeadLetter(row.change.seq, row.change.id, row.section.url, faults[row.section.hash])
            for row in rows
            if row.section.hash in faults
        ]
        return found, letters

    def _cached(self, hashes: Collection[str]) -> Iterator[tuple[str, Any]]:
        for name in {self._name, TABLE}:
            table = self.table() if name == self._name else self._table(name)
            made_by = (table.schema.metadata or {}).get(EMBED) if table is not None else None
            if made_by == self._options.embed.encode():
                yield from self._rows(table, "hash", hashes, "vector")

    def _known(self, documents: Collection[str]) -> set[str]:
        return {str(row[0]) for row in self._rows(self.table(), "document", documents)}

    def _rows(
        self, table: Any, column: str, values: Collection[str], *others: str
    ) -> Iterator[tuple[Any, ...]]:
        if table is None:
            return
        for part in _parts(sorted(values)):
            listed = ", ".join(f"'{_checked(each)}'" for each in part)
            query = table.search().where(f"{column} IN ({listed})").select([column, *others])
            for batch in query.to_batches():
                yield from zip(*map(pa.Array.to_pylist, batch.columns), strict=True)

    def _write(self, rows: Sequence[_Row], vectors: Mapping[str, Any], *, are_new: bool) -> None:
        """Add the rows, or replace those of the same id; new ones need no look at the others."""
        if not rows:
            return
        table = self.table()
        if table is None:
            vector = pa.list_(pa.float32(), len(vectors[rows[0].section.hash]))
            fields = {name: kind for name, (kind, _) in COLUMNS.items()}
            schema = pa.schema({**fields, "vector": vector})
            schema = schema.with_metadata({EMBED: self._options.embed.encode()})
            table = self._database.create_table(self._name, schema=schema)
        last = {row.section.id: row for row in rows}
        data = [
            {name: read(row) for name, (_, read) in COLUMNS.items()}
            | {"vector": vectors[row.section.hash]}
            for row in last.values()
        ]
        columns = pa.Table.from_pylist(data, schema=table.schema)
        if are_new:
            table.add(columns)
            return
        merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(columns)

    def _delete(self, conditions: Sequence[str]) -> None:
        table = self.table()
        if table is not None:
            for part in _parts(conditions):
                table.delete(" OR ".join(f"({condition})" for condition in part))

    def _compact(self) -> None:
        """Merge the table's small files when they have half as many rows as its largest one.

        Each row is rewritten only as often as the table grows by half. Versions that nobody reads
        are removed.
        """
        table = self.table()
        if table is None:
            return
        found = table.stats()
        fragments = found["fragment_stats"]
        count, largest = fragments["num_fragments"], fragments["lengths"]["max"]
        if count >= COMPACT_AT or (count >= COMPACT_FROM and 2 * found["num_rows"] >= 3 * largest):
            table.optimize(cleanup_older_than=OLD_VERSIONS)

    def _stored(self) -> tuple[Cursor, int] | None:
        path = self.folder / CURSOR
        if not path.exists():
            return None
        stored = json.loads(path.read_text("utf-8"))
        count = stored.pop("count")
        return Cursor(**stored), count

    def _count(self) -> int:
        table = self._table(TABLE)
        return 0 if table is None else int(table.count_rows())

    def _write_cursor(self, cursor: Cursor) -> None:
        replace_json(self.folder / CURSOR, {**asdict(cursor), "count": self._count()})

    def _take(self) -> None:
        self._lock.take()
        table = self._table(TABLE)
        if table is not None and EMBED not in (table.schema.metadata or {}):
            raise TargetMismatchError(
                f"{self._uri}: the table {TABLE} is another program's; give another folder."
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert failures of the library to one line; it has no error class of its own."""
        try:
            yield
        except SyncError:
            raise
        except (OSError, RuntimeError, ValueError) as error:
            text = str(error).partition("\n")[0]
            raise SyncError(f"{self._uri} cannot be written: {text}.") from error


def _whole(rows: Mapping[tuple[str, int], int]) -> str:
    """Return the change of a document's rows if these are all that it has written, else ""."""
    [((change, count), found), *others] = rows.items()
    return change if not others and found == count else ""


def _parts(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[start : start + MAX_IDS] for start in range(0, len(values), MAX_IDS))


def _checked(digits: str) -> str:
    """Return an id or hash for a condition; raises ValueError for anything but letters and digits."""
    if not digits.isalnum():
        raise ValueError(f"{digits!r} is no id")
    return digits
