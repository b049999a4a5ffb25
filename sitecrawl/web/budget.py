"""Bounds on the memory of a parsed page, estimated from its tags before the parse.

A tree takes up to 100 times the bytes of its markup: an element of three bytes takes 190,
an attribute of two 230. Names are kept in a hash table of fixed size, so that each name that
was not met before costs the more the more there are.
"""

from __future__ import annotations

import random
import re

# Bytes of lexbor's nodes, measured: resident memory over 200,000 of each.
ELEMENT, TEXT, ATTRIBUTE = 190, 140, 230
MAX_TREE = 115_000_000  # bytes; the largest of Debian's manuals, of 8.4 MB, takes 105
CHUNK = 65_536
MAX_NAMES = 5_000  # of elements or attributes; no page of Debian's manuals has 150
FEW_NAMES = 150_000  # bytes of markup that hold too few names to matter: a tenth of a second
SAMPLE = 4_096  # bytes of each chunk in which names are counted first

_TAGS = re.compile(rb"<[a-zA-Z][^<>]*")
_VALUES = re.compile(rb"=[\t\n\f\r ]*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s\"'>]*)")
_PARTS = re.compile(rb"[^\s/\"'<>=]+")


def fitting(markup: bytes, max_tree: int = MAX_TREE) -> bytes:
    """The beginning of markup whose tree takes at most ``max_tree`` bytes, by estimate."""
    if len(markup) * ATTRIBUTE <= max_tree * 2 or _rough(markup) <= max_tree:
        return markup
    size = end = 0
    while end < len(markup):
        start, end = end, _end_of_chunk(markup, end)
        size += _estimate(markup[start:end])
        if size > max_tree:
            return markup[:start]
    return markup


def without_new_names(markup: bytes) -> bytes:
    """Markup whose elements and attributes have at most ``MAX_NAMES`` names; others are ``x``."""
    if len(markup) <= FEW_NAMES or not _has_many_names(markup):
        return markup
    known: set[bytes] = set()

    def renamed(name: re.Match[bytes]) -> bytes:
        word = name[0].lower()
        if word in known or len(known) < MAX_NAMES:
            known.add(word)
            return name[0]
        return b"x"

    def simplified(tag: re.Match[bytes]) -> bytes:
        return _PARTS.sub(renamed, _VALUES.sub(b"", tag[0]))

    return _TAGS.sub(simplified, markup)


def _rough(markup: bytes) -> int:
    """An upper bound of the estimate, from counts of single bytes."""
    tags, ends = markup.count(b"<"), markup.count(b"</")
    separators = sum(map(markup.count, (b" ", b"\n", b"\t", b"/", b"\r", b"\f", b'"', b"'")))
    elements = tags - ends + markup.count(b"</p")
    return elements * ELEMENT + tags * TEXT + max(0, separators - ends) * ATTRIBUTE


def _estimate(chunk: bytes) -> int:
    """The bytes of a chunk's nodes."""
    tags = chunk.count(b"<")
    starts = _TAGS.findall(chunk)
    texts = tags - chunk.count(b"><")
    attributes = len(_PARTS.findall(_VALUES.sub(b" ", b" ".join(starts)))) - len(starts)
    others = tags - len(starts) - chunk.count(b"</")  # comments
    others += max(0, chunk.count(b"</p>") - chunk.count(b"<p"))  # an end tag that makes one
    return (len(starts) + others) * ELEMENT + texts * TEXT + attributes * ATTRIBUTE


def _end_of_chunk(markup: bytes, start: int) -> int:
    """Where a chunk ends, between two tags where there are any nearby."""
    if start + CHUNK >= len(markup):
        return len(markup)
    end = markup.rfind(b"<", start + 1, start + CHUNK)
    return end if end > start else start + CHUNK


def _has_many_names(markup: bytes) -> bool:
    """Whether there are more different names than in any page of authors.

    All are only counted where samples have many, from places that no page can foresee.
    """
    names: set[bytes] = set()
    for start in range(0, len(markup), CHUNK):
        place = start + random.randrange(CHUNK - SAMPLE)  # noqa: S311 -- no secret
        names.update(_names(markup[place : place + SAMPLE]))
    if len(names) * CHUNK <= MAX_NAMES * SAMPLE:
        return False
    for start in range(0, len(markup), CHUNK):
        names.update(_names(markup[start : start + CHUNK]))
        if len(names) > MAX_NAMES:
            return True
    return False


def _names(part: bytes) -> list[bytes]:
    """The names of elements and attributes in a part of the markup."""
    return _PARTS.findall(_VALUES.sub(b" ", b" ".join(_TAGS.findall(part))))
