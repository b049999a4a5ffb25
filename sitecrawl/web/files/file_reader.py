"""Reader of one file: detects its format by its bytes, and calls the reader of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from sitecrawl.web.files.formats import FORMAT_OF_TYPE, OLE, ZIP, sniff_file
from sitecrawl.web.files.markup import FileMarkup, UnreadableFileError

_OPENDOCUMENT = ("opendocument", "read_opendocument")
_READERS = {
    "pdf": ("pdf", "read_pdf"),
    "docx": ("office", "read_docx"),
    "pptx": ("office", "read_pptx"),
    "xlsx": ("office", "read_xlsx"),
    "odt": _OPENDOCUMENT,
    "odp": _OPENDOCUMENT,
    "ods": _OPENDOCUMENT,
    "epub": ("epub", "read_epub"),
}
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")  # MS-OFFCRYPTO, 2.3.4.4


def reader_of(name: str) -> Callable[[bytes], FileMarkup]:
    """Return the reader of a format; raises ImportError if its package is not installed."""
    module, function = _READERS[name]
    reader: Callable[[bytes], FileMarkup] = getattr(
        import_module(f"sitecrawl.web.files.{module}"), function
    )
    return reader


def load_readers(names: Iterable[str]) -> None:
    """Import the readers of formats, so that reading a file opens no other file."""
    for name in names:
        reader_of(name)


def read_file(body: bytes, kind: str) -> FileMarkup:
    """Convert a file to HTML by the format of its bytes; ``kind`` is its media type.

    Raises UnreadableFileError, and any exception of a reader.
    """
    found = sniff_file(body) or kind
    if found == OLE:
        if _ENCRYPTED_OFFICE in body:
            raise UnreadableFileError("file_encrypted", "the document needs a password")
        raise UnreadableFileError("file_unsupported", "a file of Office 97-2003 or another old one")
    file_format = FORMAT_OF_TYPE.get(kind if found == ZIP else found)
    if file_format is None or not file_format.readable:
        title = file_format.title if file_format is not None else found
        raise UnreadableFileError("file_unsupported", f"{title} is not read")
    if file_format.name != "pdf" and not body.startswith(b"PK"):
        raise UnreadableFileError("file_broken", f"no {file_format.title} file by its bytes")
    if file_format.name == "pdf" and sniff_file(body) != "application/pdf":
        raise UnreadableFileError("file_broken", "no PDF by its bytes")
    return reader_of(file_format.name)(body)
