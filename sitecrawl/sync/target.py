"""Targets of `scrapy sync`: their interface, their kinds, and the parsing of their URIs."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

from scrapy.utils.misc import load_object

from sitecrawl import install_command
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter, ExpectedCount
from sitecrawl.policy.documents.document_options import DocumentOptions

REBUILD = "add --rebuild to rebuild it from the crawl database (nothing is fetched)"
LOCK = "sitecrawl.lock"


TARGETS: Mapping[str, tuple[str, str, str]] = {
    "sqlite": ("/search.sqlite", "search_file_target.SearchFileTarget", ""),
    "opensearch": ("localhost:9200/INDEX", "opensearch_target.OpenSearchTarget", "opensearch"),
    "elasticsearch": ("localhost:9200/INDEX", "opensearch_target.OpenSearchTarget", "opensearch"),
    "lancedb": ("/FOLDER", "lancedb_target.LanceDbTarget", "lancedb"),
    "pagefind": ("/FOLDER", "pagefind_target.PagefindTarget", "pagefind"),
}
"""Every kind of target, by the scheme of its URI; the suffix ``+https`` selects TLS.

Each has an example of what follows in its URI, its class, and the extra with the package that it
needs.
"""


class SyncError(Exception):
    """A target cannot be synchronised; the text gives the reason and the remedy."""


class TargetUriError(SyncError):
    """A URI does not name a target."""


class TargetMismatchError(SyncError):
    """A target holds another crawl, or documents in another shape."""


class TargetBusyError(SyncError):
    """Another process writes to a target."""

    def __init__(self, target: object) -> None:
        super().__init__(f"Another scrapy sync writes to {target}; run one at a time.")


class TargetUnreachableError(SyncError):
    """A target does not respond, or still asks to wait after all retries."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position of a target in the log of a crawl database, and the shape of its documents.

    ``crawl`` is the random id of the crawl database, ``realm`` is empty if all realms are read,
    ``mapping`` is a digest of everything that shapes a document for the target. ``epoch`` is the
    random id of the copy of the database that was read, ``hash`` that of the change with this
    ``seq``, both empty while the target is compared with the database; ``comparison`` is the number
    of comparisons that have written to it.
    """

    crawl: str
    realm: str
    mapping: str
    seq: int
    epoch: str = ""
    hash: str = ""
    comparison: int = 0


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Options of a crawl that matter to its targets: the shape of documents, and the function that
    makes vectors, as ``package.module:function``.
    """

    documents: DocumentOptions = field(default_factory=DocumentOptions)
    embed: str = ""


def target_options(params: CrawlParams) -> TargetOptions:
    """Return the options for the targets of a crawl."""
    return TargetOptions(params.document_options(), params.embed)


class ChangeReceiver(Protocol):
    """Anything that changes can be written to, in the order of their seq."""

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write the changes and the cursor; return those that the target refused for good.

        Raises TargetUnreachableError if a later attempt may succeed.
        """


class SyncTarget(ChangeReceiver, Protocol):
    """A store that is kept equal to the documents of a crawl.

    ``apply`` is called with changes in the order of their seq, and with the cursor after them. It
    must store the cursor together with the changes or after them: changes may be repeated, and are
    then followed by all later ones. Before the first ones, a target that keeps its cursor elsewhere
    stores one with seq 0: documents without a cursor are refused. One process at a time writes to a
    target. A comparison writes the documents that the target lacks in the order of their seq, then
    deletes those that it has too many; a write of a later ``comparison`` always wins.

    A target that is not ``incremental`` is only filled by ``rebuild``, from the whole log.
    """

    incremental: ClassVar[bool]

    def mapping(self) -> str:
        """Return what shapes a document for the target, as text; a change needs a rebuild."""

    def cursor(self) -> Cursor | None:
        """Return the cursor, None for a target that is to be made; change and lock nothing.

        Raises SyncError.
        """

    def open(self) -> Cursor | None:
        """Connect, and take the write lock if there is one; return the cursor, None for a new
        target. Raises SyncError.
        """

    def fault(self, expected: ExpectedCount) -> str:
        """Return what somebody else has added or removed, as words after the target's name, or "".

        It may be called after ``cursor`` alone, as ``documents``. Raises SyncError.
        """

    def documents(self) -> Iterable[tuple[str, str]]:
        """Return id and hash of the last change of each document that sync has written, the hash
        empty for one that is incomplete. Raises SyncError.
        """

    def rebuild(self) -> AbstractContextManager[ChangeReceiver]:
        """Open a new, empty target, which replaces this one when the context ends without an error.
        Raises SyncError.
        """

    def close(self) -> None:
        """Release the connections."""


def open_target(uri: str, options: TargetOptions) -> SyncTarget:
    """Return the target of a URI; nothing is touched before its ``open``. Raises TargetUriError."""
    scheme = uri.partition(":")[0].removesuffix("+https")
    if scheme not in TARGETS or "://" not in uri:
        examples = ", ".join(f"{name}://{rest}" for name, (rest, *_) in TARGETS.items())
        raise TargetUriError(f"{shown_target(uri)!r} is not a target; give one of {examples}")
    rest, path, extra = TARGETS[scheme]
    try:
        make: Callable[[str, TargetOptions], SyncTarget] = load_object(f"sitecrawl.sync.{path}")
    except ImportError as error:
        needs = f"A target {scheme}://{rest} needs {error.name}: {install_command(extra)}."
        raise TargetUriError(needs) from error
    return make(uri, options)


def shown_target(uri: str) -> str:
    """Return a target's URI without user name and password, as stored and logged."""
    return re.sub(r"://(?!/).*@", "://", uri)  # a password may have a / that is not encoded


def digest(mapping: str) -> str:
    """Return a short digest of a mapping, for the cursor."""
    return sha256(mapping.encode()).hexdigest()[:16]


def folder_of(uri: str) -> Path:
    """Return the folder of ``SCHEME:///FOLDER``; raises TargetUriError."""
    scheme, _, path = uri.partition(":///")
    if not path:
        raise TargetUriError(f"{uri!r} names no folder; write {scheme.partition(':')[0]}:///FOLDER")
    return Path(path)


class TargetLock:
    """A lock of one process on a target, as a file that is locked until it is closed."""

    def __init__(self, file: Path, target: Path) -> None:
        self._path = file
        self._target = target
        self._file: IO[str] | None = None

    def take(self, *, shared: bool = False) -> None:
        """Lock the target for this process, or beside others that share it.

        The folder is made if it is missing. Raises TargetBusyError if another process has locked
        it, OSError if it cannot be written.
        """
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a")
        try:
            fcntl.flock(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TargetBusyError(self._target) from error

    def release(self) -> None:
        """Give the lock to others."""
        if self._file is not None:
            self._file.close()
            self._file = None


def replace_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file that readers see either as it was or as a whole."""
    replace_text(path, json.dumps(content))


def replace_text(path: Path, text: str) -> None:
    """Write a text file that readers see either as it was or as a whole."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
