"""Archives as the source of a crawl in place of the network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

from sitecrawl.archive.captures import Capture, Captures

DECODED = frozenset({"content-encoding", "transfer-encoding", "content-length"})


class ArchivedResponse(NamedTuple):
    """A response from an archive: ``body`` is decoded; ``fields`` say nothing of its coding."""

    version: str
    status: int
    fields: list[tuple[bytes, bytes]]
    body: bytes
    address: str


class ArchiveSource:
    """The newest response of each URL in a folder of WARC files; raises as ``Captures`` does."""

    def __init__(self, folder: Path) -> None:
        self._captures = Captures(folder)
        self._captures.scan()

    def close(self) -> None:
        """Close the index."""
        self._captures.close()

    def find(self, url: str, limit: int) -> ArchivedResponse | None:
        """Return the newest response of a URL, with at most ``limit`` bytes of its body.

        None if there is none. Raises OSError and warcio's ArchiveLoadFailed for a damaged file.
        """
        capture = next(filter(None, map(self._captures.newest, spellings(url))), None)
        if capture is None:
            return None
        whole: Capture | None = capture
        if not capture.is_whole:
            whole = self._captures.with_body(capture.digest)
        if whole is None:
            return None
        unchanged = capture.status == 304
        head_of = whole if unchanged or capture.is_whole else capture
        with self._captures.path_of(whole).open("rb") as file:
            record = record_at(file, whole.position)
            body = record.content_stream().read(limit + 1)
        if head_of is not whole:
            with self._captures.path_of(head_of).open("rb") as file:
                record = record_at(file, head_of.position)
        return ArchivedResponse(
            record.http_headers.protocol or "HTTP/1.1",
            head_of.status,
            list(fields_of(record)),
            body,
            record.rec_headers.get_header("WARC-IP-Address") or "",
        )


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
