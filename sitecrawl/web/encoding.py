"""Character encodings as browsers detect and decode them (Encoding Standard, HTML 13.2.3)."""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import to_unicode

from sitecrawl.web.japanese_encodings import JAPANESE_CODECS, read_japanese

CODECS = {
    "big5": "big5hkscs",
    "euc-jp": "euc_jis_2004",  # to encode; japanese_encodings decodes it, and iso-2022-jp
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "ibm866": "cp866",
    "iso-2022-jp": "iso2022_jp_ext",
    "iso-8859-8-i": "iso8859_8",
    "macintosh": "mac_roman",
    "replacement": "ascii",
    "shift_jis": "cp932",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-user-defined": "latin-1",
}

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 "
    "iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 "
    "iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 "
    "iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 "
    "iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 "
    "iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 "
    "iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 "
    "iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual",
    "iso-8859-8-i": "csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
    "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "gb18030": "gb18030",
    "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "utf-16be": "unicodefffe utf-16be",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "x-user-defined": "x-user-defined",
}

LABELS = {label: name for name, labels in _LABELS.items() for label in labels.split()}


# HTML demands 1,024 bytes; browsers continue to the end of the head, which can be long.
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
# Tags and comments as in the prescan (HTML, 13.2.3.2); a quoted > does not end a tag.
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
    """Return the text of ``body`` and the standard name of its encoding. Never raises.

    In order: byte order mark, header, declaration in the document (HTML, 13.2.3.2), UTF-8 if the
    bytes are valid UTF-8, windows-1252. ``content_type`` is the header's value; a declaration in
    the document counts for HTML and XML only.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return read(body[len(bom) :], name), name
    name = _unmarked_encoding(body, content_type)
    return read(body, name), name


MAX_UNCHECKED = 1_000_000  # bytes; an error makes three bytes of one


def decode_to_utf8(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """Return ``body`` in UTF-8 without byte order mark, and its encoding as in ``decode``.

    UTF-8 is left as it is, errors included: not decoding it saves 2 % of the time to read a page.
    In a large body errors are replaced, so that its length says how much text it makes, and null
    characters removed, as parsers ignore them (HTML, 13.2.6.4.7) after making three bytes of each.
    """
    if not body.startswith(_MARKS):
        name = _unmarked_encoding(body, content_type)
        if len(body) > MAX_UNCHECKED and not name.startswith("utf-16") and b"\0" in body:
            body = body.replace(b"\0", b"")
        if name == "utf-8" and (len(body) <= MAX_UNCHECKED or _is_utf8(body)):
            return body, name
        return read(body, name).encode("utf-8", "replace"), name
    text, name = decode(body, content_type)
    return text.encode("utf-8", "replace"), name


def _unmarked_encoding(body: bytes, content_type: str | None) -> str:
    """Return the encoding of a body without a byte order mark."""
    name = header_encoding(content_type) or declared_encoding(body, content_type)
    return name or ("utf-8" if _is_utf8(body) else "windows-1252")


def read(body: bytes, name: str) -> str:
    """Decode ``body`` from an encoding of the standard; undecodable bytes become U+FFFD."""
    if name == "replacement":
        return "\ufffd" if body else ""
    if name in JAPANESE_CODECS:
        return read_japanese(body, name)
    text = to_unicode(body, CODECS.get(name, name))
    return text.translate(_USER_DEFINED) if name == "x-user-defined" else text


def encoding_of(label: str) -> str | None:
    """Return the encoding that ``label`` names; None for labels unknown to browsers."""
    return LABELS.get(label.strip(" \t\r\n\f\"'").lower())


def header_encoding(content_type: str | None) -> str | None:
    """Return the encoding that a Content-Type header declares."""
    match = _CHARSET.search(content_type) if content_type and "=" in content_type else None
    return encoding_of(match[1] or match[2] or match[3] or "") if match else None


def declared_encoding(body: bytes, content_type: str | None) -> str | None:
    """Return the encoding that an HTML or XML document declares at its beginning."""
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
    """Return the encoding of the XML declaration."""
    match = _XML_ENCODING.match(head.lstrip())
    return _inner(encoding_of(match[1].decode("latin-1"))) if match else None


def _meta_encoding(body: bytes) -> str | None:
    """Return the encoding of the first meta element that declares a known one."""
    end = PRESCAN_BYTES
    for number, match in enumerate(_MARKUP.finditer(body, 0, end)):
        if number == EARLY:  # not earlier: it costs more than most pages need
            end = body[:end].lower().rfind(b"charset")
        if match.start() > end:
            break
        if (match["name"] or b"").lower() == b"meta" and (name := _of_meta(match["attributes"])):
            return name
    return None


def _of_meta(raw: bytes) -> str | None:
    """Return the encoding that the attributes of one meta element declare."""
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
    """Return the encoding that a label inside the document means.

    UTF-16 means UTF-8, because the label was read as ASCII.
    """
    if name in {"utf-16le", "utf-16be"}:
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _is_utf8(body: bytes) -> bool:
    """Return True if ``body`` is UTF-8; it may be truncated within a character."""
    try:
        _, complete = codecs.utf_8_decode(body, "strict", False)  # noqa: FBT003
    except UnicodeDecodeError:
        return False
    return complete == len(body) or not body[:complete].isascii()
