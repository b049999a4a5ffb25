"""Lenient streaming XML parser: one pass, element by element, as far as input is readable."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple
from xml.parsers import expat

from sitecrawl.web.encoding import CODECS, decode

TEXT_LIMIT = 16384  # of one element, characters
MAX_DEPTH = 5_000  # nested elements; a sitemap has three
MAX_TAG = 1_000_000  # characters of one tag, comment or declaration
MAX_BASES = 16  # nested; each is resolved for every entry

_STRAY_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
# Characters that XML 1.0 does not allow (2.2).
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CHARACTER_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
_LONGEST_REFERENCE = 12
_ENTITY = re.compile(r"&[A-Za-z_:][\w:.-]*;")


class Element(NamedTuple):
    """An element that has ended; names are in lower case without prefix, for attributes too.

    ``text`` is the text directly in it; ``base`` the xml:base values around it, outermost first.
    ``entity`` is True if text or attributes contain a reference to an entity that only the
    document's DTD defines; the reference is left as it is. A tuple because a sitemap has 150,000 of
    them.
    """

    name: str
    parent: str
    text: str
    attributes: dict[str, str]
    base: tuple[str, ...]
    entity: bool = False


class EntityRefusedError(Exception):
    """The document declares an entity: the beginning of an entity bomb."""


def read_text(chunks: Iterable[bytes]) -> Iterator[str]:
    """Decode the chunks of a document by its byte order mark, declaration or content.

    White space before the first character is dropped.
    """
    decoder: codecs.IncrementalDecoder | None = None
    is_start = True
    for piece in chunks:
        chunk = piece
        if decoder is None:
            if not chunk.startswith(codecs.BOM_UTF8):
                chunk = chunk.lstrip(b"\t\n\r ")
            if not chunk:
                continue
            _, name = decode(chunk, "text/xml")
            decoder = codecs.getincrementaldecoder(CODECS.get(name, name))("replace")
        text = decoder.decode(chunk)
        text = text.lstrip("\ufeff\t\n\r ") if is_start else text
        is_start = is_start and not text
        yield text
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def read_elements(
    pieces: Iterable[str], wanted: AbstractSet[str], problems: list[str]
) -> Iterator[Element]:
    """Yield the elements with ``wanted`` names, each when it ends; never raises.

    Repairs errors that other parsers reject: stray ampersands, unknown entities, forbidden
    characters, undeclared prefixes. Stops at errors that cannot be repaired; ``problems`` then
    receives ``malformed_xml`` or ``entity_refused``.
    """
    tree = _Tree(wanted)
    parser = tree.parser()
    unfinished, position = 0, -1
    try:
        for piece in _mended(pieces):
            parser.Parse(piece, False)  # noqa: FBT003
            yield from tree.take()
            unfinished = unfinished + len(piece) if parser.CurrentByteIndex == position else 0
            if unfinished > MAX_TAG or tree.is_too_deep:
                problems.append("malformed_xml")
                break
            position = parser.CurrentByteIndex
        else:
            parser.Parse("", True)  # noqa: FBT003
    except expat.ExpatError:
        problems.append("malformed_xml")
    except EntityRefusedError:
        problems.append("entity_refused")
    yield from tree.take()


class _Tree:
    """Parser handlers that track the open elements and collect the wanted ones."""

    def __init__(self, wanted: AbstractSet[str]) -> None:
        self._wanted = wanted
        self._open: list[tuple[str, dict[str, str]]] = []
        self._bases: list[tuple[int, str]] = []
        self._text: list[str] | None = None
        self._in_cdata = False
        self._has_dtd = False
        self._ended: list[Element] = []

    def parser(self) -> expat.XMLParserType:
        """Create a parser that calls these handlers."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = lambda: self._cdata(begins=True)
        parser.EndCdataSectionHandler = lambda: self._cdata(begins=False)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        return parser

    @property
    def is_too_deep(self) -> bool:
        """True if the nesting is deeper than in any legitimate file."""
        return len(self._open) > MAX_DEPTH

    def take(self) -> list[Element]:
        """Return the elements that ended since the last call."""
        ended, self._ended = self._ended, []
        return ended

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = _local(name)
        wanted = name in self._wanted
        self._text = [] if wanted else None
        if "xml:base" in attributes and len(self._bases) < MAX_BASES:
            self._bases.append((len(self._open), attributes["xml:base"][:TEXT_LIMIT]))
        if wanted and attributes:
            attributes = {_local(key): value for key, value in attributes.items()}
        self._open.append((name, attributes))

    def _end(self, _: str) -> None:
        name, attributes = self._open.pop()
        if name in self._wanted:
            parent = self._open[-1][0] if self._open else ""
            text = "".join(self._text or ())[:TEXT_LIMIT].strip()
            base = tuple(base for _, base in self._bases) if self._bases else ()
            entity = self._has_dtd and any(map(_ENTITY.search, (text, *attributes.values())))
            self._ended.append(Element(name, parent, text, attributes, base, entity))
        if self._bases and self._bases[-1][0] == len(self._open):
            self._bases.pop()
        self._text = None

    def _characters(self, text: str) -> None:
        if self._text is not None and len(self._text) < TEXT_LIMIT:
            self._text.append(text.replace("&amp;", "&") if self._in_cdata else text)

    def _cdata(self, *, begins: bool) -> None:
        self._in_cdata = begins

    def _doctype(self, *_: object) -> None:
        self._has_dtd = True

    def _entity(self, *declaration: object) -> None:
        # name, is_parameter, value, base, system, public, notation: only a value can expand
        if declaration[2] is not None:
            raise EntityRefusedError


def _mended(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the text from its first tag on, with invalid XML repaired."""
    rest = ""
    has_begun = False
    for piece in pieces:
        text = rest + piece
        if not has_begun:
            start = text.find("<")
            text, has_begun = (text[start:], True) if start >= 0 else ("", False)
        cut = text.find("&", max(0, len(text) - _LONGEST_REFERENCE))
        text, rest = (text, "") if cut < 0 else (text[:cut], text[cut:])
        yield _mend(text)
    yield _mend(rest)


def _mend(text: str) -> str:
    """Escape stray ampersands and replace forbidden characters."""
    text = _STRAY_AMPERSAND.sub("&amp;", _FORBIDDEN.sub("\ufffd", text))
    return _CHARACTER_REFERENCE.sub(_allowed_reference, text) if "&#" in text else text


def _allowed_reference(match: re.Match[str]) -> str:
    """Return a reference to a character that XML allows, or the replacement character."""
    code = int(match[1], 16) if match[1] else int(match[2])
    allowed = code <= 0x10FFFF and not _FORBIDDEN.match(chr(code))
    return match[0] if allowed else "\ufffd"


def _local(name: str) -> str:
    """Return a name in lower case without its prefix."""
    return name.rpartition(":")[2].lower()
