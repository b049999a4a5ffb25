"""Formats of files that can be read: media types, extensions, and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
OLE = "application/x-ole-storage"
ZIP = "application/zip"
# Media types that servers send for any file (RFC 2046, 4.5.1, and those of download scripts).
GENERIC_TYPES = frozenset(
    {
        *("application/octet-stream", "binary/octet-stream", "application/binary"),
        *("application/download", "application/force-download", "application/x-download"),
        *("application/x-force-download", "application/save", "application/x-unknown"),
        *("application/zip", "application/x-zip-compressed", OLE),
    }
)
_PDF_START = 1024  # bytes within which readers accept the signature (ISO 32000-1, annex H.3.4.1)
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Names searched in the first local headers and in the central directory, at the end.
_PARTS = {"docx": b"word/", "pptx": b"ppt/", "xlsx": b"xl/"}
_NAMES_AT_ENDS = 65_536


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format: its media types, the registered one first, and its file extensions.

    ``module`` is the third-party module that its reader imports. A format that is not ``readable``
    is only recognised, so that its files are not mistaken for broken ones.
    """

    name: str
    title: str
    types: tuple[str, ...]
    extensions: tuple[str, ...]
    module: str = ""
    readable: bool = True


FORMATS: tuple[FileFormat, ...] = (
    FileFormat(
        "pdf", "PDF", ("application/pdf", "application/x-pdf"), ("pdf",), module="pypdfium2"
    ),
    FileFormat("docx", "Word", (f"{_OOXML}.wordprocessingml.document",), ("docx",)),
    FileFormat("pptx", "PowerPoint", (f"{_OOXML}.presentationml.presentation",), ("pptx",)),
    FileFormat("xlsx", "Excel", (f"{_OOXML}.spreadsheetml.sheet",), ("xlsx",)),
    FileFormat("odt", "OpenDocument text", (f"{_ODF}.text",), ("odt",)),
    FileFormat("odp", "OpenDocument presentation", (f"{_ODF}.presentation",), ("odp",)),
    FileFormat("ods", "OpenDocument spreadsheet", (f"{_ODF}.spreadsheet",), ("ods",)),
    FileFormat("epub", "EPUB", ("application/epub+zip",), ("epub",)),
    FileFormat("doc", "Word 97-2003", ("application/msword",), ("doc",), readable=False),
    FileFormat("xls", "Excel 97-2003", ("application/vnd.ms-excel",), ("xls",), readable=False),
    FileFormat(
        "ppt", "PowerPoint 97-2003", ("application/vnd.ms-powerpoint",), ("ppt",), readable=False
    ),
)
FORMAT_OF_TYPE: Mapping[str, FileFormat] = {kind: each for each in FORMATS for kind in each.types}
READABLE = tuple(each for each in FORMATS if each.readable)


def is_file_type(kind: str) -> bool:
    """Return True for the media type of a known format, readable or not."""
    return kind in FORMAT_OF_TYPE


def sniff_file(body: bytes) -> str:
    """Return the media type of a file by its bytes; empty if it has none of these formats.

    A ZIP archive of no known format is ``application/zip``; an OLE container, which old Office
    files and encrypted new ones are, is ``application/x-ole-storage``.
    """
    if body.startswith(b"%PDF-") or b"%PDF-" in body[:_PDF_START]:
        return "application/pdf"
    if body.startswith(_OLE_MARK):
        return OLE
    if not body.startswith(b"PK\x03\x04"):
        return ""
    declared = _declared_package(body)
    if declared:
        return declared
    names = body[:_NAMES_AT_ENDS] + body[-_NAMES_AT_ENDS:]
    if b"[Content_Types].xml" not in names and b"_rels/.rels" not in names:
        return ZIP
    found = [name for name, part in _PARTS.items() if part in names]
    by_name = {each.name: each for each in FORMATS}
    return by_name[found[0]].types[0] if found else ZIP


def _declared_package(body: bytes) -> str:
    """Return the type in the first part of OpenDocument (1.2-3, 3.3) and EPUB packages."""
    name = int.from_bytes(body[26:28], "little")
    extra = int.from_bytes(body[28:30], "little")
    if body[30 : 30 + name] != b"mimetype":
        return ""
    text = body[30 + name + extra :][:100]
    found = [kind for kind in FORMAT_OF_TYPE if text.startswith(kind.encode())]
    return max(found, key=len, default="")


def canonical_type(kind: str) -> str:
    """Return the registered media type of a format; any other type as it is."""
    found = FORMAT_OF_TYPE.get(kind)
    return found.types[0] if found is not None else kind


def wanted_formats(kinds: Iterable[str]) -> tuple[FileFormat, ...]:
    """Return the readable formats among media types."""
    wanted = set(map(canonical_type, kinds))
    return tuple(each for each in READABLE if each.types[0] in wanted)


def wanted_extensions(kinds: Iterable[str]) -> set[str]:
    """Return the extensions of the readable formats among media types."""
    return {extension for each in wanted_formats(kinds) for extension in each.extensions}


def media_types(words: Iterable[str], pages: Iterable[str]) -> tuple[str, ...]:
    """Expand words to media types.

    A word is a media type, the name of a format, ``pages``, or ``files`` for all formats. Raises
    ValueError for any other word.
    """
    names = {each.name: each.types for each in FORMATS}
    names["files"] = tuple(kind for each in READABLE for kind in each.types)
    names["pages"] = tuple(pages)
    found: list[str] = []
    for word in map(str.lower, words):
        if "/" not in word and word not in names:
            raise ValueError(f"{word!r} is no media type, nor one of {', '.join(names)}")
        found += names.get(word, (word,))
    return tuple(dict.fromkeys(map(canonical_type, found)))
