"""What makes two spellings one URL: the identity key, its hash, and the document's id.

The key is compared and hashed, never requested: requests use the URL as found.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from hashlib import sha256

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
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


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
    if "%" in url:
        url = _PERCENT.sub(_percent, url)
    url, mark, query = url.partition("?")
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
    """One percent sign in its one form: unreserved characters plain, hex in capitals.

    A stray sign becomes ``%25``: no later reading may take what follows it for hex.
    """
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else "%" + digits.upper()


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
