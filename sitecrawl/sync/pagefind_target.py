"""Pagefind as a target: a folder of static files with a search page, for any web server.

Pagefind makes its bundle as a whole, so every synchronisation with a change rebuilds it from the
log. The names of its files contain hashes of their content, except for that of the entry file:
this one is replaced after all others, and files of the bundle before it stay until the next
rebuild, for pages that are still open.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import zlib
from asyncio.subprocess import DEVNULL, PIPE, Process
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import chain, count
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import urldefrag, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from pagefind.service import get_executable

from sitecrawl import install_command
from sitecrawl.frontier.base import Change
from sitecrawl.frontier.change_log import DeadLetter, ExpectedCount
from sitecrawl.policy.documents.output_shapes import serialized
from sitecrawl.sync.page_sections import content_blocks
from sitecrawl.sync.target import (
    LOCK,
    Cursor,
    SyncError,
    TargetLock,
    TargetMismatchError,
    TargetOptions,
    folder_of,
    replace_json,
    replace_text,
)
from sitecrawl.web.languages import primary_language

GZIP = b"\x1f\x8b"
BUNDLE, NEW_BUNDLE = "pagefind", "pagefind.new-"
ENTRY, STATE = "pagefind-entry.json", "sitecrawl.json"
GENERATOR = '<meta name="generator" content="sitecrawl">'
BUNDLE_VERSION = 2
MAX_TEXT = 1_000_000  # characters of a page
COMMENTS_WEIGHT = 0.5  # of their words, beside those of the text
DEFAULT_LANGUAGE = "en"
DATES = ("modified_at", "published_at", "last_changed_at", "first_seen_at")
END = b","
IN_FLIGHT = 64
"""Pages sent and not answered yet; the pipe to the program holds a few of them, it takes them in turn."""
MAX_ANSWER = 16 * 2**20
"""Bytes of an answer, of which that to a page repeats its title."""
SECONDS = 600
"""Longest time for an answer: of the bundle to be written, and of one page."""


class PagefindTarget:
    """A folder with a search page and a bundle: ``pagefind:///FOLDER``."""

    incremental: ClassVar[bool] = False

    def __init__(self, uri: str, options: TargetOptions) -> None:  # noqa: ARG002 - as every target
        self._uri = uri
        self.folder = folder_of(uri)
        self._lock = TargetLock(self.folder / LOCK, self.folder)

    def mapping(self) -> str:
        """Return the version of the pages that are indexed."""
        return f"pagefind {BUNDLE_VERSION}"

    def cursor(self) -> Cursor | None:
        """Read the cursor in the bundle. Raises TargetMismatchError for another program's."""
        with self._errors():
            state = self._state()
            if not state and (self.folder / BUNDLE / ENTRY).exists():
                raise TargetMismatchError(
                    f"{self._uri}: {BUNDLE} is another program's; give another folder."
                )
            return Cursor(**state["cursor"]) if state else None

    def open(self) -> Cursor | None:
        """Lock the folder; read the cursor. Raises TargetMismatchError for another bundle."""
        with self._errors():
            self._lock.take()
            return self.cursor()

    def fault(self, expected: ExpectedCount) -> str:  # noqa: ARG002 - it holds more than documents
        """Look for the files of the bundle."""
        with self._errors():
            names = self._state().get("files", ())
            missing = sum(not (self.folder / BUNDLE / name).exists() for name in names)
        return f"lacks {missing} of its {len(names)} files" if missing else ""

    def documents(self) -> Sequence[tuple[str, str]]:
        """Return nothing: the bundle cannot be compared."""
        return ()

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:  # noqa: ARG002
        """Raise SyncError: the bundle is only made as a whole."""
        raise SyncError(f"{self._uri} cannot take single changes.")

    @contextmanager
    def rebuild(self) -> Iterator[DocumentSpool]:
        """Collect all documents; then make the bundle and replace the old one."""
        self.open()
        with self._errors(), DocumentSpool() as spool:
            yield spool
            for old in self.folder.glob(f"{NEW_BUNDLE}*"):
                shutil.rmtree(old, ignore_errors=True)
            # Of its own: the process that Pagefind runs in survives a sync that is killed.
            new = Path(mkdtemp(prefix=NEW_BUNDLE, dir=self.folder)).resolve()
            new.chmod(self.folder.stat().st_mode)
            asyncio.run(self._build(spool, new))
            self._publish(spool, new)

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()

    async def _build(self, spool: DocumentSpool, new: Path) -> None:
        default, several_sites = next(iter(spool.languages)), len(spool.sites) > 1
        pages = (
            (
                urldefrag(str(page[0].get("url") or "")).url,
                page_markup(page, default, with_site=several_sites),
            )
            for page in spool.pages()
        )
        async with PagefindService() as service:
            index = await service.create_index()
            await service.add_pages(index, pages)
            async with asyncio.timeout(SECONDS):
                await service.write_files(index, new)
                while not _is_whole(new):  # noqa: ASYNC110 - another process writes, and must not end yet
                    await asyncio.sleep(0.05)

    def _publish(self, spool: DocumentSpool, new: Path) -> None:
        """Move the new bundle into place, its entry file last; then write page and cursor."""
        bundle = self.folder / BUNDLE
        state = self._state()
        if not state:  # a first bundle that is only partly in place is ours, and has read nothing
            bundle.mkdir(exist_ok=True)
            unread = asdict(replace(spool.cursor, seq=0, hash=""))
            replace_json(bundle / STATE, {"cursor": unread, "files": []})
        before = set(state.get("files", ()))
        names = sorted(str(path.relative_to(new)) for path in new.rglob("*") if path.is_file())
        for name in sorted(names, key=lambda name: name == ENTRY):
            (bundle / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).replace(bundle / name)
        shutil.rmtree(new)
        self._write_page(spool)
        kept = {*names, *before, STATE}
        for path in [path for path in bundle.rglob("*") if path.is_file()]:
            if str(path.relative_to(bundle)) not in kept:
                path.unlink()
        replace_json(bundle / STATE, {"cursor": asdict(spool.cursor), "files": names})

    def _write_page(self, spool: DocumentSpool) -> None:
        """Write the search page, unless the folder has one of another author."""
        index = self.folder / "index.html"
        if index.exists() and GENERATOR not in index.read_text("utf-8", "replace"):
            return
        for name in ("search.js", "search.css"):
            text = (files("sitecrawl.sync") / "pagefind_page" / name).read_text("utf-8")
            replace_text(self.folder / name, text)
        page = (
            _templates()
            .get_template("index.html")
            .render(
                language=next(iter(spool.languages)),
                site=", ".join(sorted(spool.sites)) if len(spool.sites) < 4 else "",
                languages=spool.languages,
                pages=len(spool),
                now=datetime.now(UTC),
            )
        )
        replace_text(index, page)

    def _state(self) -> dict[str, Any]:
        path = self.folder / BUNDLE / STATE
        state: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return state

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert failures of files and of Pagefind to one line."""
        try:
            yield
        except TimeoutError as error:
            raise SyncError(f"{self._uri}: Pagefind did not answer for {SECONDS} s.") from error
        except (OSError, ValueError) as error:
            raise SyncError(f"{self._uri} cannot be written: {error}.") from error


class _Place(NamedTuple):
    """Place of a document in the file, and the facts that are needed before it is read back."""

    offset: int
    page: str
    site: str
    language: str


class DocumentSpool:
    """Documents in a temporary file, the last change of each; pages are read back from it."""

    def __init__(self) -> None:
        self.cursor = Cursor("", "", "", 0)
        self._places: dict[str, _Place] = {}

    def __enter__(self) -> Self:
        """Create the file; it has no name, so that nothing is left of a killed process."""
        self._file = TemporaryFile()
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the file."""
        self._file.close()

    def __len__(self) -> int:
        """Number of pages."""
        return len({place.page for place in self._places.values()})

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Keep the changed documents, and forget the deleted ones."""
        for change in changes:
            record = change.record
            if change.op == "delete":
                self._places.pop(change.id, None)
                continue
            self._places[change.id] = _Place(
                self._file.seek(0, SEEK_END),
                str(record.get("page_id") or change.id),
                sys.intern(urlsplit(str(record.get("url") or "")).hostname or ""),
                sys.intern(primary_language(record.get("language"))),
            )
            self._file.write(serialized(record) + b"\n")
        self.cursor = cursor
        return []

    def pages(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the documents of each page: one, or its sections in their order."""
        pages: defaultdict[str, list[int]] = defaultdict(list)
        for place in self._places.values():
            pages[place.page].append(place.offset)
        for offsets in pages.values():
            records = [self._record(offset) for offset in offsets]
            yield sorted(records, key=lambda record: record.get("order") or 0)

    @property
    def sites(self) -> set[str]:
        """Hosts of the pages."""
        return {place.site for place in self._places.values()}

    @property
    def languages(self) -> dict[str, int]:
        """Primary languages of the documents with their number, the most frequent first."""
        known = Counter(place.language for place in self._places.values() if place.language)
        return dict(known.most_common()) or {DEFAULT_LANGUAGE: 0}

    def _record(self, offset: int) -> dict[str, Any]:
        self._file.seek(offset)
        record: dict[str, Any] = json.loads(self._file.readline())
        return record


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("sitecrawl.sync", "pagefind_page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def page_markup(
    documents: Sequence[Mapping[str, Any]], default_language: str, *, with_site: bool
) -> str:
    """Return a page as Pagefind reads it: text, headings with anchors, filters and sort key.

    ``documents`` is a page, or its sections in their order.
    """
    first = documents[0]
    title = str(first.get("title") or first.get("url") or "")
    blocks, left = [], MAX_TEXT
    for block in chain.from_iterable(map(content_blocks, documents)):
        left -= len(block.text)
        if left < 0:
            break
        if not block.level or block.text != title:
            level = min(max(block.level, 2), 6) if block.level else 0
            blocks.append((level, block.anchor, block.text))
    site = urlsplit(str(first.get("url") or "")).hostname if with_site else ""
    return (
        _templates()
        .get_template("document.html")
        .render(
            language=primary_language(first.get("language")) or default_language,
            title=title,
            filters={"site": site, "directory": first.get("url_path_dir1")},
            shown=next((str(first[name]) for name in DATES[:2] if first.get(name)), ""),
            sorted_by=next((str(first[name]) for name in DATES if first.get(name)), ""),
            blocks=blocks,
            comments="".join(str(each.get("comments") or "") for each in documents)[: max(left, 0)],
            comments_weight=COMMENTS_WEIGHT,
        )
    )


