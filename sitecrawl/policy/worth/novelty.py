"""New text of pages: what a reader would miss if a page were left out.

In a list that other pages make, every difference counts, numbers and the order of the lines included, but
for the date that a URL has: a calendar has a page for each day on which there is nothing. A
kind of page that feeds itself (calendars, counters, mixes of facets) makes differences without end:
there a line must be new without its digits, its names of months and days, and the words of the page's
URL; or several numbers in a line must be new, or a table of them. A page below the one that links to it (a mix of
facets in a path), or found on a list that brought nothing (the query of a mix), must have a line that
is new but for the words of its URL. All of them may instead have a title that no other page has, as
lists show posts in full, or a picture, as comics have no words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import pairwise
from zlib import crc32

from sitecrawl.policy.worth.kinds import parameters_of
from sitecrawl.web.whitespace import line_parts

DATELESS, EXACT, OF_LIST = 0x9E3779B9, 0x3C6EF372, 0x1715609D
TITLE, EXACT_TITLE, PICTURE, DATED = 0xDAA66D2B, 0x78DDE6E4, 0xB54CDA57, 0xF1BBCDC8
"""Initial values of the hashes of lines without the words of URLs, without dates and with them, without
those of the URL of a list, of titles, of pictures, and of texts without the date of their URL.

