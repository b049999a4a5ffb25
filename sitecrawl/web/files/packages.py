"""ZIP packages of Office, OpenDocument and EPUB files, read within bounds."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import unquote

from lxml import etree

from sitecrawl.web.files.markup import UnreadableFileError

MAX_PARTS = 20_000
MAX_UNPACKED = 200_000_000  # bytes of all parts that are read
_CHUNK = 1_000_000
_ENCRYPTED = 0x1  # ZIP, general purpose bit 0


_HARMLESS = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


class Package:
    """A ZIP package. Every part that is read counts towards ``MAX_UNPACKED``."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, RuntimeError) as error:
            raise UnreadableFileError("file_broken", f"no whole ZIP package: {error}") from None
        infos = self._zip.infolist()
        if len(infos) > MAX_PARTS:
            raise UnreadableFileError("file_too_large", f"{len(infos)} parts")
        self._parts = {info.filename: info for info in infos}
        self._room = MAX_UNPACKED

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def read(self, name: str) -> bytes:
        """Return the bytes of a part; raise UnreadableFileError if missing, too large or broken."""
        info = self._parts.get(name)
        if info is None:
            raise UnreadableFileError("file_broken", f"{name} is missing")
        if info.flag_bits & _ENCRYPTED:
            raise UnreadableFileError("file_encrypted", "the package needs a password")
        buffer = BytesIO()
        try:
            with self._zip.open(info) as part:
                while chunk := part.read(_CHUNK):  # the size in the directory may be wrong
                    self._room -= len(chunk)
                    if self._room < 0:
                        raise UnreadableFileError(
                            "file_too_large", f"more than {MAX_UNPACKED // 1_000_000} MB unpacked"
                        )
                    buffer.write(chunk)
        except (
            *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
            RuntimeError,  # unsupported compression
        ) as error:
            raise UnreadableFileError("file_broken", f"{name}: {error}") from None
        return buffer.getvalue()

    def tree(self, name: str) -> Any:
        """Return the root element of an XML part.

        Entities are not expanded, and nothing is loaded. Broken XML is read as far as libxml2 can
        recover it.
        """
        markup = self.read(name)
        try:
            root = etree.fromstring(markup, etree.XMLParser(recover=True, **_HARMLESS))
        except etree.XMLSyntaxError as error:
            raise UnreadableFileError("file_broken", f"{name}: {error}") from None
        if root is None:
            raise UnreadableFileError("file_broken", f"{name} is no XML")
        if root.getroottree().docinfo.internalDTD is not None and b"<!ENTITY" in markup:
            raise UnreadableFileError("file_broken", f"{name} declares entities")
        return root

    def elements(self, name: str, tag: str) -> Iterator[Any]:
        """Yield the elements of a name in a large XML part; clear each after use."""
        if name not in self._parts:
            return
        events = etree.iterparse(
            BytesIO(self.read(name)), tag=f"{{*}}{tag}", recover=True, **_HARMLESS
        )
        for _, element in events:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]

    def optional_tree(self, name: str) -> Any | None:
        """Return the root element of an XML part, None if it is missing or broken."""
        try:
            return self.tree(name) if name in self._parts else None
        except UnreadableFileError as error:
            if error.fault != "file_broken":
                raise
            return None


def local(element: Any) -> str:
    """Return the name of an element without its namespace; empty for an entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any | None, name: str) -> str:
    """Return the value of an attribute of this name in any namespace, or an empty string."""
    for key, value in element.items() if element is not None else ():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def every(element: Any | None, *names: str) -> Iterator[Any]:
    """Yield the descendants of these names in any namespace; none of a missing element."""
    return iter(()) if element is None else element.iter(*(f"{{*}}{name}" for name in names))


def first(element: Any | None, name: str) -> Any | None:
    """Return the first descendant of this name in any namespace, or None."""
    return next(every(element, name), None)


def all_text(element: Any | None) -> str:
    """Return the text of an element and its descendants."""
    return "".join(element.itertext()) if element is not None else ""


def texts(element: Any | None, name: str) -> list[str]:
    """Return the texts of all descendants of this name."""
    return [all_text(each) for each in every(element, name)]


def join(base: str, target: str) -> str:
    """Resolve a relative reference from one part to another."""
    target = unquote(target.partition("#")[0])
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target))
