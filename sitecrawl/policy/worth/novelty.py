"""New text of pages: what a reader would miss if a page were left out.

In a list that other pages make, every difference counts, numbers included, but not the order of the
lines. A kind of page that feeds itself (calendars, counters, mixes of facets) makes differences without
end: there a line must be new without its digits, its names of months and days, and the words of the
page's URL; or several numbers must be new, or a table of them. A page below the one that links to it
(a mix of facets in a path) must have a line that is new but for the words of its URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from zlib import crc32

from sitecrawl.policy.worth.kinds import parameters_of
from sitecrawl.web.whitespace import line_parts

DATELESS, EXACT = 1, 2
"""Initial values of the hashes of lines without the words of URLs: without dates, and with them."""
MAX_LINES = 250_000
"""Number of different lines remembered of an origin; further ones always count as new."""
MIN_TABLE = 6
"""Number of lines without letters on a page that are a table of numbers."""
MIN_NUMBERS = 2
"""Number of new numbers of at least three digits that make a page a new one."""

_DIGITS = b"0123456789"
_SIGNS = bytes(each for each in range(33, 128) if not chr(each).isalnum())
_SPACED = bytes.maketrans(_SIGNS, b" " * len(_SIGNS))
_CALENDAR = re.compile(
    r"\b(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[iyjg]|jui?n|giu|jui?l|lug|ag[ou]|aug|ao[uû]|"
    r"sep|set|o[ckt]t|out|nov|de[czs]|di[ce]|[eg]en|"
    r"mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mar|mer|jeu|ven|dim|gio|dom|"
    r"mi[eé]|jue|vie|seg|ter|qua|qui|sex|s[aá]b|maa|din|woe|vri|zat|zon)\w*",
    re.IGNORECASE,
)
"""Names of days and months in nine languages, and what begins like them."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LONG_NUMBER = re.compile(r"\d[\d.,]*\d\d")
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[\W\d_]+")


@dataclass(slots=True)
class Novelty:
    """The texts of all pages of an origin that were read, as CRC-32 hashes.

    ``texts`` are those of whole pages, ``lines`` of lines without signs and digits, ``figures`` of
    tables and of the numbers on pages that feed themselves. ``last_text`` is that of the last page.
    """

    texts: set[int] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    figures: set[int] = field(default_factory=set)
    last_text: int = 0

    def add(
        self, url: str, text: str, *, feeds_itself: bool = False, is_nested: bool = False
    ) -> bool:
        """Add the text of a page; return True if a reader would miss it.

        ``is_nested``: the page was found on a page of a directory above it.
        """
        key = 0  # a sum, in whatever order the lines are
        unseen: list[bytes] = []
        others: list[bytes] = []
        for part in line_parts(text):
            whole = part.encode("utf-8", "surrogatepass")
            lines = whole.split(b"\n")
            key += sum(map(crc32, lines))
            bare = whole.replace(b". ", b"\n").translate(_SPACED, _DIGITS).lower().split(b"\n")
            unseen += [line for line in dict.fromkeys(bare) if _add(self.lines, crc32(line))]
            if is_nested:
                others += [line for line in lines if _add(self.lines, crc32(line, EXACT))]
        self.last_text = key & 0xFFFFFFFF
        is_new = _add(self.texts, self.last_text)
        has_figures = self._add_figures(url, text)
        if is_nested:
            own = frozenset(_WORD.findall(url.lower()))
            is_new &= self._add_remainders(exact_remainder, EXACT, own, others) or has_figures
        if feeds_itself and is_new:
            is_new = self._add_remainders(bare_line, DATELESS, words_of(url), unseen) or has_figures
        return is_new

    def _add_remainders(
        self,
        remainder_of: Callable[[str, frozenset[str]], str],
        start: int,
        own: frozenset[str],
        lines: Iterable[bytes],
    ) -> bool:
        """Add lines without the words of their URL; return True if one of them is new."""
        remainders = (remainder_of(line.decode("utf-8", "replace"), own) for line in lines)
        new = [
            each for each in remainders if each and _add(self.lines, crc32(each.encode(), start))
        ]
        return bool(new)

    def _add_figures(self, url: str, text: str) -> bool:
        """Add the numbers of a page; return True if enough of them are new, or a table of them is."""
        own = frozenset(_NUMBER.findall(url))
        numbers = {*_LONG_NUMBER.findall(text)} - own
        new = [each for each in numbers if _add(self.figures, crc32(each.encode()))]
        lines = (line for part in line_parts(text) for line in part.split("\n"))
        table = [each for each in lines if each[:1].isdigit() and _is_figure(each, own)]
        is_new = len(table) >= MIN_TABLE and _add(self.figures, crc32("\n".join(table).encode()))
        return is_new or len(new) >= MIN_NUMBERS


def _add(known: set[int], key: int) -> bool:
    if key in known:
        return False
    if len(known) < MAX_LINES:
        known.add(key)
    return True


def _is_figure(line: str, own: frozenset[str]) -> bool:
    """Return True for a line without letters that does not only repeat numbers of the URL."""
    numbers = _NUMBER.findall(line)
    if not numbers or (len(numbers) > 1 and own.issuperset(numbers)):
        return False
    return not any(map(str.isalpha, line))


def words_of(url: str) -> frozenset[str]:
    """Return the words of a URL's directories and parameters, which its page repeats.

    Names of parameters are among them: "Brand: Ada, Color: Red" is the title of a mix of facets.
    """
    path = url.partition("?")[0].rstrip("/").rpartition("/")[0].split("/")[3:]
    parts = [*path, *(each for parameter in parameters_of(url) for each in parameter)]
    return frozenset(word for part in parts for word in _WORD.findall(part.lower()))


def bare_line(line: str, own: frozenset[str]) -> str:
    """Return a line without signs, digits, names of days and months, and ``own`` words, sorted."""
    words = _MARKS.split(_CALENDAR.sub(" ", line).lower())
    return " ".join(sorted(each for each in words if each and each not in own))


def exact_remainder(line: str, own: frozenset[str]) -> str:
    """Return the words and numbers of a line that are not ``own``, sorted."""
    return " ".join(sorted(each for each in _WORD.findall(line.lower()) if each not in own))
