"""The search file as a target; pages and cursor change in one transaction, so exactly once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from json import dumps, loads
from pathlib import Path
from typing import ClassVar

from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter
from sitecrawl.search.search_index import INDEX_VERSION, IndexFileError, SearchIndex
from sitecrawl.sync.target import Cursor, SyncError, TargetOptions, TargetUriError

CURSOR = "cursor"


class SearchFileTarget:
    """A search index in one file, which `scrapy search` reads."""

    incremental: ClassVar[bool] = True

    def __init__(self, uri: str, options: TargetOptions) -> None:
        path = uri.removeprefix("sqlite:///")
        if not uri.startswith("sqlite:///") or not path:
            raise TargetUriError(f"{uri!r} names no file; write sqlite:///search.sqlite")
        self.path = Path(path)
        self._options = options
        self._index: SearchIndex | None = None
        self._stored: str | None = None

    def mapping(self) -> str:
        """Return the version of the index; its fields do not depend on the options."""
        return f"search file {INDEX_VERSION}"

    def open(self) -> Cursor | None:
        """Open the file; create it if it is missing."""
        with _sync_errors():
            self._index = SearchIndex(self.path, make=True)
            self._stored = self._index.meta(CURSOR)
        return Cursor(**loads(self._stored)) if self._stored else None

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write pages and cursor in one transaction, unless another process moved the cursor."""
        index, text = self._opened(), dumps(asdict(cursor))
        with _sync_errors(), index.transaction():
            if index.meta(CURSOR) != self._stored:
                raise SyncError(f"Another scrapy sync writes to {self.path}; run one at a time.")
            for change in changes:
                if change.op == "delete":
                    index.remove(change.id)
                else:
                    index.put(change.record)
            index.set_meta(CURSOR, text)
        self._stored = text
        return []

    @contextmanager
    def rebuild(self) -> Iterator[SearchFileTarget]:
        """Fill a second file, which replaces this one at the end without a gap for searches."""
        self.close()
        path = self.path.with_name(f"{self.path.name}.new")
        _remove(path)
        fresh = SearchFileTarget(f"sqlite:///{path}", self._options)
        try:
            fresh.open()
            yield fresh
            fresh.finish()
        finally:
            fresh.close()
        with _sync_errors():
            _remove(self.path)
            os.replace(path, self.path)  # noqa: PTH105

    def finish(self) -> None:
        """Move everything into the one file before it is renamed."""
        with _sync_errors():
            self._opened().checkpoint()

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _opened(self) -> SearchIndex:
        if self._index is None:
            raise SyncError(f"{self.path} is not open.")
        return self._index


@contextmanager
def _sync_errors() -> Iterator[None]:
    try:
        yield
    except IndexFileError as error:
        raise SyncError(str(error)) from error
    except OSError as error:
        raise SyncError(f"The search index cannot be written: {error}.") from error


def _remove(path: Path) -> None:
    """Remove a database file and its log, if they exist."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
