"""URL templates: the common form of the URLs of pages that one program generates.

A template consists of the shape of the path and the names of the parameters. It is a guess from
the URL alone: names of directories are kept; numbers, dates, ids and page names are replaced by
their kind.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_plus

NUMBER, DATE, ID, WORD = "<number>", "<date>", "<id>", "<word>"
"""Kinds of variable parts of a path."""
MAX_SEGMENTS = 12
"""Maximum number of path segments in a template; deeper ones become ``<deeper>``."""
DEEPER = "<deeper>"
MAX_PARAMETERS = 16
"""Maximum number of different parameter names in a template, in alphabetical order."""
MAX_DIRECTORY_NAME = 24
"""Maximum length of a directory name, in characters; longer ones name a page or user."""
# Not typed by a person: long, with alternating letters and digits, or a very long number.
_LONG = re.compile(r"[\w~-]{12,}")
# The latter is the short form of a revision in Mercurial.
_LONG_NUMBER = re.compile(r"[0-9a-fA-F]{16,}|\d{10,}|(?=[a-f]*\d)[0-9a-f]{12}")
_TURN = re.compile(r"[a-zA-Z](?=\d)|\d(?=[a-zA-Z])")
_TURNS = 3
_DATE = re.compile(r"(?:19|20)\d\d[-._]?(?:0?[1-9]|1[0-2])(?:[-._]?[0-3]?\d)?")
_NUMERIC = re.compile(r"\d[\d.,_-]*")
_NAME_AND_NUMBER = re.compile(r"([A-Za-z]+[-_.]?)\d+")  # page2, item-17, v1
_SUFFIXES = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,5}(?:[-_][A-Za-z]{2,4})?){1,3}")
_NAMESPACE = re.compile(r"([A-Za-z_]+(?::|%3A))[^:]", re.IGNORECASE)  # Special:Search
_SLUG = re.compile(r"[-_+%]")
_MIN_SLUG_MARKS = 3  # the-title-of-a-page, not user-guide
DEFAULT_NAMES = frozenset({"index", "default", "home", "welcome", "main"})


class UrlTemplate(NamedTuple):
    """The shape of a path, and the names of the parameters in alphabetical order.

    Two URLs of an origin with equal templates are assumed to be pages of one kind. The origin is
    not part of the template.
    """

    path: str
    parameters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the template in readable form: ``/wiki/<word>?action&oldid``."""
        return f"{self.path}?{'&'.join(self.parameters)}" if self.parameters else self.path


@lru_cache(maxsize=8192)  # called for the link, the fetch and the page in turn
def url_template(url: str) -> UrlTemplate:
    """Return the template of an absolute URL; pure, never raises, takes a few microseconds.

    ``https://example.org/2026/11/some-title.html?page=2&sort=a`` has the template
    ``/<number>/<number>/<word>.html?page&sort``.
    """
    start = url.find("/", url.find("://") + 3)
    path, _, query = (url[start:] if start >= 0 else "/").partition("?")
    names: tuple[str, ...] = ()
    if query:
        parts = query.replace(";", "&").split("&") if ";" in query else query.split("&")
        found = {unquote_plus(part.partition("=")[0]) for part in parts if part}
        names = tuple(sorted(found))[:MAX_PARAMETERS]
    return UrlTemplate(_path_shape(path), names)


def is_opaque(value: str) -> bool:
    """Return True if a value looks like a generated id."""
    if _LONG_NUMBER.fullmatch(value):
        return True
    return _LONG.fullmatch(value) is not None and len(_TURN.findall(value)) >= _TURNS


def _path_shape(path: str) -> str:
    segments = path.split("/")
    if len(segments) > MAX_SEGMENTS + 1:
        segments = [*segments[:MAX_SEGMENTS], DEEPER, segments[-1]]
    last = len(segments) - (2 if not segments[-1] else 1)  # /a/b/ is a page b, as /a/b is
    return "/".join(
        _page_shape(segment) if place == last else _directory_shape(segment)
        for place, segment in enumerate(segments)
    )


@lru_cache(maxsize=4096)
def _directory_shape(segment: str) -> str:
    """Return the shape of a directory: its name, unless it is one of many."""
    if not segment or (segment.isalpha() and len(segment) <= MAX_DIRECTORY_NAME):
        return segment
    name, mark, _ = segment.partition(";")
    if mark:
        return _directory_shape(name) + ";"
    kind = _kind(segment)
    if kind:
        return kind
    if len(segment) > MAX_DIRECTORY_NAME or len(_SLUG.findall(segment)) >= _MIN_SLUG_MARKS:
        return WORD
    return segment


@lru_cache(maxsize=4096)
def _page_shape(segment: str) -> str:
    """Return the shape of the last segment: its kind with its suffixes, e.g. ``<word>.html.en``."""
    if not segment:
        return segment
    name, mark, _ = segment.partition(";")
    if mark:
        return _page_shape(name) + ";"
    dot = segment.find(".", 1)
    while dot > 0 and not _SUFFIXES.fullmatch(segment, dot):
        dot = segment.find(".", dot + 1)
    stem, suffix = (segment[:dot], segment[dot:]) if dot > 0 else (segment, "")
    if stem in DEFAULT_NAMES:
        return segment
    if kind := _kind(stem):
        return kind + suffix
    namespace = _NAMESPACE.match(stem)
    return (namespace[1] if namespace else "") + WORD + suffix


def _kind(text: str) -> str:
    """Return the kind of a text; "" for a plain word."""
    if text.isalpha() and len(text) < 16:  # the shortest hexadecimal id
        return ""
    if text[:1].isdigit() and _DATE.fullmatch(text) and len(text) > 4:
        return DATE
    if is_opaque(text):
        return ID
    if _NUMERIC.fullmatch(text):
        return NUMBER
    named = _NAME_AND_NUMBER.fullmatch(text)
    return named[1] + NUMBER if named else ""