Small ones would make a line that of another whose first letter is a neighbour.
"""
MAX_LINES = 250_000
"""Number of different lines remembered of an origin; further ones always count as new."""
MIN_TABLE, TABLE_LINES = 6, 3
"""Number of lines without letters on a page that are a table of numbers, if at least one of so many lines
is one: the ids and years in a list of records are none."""
MAX_DAY_DIGITS, SHORTEST_MONTH = 2, 28
MIN_NUMBERS = 2
"""Number of new numbers of at least three digits in a line that make a page a new one: an article has a number and
a price. A list of prices, one in each line, may go on for ever."""

_DIGITS = b"0123456789"
_SIGNS = bytes(each for each in range(33, 128) if not chr(each).isalnum())
_NUMERALS = bytes(each if chr(each) in "0123456789" else 32 for each in range(256))
_SPACED = bytes.maketrans(_SIGNS, b" " * len(_SIGNS)).lower()
_NAMES_OF_TIMES = """
jan feb fev fév mar mär apr avr abr mai may maj mag jun jui giu jul lug ago agu aug aou aoû sep set oct okt
ott out nov dec dez des dic die ene gen
mon tue wed thu fri sat sun mit don fre sam son lun mer jeu ven dim gio dom mie mié jue vie seg ter qua qui
sex sab sáb maa din woe vri zat zon
"""
_CALENDAR = frozenset(_NAMES_OF_TIMES.split())
"""Beginnings of the names of days and months in nine languages."""
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])(?!\d{3})")
_PART = re.compile(r"\d+|[^\W\d_]+")
_ROW = re.compile(rb"\d[^A-Za-z]*")
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[\W\d_]+")


@dataclass(slots=True)
class Novelty:
    """The texts of all pages of an origin that were read, as CRC-32 hashes.

    ``texts`` are those of whole pages, ``lines`` of lines without signs and digits, ``exact`` of lines of
    pages that may mix those of others, ``figures`` of their numbers, of tables and of pictures. ``last_text`` is
    that of the last page; ``is_known`` is True if another has the same, ``is_mixed`` if it mixes the lines
    of others, but for the words of its URL, ``only_leads_on`` if it brings nothing but unknown pages of its
    path. Pages without a query, and not below the one that links to them, are no mixes.
    """

    texts: set[int] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    figures: set[int] = field(default_factory=set)
    exact: set[int] = field(default_factory=set)
    last_text: int = 0
    is_known: bool = False
    is_mixed: bool = False
    only_leads_on: bool = False

    def add(
        self,
        url: str,
        text: str,
        *,
        feeds_itself: bool = False,
        within: str = "",
        leads_on: bool = True,
        pictures: Iterable[str] = (),
    ) -> bool:
        """Add the text of a page; return True if a reader would miss it.

        ``within``: the page must have a line of more than known ones and the words of this URL: its own if it
        was found on a page of a directory above it, that of a list that brought nothing if it was found on
        it. ``leads_on``: unknown pages of its path were found on it.
        """
        is_dated = not (feeds_itself or within) and _DATE.search(url) is not None
        is_compared = feeds_itself or bool(within) or is_dated
        is_mixable = bool(within) or (feeds_itself and "?" in url)  # may mix lines of others
        exact, bare = _Lines(self.exact), _Lines(self.lines)
        parts = [part.encode("utf-8", "surrogatepass") for part in line_parts(text)]
        self.last_text = reduce(lambda key, part: crc32(part, key), parts, 0)
        self.is_mixed = self.only_leads_on = False
        self.is_known = not _add(self.texts, self.last_text)
        if self.is_known:
            return False
        for part in parts:
            if is_mixable:
                exact.add(part)
            bare.add(part.translate(_SPACED, _DIGITS), keep=is_compared)
        has_own = self._add_title(url, text, dated=not leads_on) | self._add_pictures(url, pictures)
        has_line = within == url and self._has_line(url, exact)
        is_new = True
        if is_dated and not has_own:
            has_more = self._add_remainders(bare_line, DATELESS, words_of(url), bare.new())
            is_new = has_more or _add(self.lines, crc32(undated(text, url).encode(), DATED))
        if within:
            has_more = has_line if within == url else self._has_line(within, exact, OF_LIST)
            is_new = has_more or has_own
        if feeds_itself and is_new:
            own = words_of(url)
            is_new = self._add_remainders(bare_line, DATELESS, own, bare.new()) or has_own
        is_new = is_new or self._has_figures(url, parts)
        self.only_leads_on = leads_on and not is_new
        self.is_mixed = is_mixable and not (is_new or has_line or self._has_line(url, exact))
        self._remember(parts, exact, bare)
        return is_new

    def _remember(self, parts: Sequence[bytes], *compared: _Lines) -> None:
        """Add the numbers of a page, and its lines that were compared."""
        if len(self.figures) < MAX_LINES:
            self.figures.update(*map(_long_numbers, parts))
        for lines in compared:
            for part in lines.parts:
                lines.remember(part.hashes)

    def _add_title(self, url: str, text: str, *, dated: bool) -> bool:
        """Add the title of a page, the first line of its text; return True if no other page has it.

        A post that a list shows in full has no other line of its own. ``dated``: dates and numbers count,
        unless the URL has them all, as that of a day has.
        """
        title = text.partition("\n")[0].encode("utf-8", "surrogatepass")
        own = words_of(url)
        is_exact = self._add_remainders(exact_remainder, EXACT_TITLE, own, [title])
        line = title.translate(_SPACED, _DIGITS)
        if self._add_remainders(bare_line, TITLE, own, [line]):
            return True
        if not (dated and is_exact):
            return False
        numbers = integers(title)
        return not numbers or not numbers <= integers_of(url)

    def _add_pictures(self, url: str, pictures: Iterable[str]) -> bool:
        """Add the pictures of a page by their files; return True if one is on no other page.

        Those with a query are made for a request. Folders that the URL has, as of a session, do not count.
        """
        folders = url.partition("?")[0].rstrip("/").split("/")[3:-1]
        plain = (each.split("/")[-2:] for each in pictures if "?" not in each)
        names = {"/".join(part for part in each if part not in folders) for each in plain}
        new = {crc32(each.encode("utf-8", "surrogatepass"), PICTURE) for each in names}
        new -= self.figures
        if len(self.figures) < MAX_LINES:
            self.figures |= new
        return bool(new)

    def _has_line(self, url: str, lines: _Lines, start: int = EXACT) -> bool:
        """Return True if one of the lines is new but for the words of a URL."""
        return self._add_remainders(exact_remainder, start, _words(url), lines.new())

    def _add_remainders(
        self,
        remainder_of: Callable[[str, frozenset[str]], str],
        start: int,
        own: frozenset[str],
        lines: Iterable[bytes],
    ) -> bool:
        """Add lines without the words of their URL up to the first new one; return True if there is one."""
        remainders = (remainder_of(line.decode("utf-8", "replace"), own) for line in lines)
        return any(each and _add(self.lines, crc32(each.encode(), start)) for each in remainders)

    def _has_figures(self, url: str, parts: Sequence[bytes]) -> bool:
        """Return True if a line has enough new numbers, or if a table of them is new, which is added."""
        lines = [line for part in parts for line in part.split(b"\n")]
        rows = [line for line in lines if _ROW.fullmatch(line)]
        dated = integers(url.encode())
        table = [
            line
            for before, line in pairwise([b"", *rows])
            if _is_figure(line, dated) and not _counts_on(before, line)
        ]
        is_table = MIN_TABLE <= len(table) >= len(lines) / TABLE_LINES
        if is_table and _add(self.figures, crc32(b"\n".join(table))):
            return True
        own = _long_numbers(url.encode())
        return any(len(_long_numbers(line) - self.figures - own) >= MIN_NUMBERS for line in lines)


class _HashedLines:
    """The lines of a part of a page, and their hashes."""

    def __init__(self, part: bytes) -> None:
        self.lines = part.split(b"\n")
        self.hashes = list(map(crc32, self.lines))


class _Lines:
    """The lines of a page; ``known`` are the hashes of those of the pages before."""

    def __init__(self, known: set[int]) -> None:
        self.parts: list[_HashedLines] = []
        self._known = known

    def add(self, part: bytes, *, keep: bool = True) -> None:
        """Add a part of the page, whose lines are known at once if they are not kept."""
        if keep:
            self.parts.append(_HashedLines(part))
        else:
            self.remember(map(crc32, part.split(b"\n")))

    def new(self) -> Iterator[bytes]:
        """Yield the lines that are new."""
        for part in self.parts:
            pairs = zip(part.hashes, part.lines, strict=True)
            yield from (line for key, line in pairs if key not in self._known)

    def remember(self, hashes: Iterable[int]) -> None:
        """Add the hashes of lines to the known ones."""
        if len(self._known) < MAX_LINES:
            self._known.update(hashes)


def _long_numbers(text: bytes) -> set[int]:
    """Return the hashes of all numbers of at least three digits; digits outside of ASCII are letters."""
    return {crc32(each) for each in text.translate(_NUMERALS, b".,").split() if len(each) > 2}


def integers(text: bytes) -> set[bytes]:
    """Return the whole numbers of a text, those of its dates one by one."""
    return {each.lstrip(b"0") for each in text.translate(_NUMERALS).split()}


def integers_of(url: str) -> set[bytes]:
    """Return the whole numbers of the directories and values of a URL that have no letters."""
    path = url.partition("?")[0].split("/")[3:]
    parts = [*path, *(value for _, value in parameters_of(url))]
    plain = [part for part in parts if not any(map(str.isalpha, part))]
    return integers(" ".join(plain).encode("utf-8", "surrogatepass"))


def undated(text: str, url: str) -> str:
    """Return the words and numbers of a text but for those of the date in its URL, and of days beside it."""
    numbers = {int(each) for each in integers_of(url) if each}
    own = {number + step for number in numbers for step in (-1, 0, 1)}
    parts = (each for each in _PART.findall(text.lower()) if each[:3] not in _CALENDAR)
    return " ".join(each for each in parts if not (each.isdecimal() and int(each) in own))


def _add(known: set[int], key: int) -> bool:
    if key in known:
        return False
    if len(known) < MAX_LINES:
        known.add(key)
    return True


def _is_figure(line: bytes, own: set[bytes]) -> bool:
    """Return True for a line without letters that does not only repeat numbers of the URL."""
    numbers = integers(line)
    if not numbers or (len(numbers) > 1 and own.issuperset(numbers)):
        return False
    return line.isascii() or not any(map(str.isalpha, line.decode("utf-8", "replace")))


def _counts_on(before: bytes, line: bytes) -> bool:
    """Return True for the day that follows on that of the line before."""
    if not all(each.isdigit() and len(each) <= MAX_DAY_DIGITS for each in (before, line)):
        return False
    day = int(line)
    return day == int(before) + 1 or (day == 1 and int(before) >= SHORTEST_MONTH)


def words_of(url: str) -> frozenset[str]:
    """Return the words of a URL's directories and parameters, which its page repeats.

    Names of parameters are among them: "Brand: Ada, Color: Red" is the title of a mix of facets.
    """
    folder = url.partition("?")[0].rstrip("/").rpartition("/")[0]
    own = (each for parameter in parameters_of(url) for each in parameter)
    return (
        _words_of_folder(folder).union(*map(_words, own))
        if "?" in url
        else _words_of_folder(folder)
    )


@lru_cache(maxsize=256)
def _words_of_folder(url: str) -> frozenset[str]:
    return _words(" ".join(url.split("/")[3:]))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def bare_line(line: str, own: frozenset[str]) -> str:
    """Return a line without signs, digits, names of days and months, and ``own`` words, sorted."""
    words = line.split() if line.isascii() else _MARKS.split(line.lower())
    return " ".join(
        sorted(each for each in words if each and each[:3] not in _CALENDAR and each not in own)
    )


def exact_remainder(line: str, own: frozenset[str]) -> str:
    """Return the words and numbers of a line that are not ``own``, sorted."""
    return " ".join(sorted(each for each in _WORD.findall(line.lower()) if each not in own))
