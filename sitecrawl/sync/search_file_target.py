"""The search file as a target; pages and cursor change in one transaction, so exactly once.

Several processes may take turns in writing, as `scrapy browse` and `scrapy search` do: a change is
applied by the one that finds the cursor as it left it. A rebuild needs the file for itself.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from itertools import chain
from json import dumps, loads
from pathlib import Path
from typing import ClassVar
from urllib.parse import urldefrag

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter, ExpectedCount
from sitecrawl.search.search_index import (
    INDEX_VERSION,
    IndexFileError,
    SearchIndex,
    VectorTable,
    open_index,
    packed,
)
from sitecrawl.sync.embedding import EMBED, Embedder
from sitecrawl.sync.page_sections import PageSection, page_sections
from sitecrawl.sync.target import (
    Cursor,
    SyncError,
    TargetBusyError,
    TargetLock,
    TargetOptions,
    TargetUriError,
)

CURSOR = "cursor"
UNFIT = (TypeError, ValueError, AttributeError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
"""Errors that values of a document cause: a project's pipeline may give a field any type."""


class SearchFileTarget:
    """A search index in one file, which `scrapy search` reads."""

    incremental: ClassVar[bool] = True

    def __init__(self, uri: str, options: TargetOptions) -> None:
        path = uri.removeprefix("sqlite:///")
        if not uri.startswith("sqlite:///") or not path:
            raise TargetUriError(f"{uri!r} names no file; write sqlite:///search.sqlite")
        self.path = Path(path)
        self._given = options.embed
        self._writer: IndexWriter | None = None
        self._lock = TargetLock(self.path.with_name(f"{self.path.name}.lock"), self.path)

    @cached_property
    def _embed(self) -> str:
        """The function that makes vectors: without one in the options, that of the file."""
        if self._given or not self.path.exists():
            return self._given
        with _sync_errors(), open_index(self.path) as index:
            return index.meta(EMBED) or ""

    def mapping(self) -> str:
        """Return the version of the index, and the function that makes its vectors."""
        return f"search file {INDEX_VERSION} {self._embed}".rstrip()

    def cursor(self) -> Cursor | None:
        """Read the cursor of the file; None if there is none."""
        if not self.path.exists():
            return None
        with _sync_errors(), open_index(self.path) as index:
            return _read(index.meta(CURSOR))

    def open(self) -> Cursor | None:
        """Lock and open the file; create it if it is missing."""
        with _sync_errors():
            self._lock.take(shared=True)
            self._close_index()
            index = SearchIndex(self.path, make=True)
            self._writer = IndexWriter(self.path, index, self._embed)
            return _read(self._writer.stored)

    def fault(self, expected: ExpectedCount) -> str:
        """Count the pages."""
        with _sync_errors(), open_index(self.path) as index:
            return expected.fault(index.count())

    def documents(self) -> list[tuple[str, str]]:
        """Return id and change of each page."""
        with _sync_errors(), open_index(self.path) as index:
            return index.changes()

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write pages and cursor in one transaction."""
        if self._writer is None:
            raise SyncError(f"{self.path} is not open.")
        return self._writer.apply(changes, cursor)

    @contextmanager
    def rebuild(self) -> Iterator[IndexWriter]:
        """Fill a second file, which replaces this one at the end without a gap for searches."""
        path = self.path.with_name(f"{self.path.name}.new")
        with _sync_errors():
            self._lock.take()
            self._close_index()
            _remove(path)
            index = SearchIndex(path, make=True)
        with closing(index), self._old_vectors() as known:
            yield IndexWriter(self.path, index, self._embed, known)
            with _sync_errors():
                index.checkpoint()
        with _sync_errors():
            _remove(self.path)
            os.replace(path, self.path)  # noqa: PTH105

    @contextmanager
    def _old_vectors(self) -> Iterator[VectorTable | None]:
        with ExitStack() as stack:
            known = None
            with suppress(IndexFileError):
                old = stack.enter_context(closing(SearchIndex(self.path)))
                known = old.vectors if self._embed and old.meta(EMBED) == self._embed else None
            yield known

    def close(self) -> None:
        """Close the file, and release the lock."""
        self._close_index()
        self._lock.release()

    def _close_index(self) -> None:
        if self._writer is not None:
            self._writer.index.close()
            self._writer = None


class IndexWriter:
    """Writes to an index that is open; ``path`` is the target that the index is, or is to be.

    ``embed`` makes the vectors, if there are any; ``known`` are those of an index before.
    """

    def __init__(
        self, path: Path, index: SearchIndex, embed: str = "", known: VectorTable | None = None
    ) -> None:
        self.index = index
        self.stored = index.meta(CURSOR)
        self._path = path
        self._embedder = Embedder(embed) if embed else None
        self._known = known

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write pages and cursor in one transaction, unless another process moved the cursor."""
        text = dumps(asdict(cursor))
        sections = [
            page_sections(each.record) if self._embedder and each.op != "delete" else []
            for each in changes
        ]
        with _sync_errors():
            vectors, faults = self._vectors(chain.from_iterable(sections))
        with _sync_errors(), self.index.transaction():
            if self.index.meta(CURSOR) != self.stored:
                raise TargetBusyError(self._path)
            written = (
                self._write(change, own, vectors, faults)
                for change, own in zip(changes, sections, strict=True)
            )
            refused = [letter for letter in written if letter is not None]
            self.index.set_meta(CURSOR, text)
            if self._embedder:
                self.index.set_meta(EMBED, self._embedder.name)
        self.stored = text
        return refused

    def _vectors(self, sections: Iterable[PageSection]) -> tuple[dict[str, bytes], dict[str, str]]:
        if self._embedder is None:
            return {}, {}
        texts = {each.hash: each.embedded_text for each in sections}
        found = self.index.vectors.known(texts)
        if self._known is not None:
            found |= self._known.known(texts.keys() - found.keys())
        return found, self._embedder.complete(found, texts, self.index.vectors.dimension(), packed)

    def _write(
        self,
        change: Change,
        sections: Sequence[PageSection],
        vectors: Mapping[str, bytes],
        faults: Mapping[str, str],
    ) -> DeadLetter | None:
        if change.op == "delete":
            self.index.remove(change.id)
            return None
        try:
            with self.index.savepoint():
                number = self.index.put(change.record, change.hash)
                if fault := next((faults[s.hash] for s in sections if s.hash in faults), ""):
                    raise ValueError(fault)
                self.index.vectors.put(
                    number, ((urldefrag(s.url).fragment, s.hash, vectors[s.hash]) for s in sections)
                )
        except UNFIT as error:
            reason = f"{type(error).__name__}: {error}"
            return DeadLetter(change.seq, change.id, str(change.record.get("url") or ""), reason)
        return None


@contextmanager
def _sync_errors() -> Iterator[None]:
    try:
        yield
    except IndexFileError as error:
        raise SyncError(str(error)) from error
    except OSError as error:
        raise SyncError(f"The search index cannot be written: {error}.") from error


def _read(cursor: str | None) -> Cursor | None:
    return Cursor(**loads(cursor)) if cursor else None


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
