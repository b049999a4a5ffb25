"""URL identity: normal form, identity key, hash and document id.

They are compared and hashed, never requested: requests use the URL as found.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from hashlib import sha256
from urllib.parse import quote

DEFAULT_REALM = "default"
# Without default.htm(l): Django's documentation has a page of that name as well as index.html.
DEFAULT_PAGES = frozenset(
    {
        *("index.html", "index.htm", "index.php"),
        *("default.asp", "default.aspx", "Default.asp", "Default.aspx"),
    }
)
FOLDS = ("trailing_slash", "slashes", "query_order")
"""Spellings that are the same page, as options name them."""

_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_SLASHES = re.compile(r"/{2,}")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# The URL Standard (1.3) escapes these only in paths or only in queries, and generators of links
# differ: no server treats the two spellings as two pages.
_EITHER_WAY = "[]^|`{}\"'"
_PLAIN = frozenset(_UNRESERVED + _EITHER_WAY)
_OCTET = re.compile("%([0-9A-Fa-f]{2})")
_ALL_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def normal_form(url: str) -> str:
    """A resolved URL with every character in its normal spelling, for rules and identity.

    Unreserved characters, brackets, quotes and the like are plain; other escapes have upper-case
    hex digits. Idempotent, never raises.
    """
    return _PERCENT.sub(_percent, url) if "%" in url else url


def normal_text(text: str) -> str:
    """A part of a URL from a user's option, in the spelling of ``normal_form``."""
    if not text.isascii() or " " in text:
        text = quote(text, safe=_ALL_ASCII)
    return _OCTET.sub(_percent, text) if "%" in text else text


def normal_pattern(pattern: str) -> str:
    """A regular expression for URLs with its escapes in the spelling of ``normal_form``."""
    return _OCTET.sub(lambda octet: _escaped(_percent(octet)), pattern)


def identity_key(
    url: str,
    *,
    default_pages: AbstractSet[str] = DEFAULT_PAGES,
    fold: AbstractSet[str] = frozenset(FOLDS),
) -> str:
    """The common key of all spellings of a resolved URL. Idempotent, never raises.

    Without ``default_pages``, ``/a/`` and ``/a/index.html`` are two URLs. In ``fold``,
    ``slashes`` replaces ``//`` by one slash, ``trailing_slash`` drops the last slash,
    ``query_order`` sorts parameters by name and keeps the order of repeated ones.
    """
    url, mark, query = normal_form(url).partition("?")
    start = url.find("/", url.find("://") + 3)
    if start < 0 or not url.startswith("http"):
        return url + mark + query
    path = url[start:]
    if "slashes" in fold and "//" in path:
        path = _SLASHES.sub("/", path)
    if "query_order" in fold and "&" in query:
        query = _sorted_query(query)
    pages = frozenset() if query else default_pages
    path = _fold_end(path, pages, slash="trailing_slash" in fold)
    return f"{url[:start]}{path}?{query}" if query else url[:start] + path


def fingerprint(key: str) -> int:
    """The signed 64-bit hash of an identity key: the first half of its document id."""
    digest = sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


def document_id(key: str, realm: str = DEFAULT_REALM) -> str:
    """The id of the document of an identity key: the first 32 hex digits of the key's SHA-256.

    A realm other than the default one is hashed before the key, separated by a line feed, which
    no key contains.
    """
    named = key if realm == DEFAULT_REALM else f"{realm}\n{key}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _percent(match: re.Match[str]) -> str:
    """Normal form of a percent sign or escape: a plain character, or upper-case hex.

    A stray sign becomes ``%25``, so that the characters after it are never read as hex.
    """
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _PLAIN else "%" + digits.upper()


def _escaped(spelling: str) -> str:
    """A character escaped for a pattern; percent escapes have no special characters."""
    return spelling if spelling.startswith("%") else re.escape(spelling)


def _fold_end(path: str, default_pages: AbstractSet[str], *, slash: bool) -> str:
    """``path`` without default page names and, if ``slash``, without slashes at its end."""
    while True:
        folder, _, name = path.rpartition("/")
        if name in default_pages:
            path = folder + "/"
        elif not name and folder and slash:
            path = folder
        else:
            return path or "/"


def _sorted_query(query: str) -> str:
    """The parameters sorted by name; equal names keep their order, empty ones are dropped."""
    parameters = [parameter for parameter in query.split("&") if parameter]
    return "&".join(sorted(parameters, key=lambda parameter: parameter.partition("=")[0]))
