"""Index of the captures in a folder of WARC files, and the responses read by it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

NAME = "captures.sqlite"
OPEN = ".open"
"""Suffix of a file that is being written, as of other crawlers."""
SUFFIXES = (".warc", ".warc.gz", f".warc.gz{OPEN}")
CHUNK = 65_536
SCHEMA = """
CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, size INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS capture (
    url TEXT NOT NULL,
    time TEXT NOT NULL,
    status INTEGER NOT NULL,
    digest TEXT NOT NULL,
    mime TEXT NOT NULL,
    is_whole INTEGER NOT NULL,
    file TEXT NOT NULL,
    position INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (file, position)
);
CREATE INDEX IF NOT EXISTS capture_of_url ON capture (url, time);
CREATE INDEX IF NOT EXISTS capture_of_digest ON capture (digest) WHERE is_whole;
"""
INSERT = "INSERT OR IGNORE INTO capture VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
FIELDS = "url, time, status, digest, mime, is_whole, file, position, length"
DECODED = frozenset({"content-encoding", "transfer-encoding", "content-length"})


class Capture(NamedTuple):
    """A response in an archive.

    ``url`` has no fragment, ``time`` is RFC 3339 in UTC, ``digest`` that of the body, as ``sha1:``
    and base32. ``is_whole``: the record has the body; a revisit (WARC 1.1, 6.7) names a capture
    that has it. ``position`` and ``length`` of the record are bytes of the ``file`` of that name.
    """

    url: str
    time: str
    status: int
    digest: str
    mime: str
    is_whole: bool
    file: str
    position: int
    length: int


class Captures:
    """The captures of all WARC files in a folder, in a database beside them.

    The database is brought up to date when it is opened, and by its writer; it may be deleted, and
    is made anew from the files. Where the folder cannot be written, it is in memory. Raises OSError
    if the folder cannot be read, sqlite3.Error if the database is damaged.
    """

    def __init__(self, folder: Path) -> None:
        next(folder.iterdir(), None)
        self._folder = folder
        try:
            self._database = sqlite3.connect(folder / NAME, timeout=30, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(SCHEMA)
        except sqlite3.OperationalError:
            self._database = sqlite3.connect(":memory:", isolation_level=None)
            self._database.executescript(SCHEMA)
        self._scan()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def add(self, capture: Capture, size: int) -> None:
        """Add a capture; ``size`` is that of its file, in bytes, with all of its records."""
        self._database.execute("BEGIN")
        self._database.execute(INSERT, capture)
        self._know(capture.file, size)
        self._database.execute("COMMIT")

    def _newest(self, url: str) -> Capture | None:
        return self._one("url = ? ORDER BY time DESC, position DESC", url)

    def newest_whole(self, url: str) -> Capture | None:
        """Return the newest capture of a URL that has its body and the status 200."""
        return self._one("url = ? AND is_whole AND status = 200 ORDER BY time DESC", url)

    def with_body(self, digest: str) -> Capture | None:
        """Return a capture that has the body of a digest."""
        return self._one("digest = ? AND is_whole", digest)

    def response(self, url: str, limit: int) -> ArchivedResponse | None:
        """Return the newest response of a URL, with at most ``limit`` + 1 bytes of its body.

        None if there is none. Raises OSError and warcio's ArchiveLoadFailed for a damaged file.
        """
        capture = next(filter(None, map(self._newest, spellings(url))), None)
        if capture is None:
            return None
        whole = capture if capture.is_whole else self.with_body(capture.digest)
        if whole is None:
            return None
        head_of = whole if capture.status == 304 else capture
        with self._path_of(whole).open("rb") as file:
            record = record_at(file, whole.position)
            body = record.content_stream().read(limit + 1)
        if head_of is not whole:
            with self._path_of(head_of).open("rb") as file:
                record = record_at(file, head_of.position)
        return ArchivedResponse(
            record.http_headers.protocol or "HTTP/1.1",
            head_of.status,
            list(fields_of(record)),
            body,
        )

    def __iter__(self) -> Iterator[Capture]:
        """Return all captures, in the order of their files."""
        return (Capture(*row) for row in self._select("TRUE ORDER BY file, position"))

    def _scan(self) -> None:
        """Add what the files have and the database lacks, up to the last whole record of each."""
        known = dict(self._database.execute("SELECT name, size FROM file"))
        for path in warc_files(self._folder):
            name, begin = path.name.removesuffix(OPEN), known.get(path.name.removesuffix(OPEN), 0)
            if path.stat().st_size > begin:
                self._scan_file(path, name, begin)

    def _path_of(self, capture: Capture) -> Path:
        path = self._folder / capture.file
        return path if path.exists() else path.with_name(path.name + OPEN)

    def _scan_file(self, path: Path, name: str, begin: int) -> None:
        end = end_of_whole_records(path, begin) if ".gz" in path.name else path.stat().st_size
        self._database.execute("BEGIN")
        self._database.executemany(INSERT, captures_in(path, name, begin, end))
        self._know(name, end)
        self._database.execute("COMMIT")

    def _know(self, name: str, size: int) -> None:
        self._database.execute("INSERT OR REPLACE INTO file VALUES (?, ?)", (name, size))

    def _one(self, condition: str, value: str) -> Capture | None:
        found = next(self._select(f"{condition} LIMIT 1", value), None)
        return Capture(*found) if found else None

    def _select(self, condition: str, *values: str) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {FIELDS} FROM capture WHERE {condition}"  # noqa: S608 -- ours
        return iter(self._database.execute(query, values))


def warc_files(folder: Path) -> list[Path]:
    """Return the WARC files of a folder, in the order of their names."""
    return sorted(each for each in folder.iterdir() if each.name.endswith(SUFFIXES))


def captures_in(path: Path, name: str, begin: int, end: int) -> Iterator[Capture]:
    """Return the captures of a file between two positions, in their order."""
    with path.open("rb") as file:
        file.seek(begin)
        records = ArchiveIterator(file)
        for record in records:
            position = begin + records.get_record_offset()
            if position >= end:
                return
            if record.rec_type not in {"response", "revisit"} or record.http_headers is None:
                continue
            headers = record.rec_headers
            url = headers.get_header("WARC-Target-URI") or ""
            status = record.http_headers.get_statuscode()
            kind = record.http_headers.get_header("Content-Type") or ""
            records.read_to_end()  # before its length is known
            yield Capture(
                url.strip("<>").partition("#")[0],
                headers.get_header("WARC-Date") or "",
                int(status) if status.isdigit() else 0,
                headers.get_header("WARC-Payload-Digest") or "",
                media_type(kind),
                record.rec_type == "response",
                name,
                position,
                int(records.get_record_length()),
            )


def media_type(header: str) -> str:
    """Return the media type of a Content-Type; ``unk`` without one, as indexes of archives have."""
    return header.partition(";")[0].strip().lower() or "unk"


def end_of_whole_records(path: Path, begin: int) -> int:
    """Return the position behind the last whole gzip member of a file; each record is one."""
    with path.open("rb") as file:
        file.seek(begin)
        end, waiting = begin, b""
        member = zlib.decompressobj(31)
        position = begin
        while data := waiting or file.read(CHUNK):
            try:
                member.decompress(data)
            except zlib.error:
                return end
            waiting = member.unused_data
            position += len(data) - len(waiting)
            if member.eof:
                end, member = position, zlib.decompressobj(31)
    return end


class ArchivedResponse(NamedTuple):
    """A response from an archive: ``body`` is decoded; ``fields`` say nothing of its coding."""

    version: str
    status: int
    fields: list[tuple[bytes, bytes]]
    body: bytes


def spellings(url: str) -> Iterator[str]:
    """Return the forms in which archives may have a URL: as requested, and escaped."""
    plain = url.partition("#")[0]
    yield plain
    escaped = quote(plain, safe="%/:=&?~#+!$,;'@()*[]|")
    if escaped != plain:
        yield escaped


def record_at(file: object, position: int) -> ArcWarcRecord:
    """Return the record at a position of a file."""
    file.seek(position)  # type: ignore[attr-defined]
    return next(ArchiveIterator(file))


def fields_of(record: ArcWarcRecord) -> Iterator[tuple[bytes, bytes]]:
    """Return the header fields of a response that do not describe the coding of its body."""
    for name, value in record.http_headers.headers:
        if name.lower() not in DECODED:
            yield name.title().encode("latin-1", "replace"), value.encode("latin-1", "replace")
