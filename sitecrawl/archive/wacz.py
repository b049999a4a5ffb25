"""Index (CDXJ) and package (WACZ 1.1.1) of a folder of WARC files, as readers of archives use them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote_to_bytes, urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from sitecrawl.archive.captures import OPEN, Capture, Captures, warc_files

INDEX = "index.cdxj"
VERSION = "1.1.1"
CHUNK = 1 << 20
PORTS = {"http": 80, "https": 443}
NUMBERED_WWW = re.compile(r"^www\d*\.")


def sort_key(url: str) -> str:
    """Return the key of a URL in indexes: SURT, without what seldom chooses the content.

    As pywb and the Wayback Machine make it: labels of the host reversed, no ``www``, no default
    port, all in lower case, parameters in order. Session ids stay.
    """
    parts = urlsplit(url)
    host = NUMBERED_WWW.sub("", (parts.hostname or "").lower())
    key = host if ":" in host else ",".join(reversed(host.split(".")))
    if parts.port not in (None, PORTS.get(parts.scheme)):
        key += f":{parts.port}"
    path = _escaped(parts.path).rstrip("/") or "/"
    query = "&".join(sorted(_escaped(parts.query).lower().split("&"))) if parts.query else ""
    return f"{key}){path.lower()}{'?' + query if query else ''}"


def _escaped(text: str) -> str:
    """Return a part of a URL with just those bytes escaped that an index cannot have as they are."""
    plain = unquote_to_bytes(text)
    return "".join(
        chr(each) if 32 < each < 127 and each not in b"#%" else f"%{each:02x}" for each in plain
    )


def cdxj_line(capture: Capture) -> str:
    """Return the line of a capture in an index."""
    timestamp = re.sub(r"\D", "", capture.time)[:14]
    fields = {
        "url": capture.url,
        "mime": capture.mime if capture.is_whole else "warc/revisit",
        "status": str(capture.status),
        "digest": capture.digest,
        "length": str(capture.length),
        "offset": str(capture.position),
        "filename": capture.file,
    }
    return f"{sort_key(capture.url)} {timestamp} {json.dumps(fields)}\n"


def write_index(captures: Captures, target: Path) -> int:
    """Write the index of all captures, sorted; return their number. Raises OSError."""
    lines = sorted(map(cdxj_line, captures))
    target.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def write_wacz(folder: Path, captures: Captures, target: Path, software: str) -> int:
    """Package the complete files of a folder; return the number of captures. Raises OSError."""
    index = folder / INDEX
    number = write_index(captures, index)
    resources: list[dict[str, Any]] = []
    with ZipFile(target, "w", ZIP_STORED, allowZip64=True) as package:
        for path in warc_files(folder):
            if not path.name.endswith(OPEN):
                with path.open("rb") as file:
                    resources.append(_add(package, f"archive/{path.name}", file))
        with index.open("rb") as file:
            resources.append(_add(package, "indexes/index.cdx", file))
        pages = "".join(pages_lines(captures)).encode()
        resources.append(_add_bytes(package, "pages/pages.jsonl", pages))
        about = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "software": software,
            "created": max((each.time for each in captures), default=""),
            "resources": resources,
        }
        data = json.dumps(about, indent=2).encode()
        _add_bytes(package, "datapackage.json", data)
        digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(data).hexdigest()}"}
        _add_bytes(package, "datapackage-digest.json", json.dumps(digest, indent=2).encode())
    return number


def pages_lines(captures: Captures) -> Iterator[str]:
    """Return the list of pages: whole documents of HTML, each URL once."""
    yield json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}) + "\n"
    known = set()
    for each in captures:
        if each.status == 200 and "html" in each.mime and each.url not in known:
            known.add(each.url)
            page_id = sha256(f"{each.url} {each.time}".encode()).hexdigest()[:32]
            yield json.dumps({"id": page_id, "url": each.url, "ts": each.time}) + "\n"


def _add(package: ZipFile, name: str, file: IO[bytes]) -> dict[str, Any]:
    found, size = sha256(), 0
    with package.open(name, "w", force_zip64=True) as target:
        while data := file.read(CHUNK):
            target.write(data)
            found.update(data)
            size += len(data)
    short = name.rpartition("/")[2]
    return {"name": short, "path": name, "hash": f"sha256:{found.hexdigest()}", "bytes": size}


def _add_bytes(package: ZipFile, name: str, data: bytes) -> dict[str, Any]:
    package.writestr(name, data, ZIP_DEFLATED)
    digest = f"sha256:{sha256(data).hexdigest()}"
    return {"name": name.rpartition("/")[2], "path": name, "hash": digest, "bytes": len(data)}
