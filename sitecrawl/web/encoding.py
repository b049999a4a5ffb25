"""Bytes of a response to text, by the encoding that a browser would take."""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import to_unicode

from sitecrawl.web import japanese
from sitecrawl.web.encoding_labels import CODECS, LABELS

# Browsers promise 1,024 bytes and go on to the end of the head; heads can be long.
PRESCAN_BYTES = 65536
EARLY = 10  # tags and comments; by then most pages have declared their encoding

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_MARKS = tuple(bom for bom, _ in _BOMS)
_CHARSET = re.compile(r"""charset\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s;,"']+))""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
# Tags and comments as the prescan steps over them (HTML, 13.2.3.2); a quoted > ends no tag.
_MARKUP = re.compile(
    rb"""<!--(?:>|->|.*?(?:-->|\Z))
    |<(?P<name>meta(?=[\s/])|/?[a-z][^\s>]*)(?P<attributes>(?:[^>"']++|"[^"]*"|'[^']*'|["'])*)
    |<[!/?][^>]*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    rb"""[\s/]*(=?[^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""", re.DOTALL
)
_USER_DEFINED = {byte: 0xF700 + byte for byte in range(0x80, 0x100)}


def decode(body: bytes, content_type: str | None) -> tuple[str, str]:
    """The text of ``body`` and the Encoding Standard's name of its encoding. Never raises.

    Byte order mark, then header, then what the document declares (HTML, 13.2.3.2); without
    any of these UTF-8 if the bytes are that, else windows-1252. ``content_type`` is the
    header's value; a type that is neither HTML nor XML declares nothing inside.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return read(body[len(bom) :], name), name
    name = _unmarked_encoding(body, content_type)
    return read(body, name), name


def decode_to_utf8(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """``body`` in UTF-8 without byte order mark, and its encoding: what ``decode`` says.

    UTF-8 stays as it is, errors included; not to decode it saves a page 2 % of its reading.
    """
    if not body.startswith(_MARKS):
        name = _unmarked_encoding(body, content_type)
        return body if name == "utf-8" else read(body, name).encode("utf-8", "replace"), name
    text, name = decode(body, content_type)
    return text.encode("utf-8", "replace"), name


def _unmarked_encoding(body: bytes, content_type: str | None) -> str:
    """The encoding of a body without a byte order mark."""
    name = header_encoding(content_type) or declared_encoding(body, content_type)
    return name or ("utf-8" if _is_utf8(body) else "windows-1252")


def read(body: bytes, name: str) -> str:
    """``body`` in the encoding of that name of the standard; what cannot be read is U+FFFD."""
    if name == "replacement":
        return "\ufffd" if body else ""
    if name in japanese.CODECS:
        return japanese.read_japanese(body, name)
    text = to_unicode(body, CODECS.get(name, name))
    return text.translate(_USER_DEFINED) if name == "x-user-defined" else text


def encoding_of(label: str) -> str | None:
    """The encoding that ``label`` names, or None where browsers know no such label."""
    return LABELS.get(label.strip(" \t\r\n\f\"'").lower())


def header_encoding(content_type: str | None) -> str | None:
    """The encoding that a Content-Type header declares."""
    match = _CHARSET.search(content_type) if content_type and "=" in content_type else None
    return encoding_of(match[1] or match[2] or match[3] or "") if match else None


def declared_encoding(body: bytes, content_type: str | None) -> str | None:
    """The encoding that an HTML or XML document declares at its beginning."""
    kind = (content_type or "html").lower()
    is_html = "html" in kind
    if not is_html and "xml" not in kind:
        return None
    if body[:1] == b"<" and body[1:2] == body[3:4] == b"\0":
        return "utf-16le"
    if body[:2] == b"\0<" and body[2:3] == b"\0":
        return "utf-16be"
    return (is_html and _meta_encoding(body)) or _xml_encoding(body[:PRESCAN_BYTES])


def _xml_encoding(head: bytes) -> str | None:
    """What the XML declaration at the beginning says."""
    match = _XML_ENCODING.match(head.lstrip())
    return _inner(encoding_of(match[1].decode("latin-1"))) if match else None


def _meta_encoding(body: bytes) -> str | None:
    """What the first meta element that declares a known encoding says."""
    end = PRESCAN_BYTES
    for number, match in enumerate(_MARKUP.finditer(body, 0, end)):
        if number == EARLY:  # where to stop costs more to find than most pages need
            end = body[:end].lower().rfind(b"charset")
        if match.start() > end:
            break
        if (match["name"] or b"").lower() == b"meta" and (name := _of_meta(match["attributes"])):
            return name
    return None


def _of_meta(raw: bytes) -> str | None:
    """The encoding that the attributes of one meta element declare."""
    attributes: dict[bytes, str] = {}
    for match in _ATTRIBUTE.finditer(raw):
        value = match[2] or match[3] or match[4] or b""
        attributes.setdefault(match[1].lower(), value.decode("latin-1"))
    if b"charset" in attributes:
        return _inner(encoding_of(attributes[b"charset"]))
    if attributes.get(b"http-equiv", "").strip().lower() != "content-type":
        return None
    return _inner(header_encoding(attributes.get(b"content")))


def _inner(name: str | None) -> str | None:
    """What a label inside the document means: it was read as ASCII, so it is not UTF-16."""
    if name in {"utf-16le", "utf-16be"}:
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _is_utf8(body: bytes) -> bool:
    """Whether ``body`` is UTF-8; one that shows it may end in the midst of a character."""
    try:
        _, complete = codecs.utf_8_decode(body, "strict", False)  # noqa: FBT003
    except UnicodeDecodeError:
        return False
    return complete == len(body) or not body[:complete].isascii()