def _is_whole(bundle: Path) -> bool:
    """Return True if every file of a new bundle has been written to its end.

    Pagefind answers when the last bytes of some are still to be written.
    """
    for path in bundle.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if not content or (content.startswith(GZIP) and not _is_whole_gzip(content)):
                return False
    return (bundle / ENTRY).exists()


def _is_whole_gzip(content: bytes) -> bool:
    unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16)
    unpacked.decompress(content)
    return unpacked.eof


class PagefindService:
    """A running program, which ends with the block. Raises SyncError when it fails."""

    _process: Process

    def __init__(self) -> None:
        self._numbers = count(1)

    async def __aenter__(self) -> Self:
        """Start the program."""
        program = get_executable()
        if program is None:
            raise SyncError(f"Pagefind's program is missing: {install_command('pagefind')}.")
        self._process = await asyncio.create_subprocess_exec(
            program, "--service", stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=MAX_ANSWER
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the program."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        await self._process.wait()

    async def create_index(self) -> int:
        """Begin an empty index; return its number."""
        await self._send("NewIndex", config={})
        return int((await self._answer())["index_id"])

    async def add_pages(self, index: int, pages: Iterable[tuple[str, str]]) -> None:
        """Add pages, each with its URL and HTML, to an index."""
        unanswered = 0
        for url, markup in pages:
            if unanswered == IN_FLIGHT:
                await self._answer()
                unanswered -= 1
            values = {"file_contents": markup, "url": url, "file_path": None}
            await self._send("AddFile", index_id=index, **values)
            unanswered += 1
        for _ in range(unanswered):
            await self._answer()

    async def write_files(self, index: int, folder: Path) -> None:
        """Write the bundle to a folder."""
        await self._send("WriteFiles", index_id=index, output_path=str(folder))
        await self._answer()

    async def _send(self, kind: str, **values: Any) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        request = {"message_id": next(self._numbers), "payload": {"type": kind, **values}}
        stdin.write(b64encode(json.dumps(request).encode()) + END)
        with suppress(ConnectionError):  # reading the answer tells why
            await stdin.drain()

    async def _answer(self) -> dict[str, Any]:
        """Read the next answer; all that is asked of one to a page is that it is no error."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            text = await asyncio.wait_for(stdout.readuntil(END), SECONDS)
            payload: dict[str, Any] = json.loads(b64decode(text.removesuffix(END)))["payload"]
        except asyncio.IncompleteReadError as end:
            said = f": {end.partial[-200:]!r}" if end.partial else "."
            raise SyncError(f"Pagefind's program has ended{said}") from end
        except (ValueError, asyncio.LimitOverrunError) as wrong:
            raise SyncError(f"Pagefind's answer cannot be read: {wrong}") from wrong
        if payload["type"] == "Error":
            raise SyncError(f"Pagefind: {payload['message']}")
        return payload
