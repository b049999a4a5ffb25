"""Media types, declared or sniffed."""

from __future__ import annotations

import re
from functools import lru_cache

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
SNIFFED_BYTES = 1445
# Beginnings of an HTML document (WHATWG MIME Sniffing, 7.1).
_HTML = re.compile(
    rb"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta"
    rb"|link|frameset)[\s>]|<!--",
    re.IGNORECASE,
)
# Formats of its other patterns (7.1, 6) that may begin with many bytes that are valid in text.
_PRINT = (b"%PDF-", b"%!PS-Adobe-")
_NAME = r"[!#$%&'*+.^_`|~0-9a-z-]+"
_TYPE = re.compile(rf"(?:^|,)[ \t]*({_NAME}/{_NAME})")
_QUOTED = re.compile(r'"[^"]*"?')
# Types that mean unknown (MIME Sniffing, 7, step 1).
_UNKNOWN = frozenset({"unknown/unknown", "application/unknown", "*/*"})
# Types that servers send for unknown files (MIME Sniffing, 5.1).
_GUESSES = frozenset(
    {
        "text/plain",
        *(f"text/plain; charset={each}" for each in ("ISO-8859-1", "iso-8859-1", "UTF-8")),
    }
)
# Bytes that do not occur in text.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BOMS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


def media_type(content_type: str | None, body: bytes) -> str:
    """Return the bare media type in lower case, sniffed if the header declares none.

    Empty if the header declares none and the bytes are neither markup nor text.
    """
    return declared_type(content_type or "") or sniff(body)


@lru_cache(maxsize=64)
def declared_type(content_type: str) -> str:
    """Return the bare media type that a Content-Type header declares; empty if it declares none.

    Of several, as joined by proxies, the last counts (Fetch, 2.2.2); text that follows a type
    without a semicolon is ignored.
    """
    types = _TYPE.findall(_QUOTED.sub("", content_type.lower()))
    return next((each for each in reversed(types) if each not in _UNKNOWN), "")


def sniff(body: bytes) -> str:
    """Return ``text/html``, ``text/xml``, ``text/plain``; empty for binary and print formats."""
    if body.startswith(_PRINT):
        return ""
    if body.startswith(_BOMS[1:]):
        return "text/plain"
    start = body[:SNIFFED_BYTES].removeprefix(_BOMS[0]).lstrip(b"\t\n\f\r ")
    if _HTML.match(start):
        return "text/html"
    if start.startswith(b"<?xml"):
        return "text/xml"
    return "" if _BINARY.search(start) else "text/plain"


def is_no_text(content_type: str, body: bytes) -> bool:
    """Return True if a body is binary although its header declares text (MIME Sniffing, 7.2)."""
    return (
        content_type in _GUESSES
        and not body.startswith(_BOMS)
        and _BINARY.search(body, 0, SNIFFED_BYTES) is not None
    )


def is_html(kind: str) -> bool:
    """Return True for HTML in either syntax."""
    return kind in HTML_TYPES


def is_xml(kind: str) -> bool:
    """Return True for XML other than XHTML."""
    return kind in {"text/xml", "application/xml"} or (kind.endswith("+xml") and not is_html(kind))


def is_text(kind: str) -> bool:
    """Return True for plain text types."""
    return kind.startswith("text/")
