"""Writer of WARC 1.1 files, one gzip member a record (ISO 28500:2017, annex D)."""

from __future__ import annotations

import fcntl
import os
import time
from base64 import b32encode
from collections.abc import Iterable
from hashlib import sha1
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sitecrawl.archive.captures import OPEN, Capture, Captures, end_of_whole_records, media_type

VERSION = "1.1"
MAX_SIZE = 1_000_000_000
"""Bytes after which a new file is begun, as the standard recommends."""
UNCHANGED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
SENT = frozenset(
    b"accept accept-encoding accept-language connection from host if-modified-since "
    b"if-none-match referer user-agent".split()
)
"""Headers of requests that are archived: any other may hold a secret."""
UNFRAMED = frozenset({"Transfer-Encoding", "Content-Length"})


class Exchanged(NamedTuple):
    """A request and its response: ``body`` is unchunked and still has its content coding."""

    url: str
    request: bytes
    version: str
    status: int
    fields: list[tuple[bytes, bytes]]
    body: bytes
    address: str


class WarcWriter:
    """Writer of exchanges into a file of its own in a folder, with a new file after ``MAX_SIZE``.

    A file that is open has the suffix ``.open`` and a lock. The file of a writer that was killed
    is cut to its last whole record. Raises OSError.
    """

    def __init__(self, folder: Path, agent: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._agent = folder, agent
        self._number = 0
        self._file: IO[bytes] | None = None
        self._writer: WARCWriter | None = None
        recover(folder)
        self.captures = Captures(folder)

    def write(self, exchanged: Exchanged) -> None:
        """Write a request and its response; what is known by its body or by a 304 is a revisit."""
        file, writer = self._opened()
        position = file.tell()
        digest = "sha1:" + b32encode(sha1(exchanged.body, usedforsecurity=False).digest()).decode()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        url = exchanged.url.partition("#")[0]
        known, profile = self._known(url, exchanged, digest)
        headers = response_headers(exchanged)
        common = {"WARC-Date": now, "WARC-IP-Address": exchanged.address}
        if known is None:
            response = writer.create_warc_record(
                url,
                "response",
                payload=BytesIO(exchanged.body),
                http_headers=headers,
                warc_headers_dict={**common, "WARC-Payload-Digest": digest},
            )
        else:
            response = writer.create_revisit_record(
                url, known.digest, known.url, known.time, headers, common
            )
            if profile:
                response.rec_headers.replace_header("WARC-Profile", profile)
        line, sent = request_headers(exchanged.request)
        request = writer.create_warc_record(
            url,
            "request",
            http_headers=StatusAndHeaders(line, sent, is_http_request=True),
            warc_headers_dict={"WARC-Date": now},
        )
        response_id = response.rec_headers.get_header("WARC-Record-ID")
        request.rec_headers.add_header("WARC-Concurrent-To", response_id)
        writer.write_record(response)
        capture = Capture(
            url,
            now,
            exchanged.status,
            known.digest if known else digest,
            media_type(headers.get_header("Content-Type") or ""),
            known is None,
            Path(file.name).name.removesuffix(OPEN),
            position,
            file.tell() - position,
        )
        writer.write_record(request)
        file.flush()
        self.captures.add(capture, file.tell())

    def close(self) -> None:
        """Complete the file."""
        self._complete()
        self.captures.close()

    def _known(
        self, url: str, exchanged: Exchanged, digest: str
    ) -> tuple[Capture | None, str | None]:
        """Return the capture that has the body of a response, and the profile of the revisit."""
        if exchanged.status == HTTPStatus.NOT_MODIFIED:
            return self.captures.newest_whole(url), UNCHANGED
        return (self.captures.with_body(digest) if exchanged.body else None), None

    def _opened(self) -> tuple[IO[bytes], WARCWriter]:
        if self._file is not None and self._file.tell() >= MAX_SIZE:
            self._complete()
        if self._file is None or self._writer is None:
            stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime())
            name = f"sitecrawl-{stamp}-{os.getpid()}-{self._number:05}.warc.gz{OPEN}"
            self._number += 1
            self._file = (self._folder / name).open("xb")
            fcntl.flock(self._file, fcntl.LOCK_EX)
            self._writer = WARCWriter(self._file, gzip=True, warc_version=VERSION)
            about = {"software": self._agent, "format": f"WARC File Format {VERSION}"}
            info = self._writer.create_warcinfo_record(name.removesuffix(OPEN), about)
            self._writer.write_record(info)
        return self._file, self._writer

    def _complete(self) -> None:
        if self._file is None:
            return
        path = Path(self._file.name)
        self._file.flush()
        os.fsync(self._file.fileno())
        path.rename(path.with_name(path.name.removesuffix(OPEN)))
        self._file.close()
        self._file = self._writer = None


def recover(folder: Path) -> None:
    """Complete the files of writers that were killed: cut each to its last whole record."""
    for path in folder.glob(f"*.warc.gz{OPEN}"):
        with path.open("r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            file.truncate(end_of_whole_records(path, 0))
            if path.exists():
                path.rename(path.with_name(path.name.removesuffix(OPEN)))


def response_headers(exchanged: Exchanged) -> StatusAndHeaders:
    """Return the head of a response, with the length of the body as it is archived."""
    fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in exchanged.fields]
    kept = [field for field in fields if field[0] not in UNFRAMED]
    if exchanged.body or any(name == "Content-Length" for name, _ in fields):
        kept.append(("Content-Length", str(len(exchanged.body))))
    try:
        phrase = HTTPStatus(exchanged.status).phrase
    except ValueError:
        phrase = ""
    return StatusAndHeaders(f"{exchanged.status} {phrase}".strip(), kept, exchanged.version)


def request_headers(sent: bytes) -> tuple[str, list[tuple[str, str]]]:
    """Return the request line of a request, and those of its headers that hold no secret."""
    first, *lines = sent.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return first.decode("latin-1"), list(_named(lines))


def _named(lines: Iterable[bytes]) -> Iterable[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() in SENT:
            yield name.decode("latin-1"), value.strip().decode("latin-1")
