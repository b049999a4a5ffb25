"""New text of pages: what a reader would miss if a page were left out.

In a list that other pages make, every difference counts, numbers included. A kind of page that feeds
itself (calendars, counters, mixes of facets) makes differences without end: there a line must be new
without its digits, its names of months and days, and the words of the page's URL; or a table of
numbers must be new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from sitecrawl.policy.worth.kinds import parameters_of

MAX_LINES = 250_000
"""Number of different lines remembered of an origin; further lines always count as new."""
MIN_TABLE = 6
"""Number of lines without letters on a page that are a table of numbers."""

_CALENDAR = re.compile(
    r"\b(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[iyjg]|jui?n|giu|jui?l|lug|ag[ou]|aug|ao[uû]|"
    r"sep|set|o[ckt]t|out|nov|de[czs]|di[ce]|[eg]en|"
    r"mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mar|mer|jeu|ven|dim|gio|dom|"
    r"mi[eé]|jue|vie|seg|ter|qua|qui|sex|s[aá]b|maa|din|woe|vri|zat|zon)\w*",
    re.IGNORECASE,
)
"""Names of days and months in nine languages, and what begins like them."""
_LETTER = re.compile(r"[^\W\d_]")
_MARKS = re.compile(r"[\W\d_]+")


@dataclass(slots=True)
class Novelty:
    """The lines of all pages of an origin that were read, as CRC-32 hashes.

    ``bare`` are those of pages that feed themselves, without digits, dates and the words of URLs.
    """

    lines: set[int] = field(default_factory=set)
    bare: set[int] = field(default_factory=set)

    def add(self, url: str, text: str, *, feeds_itself: bool) -> bool:
        """Add the text of a page; return True if a reader would miss it."""
        lines = text.split("\n")
        keys = [crc32(each.encode("utf-8", "surrogatepass")) for each in lines]
        unseen = [line for line, key in zip(lines, keys, strict=True) if self._add(self.lines, key)]
        whole = self._add(self.lines, crc32(repr(sorted(set(keys))).encode()))
        if not feeds_itself:
            return whole
        own = words_of(url)
        bare = [*bare_lines(unseen, own), *tables(lines)]
        new = [each for each in bare if self._add(self.bare, crc32(each.encode()))]
        return bool(new)

    def _add(self, known: set[int], key: int) -> bool:
        if key in known:
            return False
        if len(known) < MAX_LINES:
            known.add(key)
        return True


def words_of(url: str) -> frozenset[str]:
    """Return the words of a URL's parameters, which its page repeats."""
    if "?" not in url:
        return frozenset()
    return frozenset(
        word.lower() for _, value in parameters_of(url) for word in _MARKS.split(value) if word
    )


def bare_lines(lines: Iterable[str], own: frozenset[str]) -> Iterator[str]:
    """Yield lines without marks, digits, names of days and months, and ``own`` words."""
    for line in lines:
        words = _MARKS.split(_CALENDAR.sub(" ", line).lower())
        if bare := " ".join(each for each in words if each and each not in own):
            yield bare


def tables(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines that have no letters as one table of numbers, if they are enough."""
    numbers = [each for each in lines if each and not _LETTER.search(each)]
    if len(numbers) >= MIN_TABLE:
        yield "\n".join(numbers)
