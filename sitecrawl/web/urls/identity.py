"""URL identity: normal form, identity key, hash and document id.

These are compared and hashed, never requested: requests use the URL as found.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from hashlib import sha256
from urllib.parse import quote

DEFAULT_REALM = "default"
# Without default.htm(l): Django's documentation has a page of that name beside index.html.
DEFAULT_PAGES = frozenset(
    {
        *("index.html", "index.htm", "index.php"),
        *("default.asp", "default.aspx", "Default.asp", "Default.aspx"),
    }
)


_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_SLASHES = re.compile(r"/{2,}")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# The URL Standard (1.3) escapes these in a path and not in a query, or the reverse, and what
# writes links escapes them or not: no server takes the two spellings for two pages.
_EITHER_WAY = "[]^|`{}\"'"
_PLAIN = frozenset(_UNRESERVED + _EITHER_WAY)
_OCTET = re.compile("%([0-9A-Fa-f]{2})")
_ALL_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def normal_form(url: str) -> str:
    """A resolved URL with every character in its one spelling: what rules and identity see.

    Unreserved characters, brackets, quotes and the like are plain, other escapes have hex in
    capitals. Idempotent, never raises.
    """
    return _PERCENT.sub(_percent, url) if "%" in url else url


def normal_text(text: str) -> str:
    """A part of a URL, as a user writes it in an option, in the spelling of ``normal_form``."""
    if not text.isascii() or " " in text:
        text = quote(text, safe=_ALL_ASCII)
    return _OCTET.sub(_percent, text) if "%" in text else text


def normal_pattern(pattern: str) -> str:
    """A regular expression on URLs with its escapes in the spelling of ``normal_form``."""
    return _OCTET.sub(lambda octet: _escaped(_percent(octet)), pattern)


def identity_key(
    url: str,
    *,
    default_pages: AbstractSet[str] = DEFAULT_PAGES,
    fold_slashes: bool = True,
    fold_trailing_slash: bool = True,
    sort_query: bool = True,
) -> str:
    """The text that two spellings of a resolved URL share. Idempotent, never raises.

    Without ``default_pages``, ``/a/`` and ``/a/index.html`` are two URLs; ``fold_slashes``
    makes ``//`` one slash, ``fold_trailing_slash`` drops the last one, ``sort_query``
    orders parameters by name, repeated ones staying in their order.
    """
    url, mark, query = normal_form(url).partition("?")
    start = url.find("/", url.find("://") + 3)
    if start < 0 or not url.startswith("http"):
        return url + mark + query
    path = url[start:]
    if fold_slashes and "//" in path:
        path = _SLASHES.sub("/", path)
    if sort_query and "&" in query:
        query = _sorted_query(query)
    path = _fold_end(path, frozenset() if query else default_pages, slash=fold_trailing_slash)
    return f"{url[:start]}{path}?{query}" if query else url[:start] + path


def fingerprint(key: str) -> int:
    """The signed 64-bit hash of an identity key: the first half of its document id."""
    digest = sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


def document_id(key: str, realm: str = DEFAULT_REALM) -> str:
    """The id of the document under an identity key: 32 hex digits of its SHA-256.

    In a realm other than the default one the realm is hashed with it, apart by a line feed,
    which no key has.
    """
    named = key if realm == DEFAULT_REALM else f"{realm}\n{key}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _percent(match: re.Match[str]) -> str:
    """One percent sign in its one form: plain characters as such, hex in capitals.

    A stray sign becomes ``%25``: no later reading may take what follows it for hex.
    """
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _PLAIN else "%" + digits.upper()


def _escaped(spelling: str) -> str:
    """A character as a pattern names it; what stays an escape has nothing special in it."""
    return spelling if spelling.startswith("%") else re.escape(spelling)


def _fold_end(path: str, default_pages: AbstractSet[str], *, slash: bool) -> str:
    """``path`` without default page names and, by ``slash``, trailing slashes at its end."""
    while True:
        folder, _, name = path.rpartition("/")
        if name in default_pages:
            path = folder + "/"
        elif not name and folder and slash:
            path = folder
        else:
            return path or "/"


def _sorted_query(query: str) -> str:
    """Parameters by name, the order of equal names kept, empty ones dropped."""
    parameters = [parameter for parameter in query.split("&") if parameter]
    return "&".join(sorted(parameters, key=lambda parameter: parameter.partition("=")[0]))
