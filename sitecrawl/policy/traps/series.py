"""Endless series: URLs that differ in numbers, dates or opaque tokens, as in calendars and pagers.

A series is closed on evidence: consecutive pages whose texts, digits aside, were seen before.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, Self
from zlib import crc32

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.policy.traps.trap_limit import TrapLimit
from sitecrawl.policy.urls.templates import is_opaque
from sitecrawl.policy.urls.url_rules import Target

COMPARED_CHARACTERS = 20_000
"""Maximum number of characters of a page that are compared."""
MIN_NEW_NUMBERS = 8
"""Number of recently unseen numbers that count as content: a month of a calendar brings at most its
year and five weeks (6 would keep calendars endless), a clock and a counter three."""
REMEMBERED_NUMBERS = 512
NUMBER_SLOTS = 4096

_DIGITS = b"0123456789"
# 12, 3.14, 9:45: days of a date stay separate from its year. Digits of names and ids do not count.
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?:[.,:]\d+)?(?![\w-])")
# Compiled at the first dated page: 3 ms.
_NAMES = (
    r"\b(?:jan|feb|f[eé]v|mar|m[aä]r|apr|avr|abr|ma[iyjg]|jui?n|giu|jui?l|lug|ag[ou]|aug|ao[uû]|"
    r"sep|set|o[ckt]t|out|nov|de[czs]|di[ce]|[eg]en|"
    r"mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mer|jeu|ven|dim|gio|dom|"
    r"mi[eé]|jue|vie|seg|ter|qua|qui|sex|s[aá]b|maa|din|woe|vri|zat|zon)[\w.]*"
)


def skeleton(text: str, *, dated: bool) -> int:
    """Return a hash of ``text`` without digits and, if ``dated``, without names of days and months.

    Valid within one process only.
    """
    bare = without_digits(as_bytes(text[:COMPARED_CHARACTERS]))
    if dated:
        return hash(re.sub(_NAMES, "", bare.decode("utf-8", "surrogatepass"), flags=re.IGNORECASE))
    return hash(bare)


def as_bytes(text: str) -> bytes:
    """Return ``text`` in UTF-8, including surrogates of broken pages."""
    return text.encode("utf-8", "surrogatepass")


def without_digits(text: bytes) -> bytes:
    """Return ``text`` without its digits."""
    # Bytes: 10 µs for 20,000 characters; str.translate takes 600 µs.
    return text.translate(None, _DIGITS)


class RecentHashes:
    """The most recent hashes; the oldest are forgotten first."""

    __slots__ = ("_hashes", "_size")

    def __init__(self, size: int) -> None:
        self._hashes: dict[int, None] = {}
        self._size = size

    def add(self, value: int) -> bool:
        """Add a hash; return True if it is new."""
        if value in self._hashes:
            return False
        if len(self._hashes) >= self._size:
            del self._hashes[next(iter(self._hashes))]
        self._hashes[value] = None
        return True


class RecentNumbers:
    """The most recent numbers of texts, about ``REMEMBERED_NUMBERS`` of them, in half a kilobyte."""

    __slots__ = ("_count", "_slots")

    def __init__(self) -> None:
        self._slots = 0
        self._count = 0

    def add(self, text: str) -> int:
        """Add the numbers of a text; return the number of new ones."""
        slots = 0
        for number in _NUMBER.findall(text[:COMPARED_CHARACTERS]):
            slots |= 1 << crc32(number.encode()) % NUMBER_SLOTS  # the same in every process
        new = (slots & ~self._slots).bit_count()
        self._count += new
        self._slots |= slots
        if self._count > REMEMBERED_NUMBERS:
            self._slots, self._count = slots, slots.bit_count()
        return new


NUMBER, TOKEN = "#", "*"
MAX_DIGITS = 9

_DIGIT_RUN = re.compile(r"\d+")
# A URL without a match has no numbers or tokens.
_COUNTABLE = re.compile(r"[\d#*]|[a-fA-F]{16}")
# Numbers alone, with the separators of dates, offsets and versions.
_NUMERIC = re.compile(r"[-+.,_:TZW]*\d[-+.,_:\dTZW]*")
# Months between numbers, as in calendars: 20-november-2026. A path of its own
# (2026/november) may be an archive's.
_MONTH_NAMES = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "januar februar maerz mai juni juli oktober dezember "
    "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "januari februari maart mei augustus "
    "janeiro fevereiro junho julho setembro outubro novembro dezembro"
)
_MONTHS = frozenset(_MONTH_NAMES.split())
_YEAR_AND_MONTH = re.compile(
    r"(?<!\d)(?:19|2[0-2])\d\d(?:[-/._](?:0?[1-9]|1[0-2])(?:[-/._]\d\d?)?|"
    r"(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?:\.\w+)?/?(?:[?&]|$)"
)
_DATE_NAME = re.compile(
    r"[?&](?:\w*[_-])?(?:year|month|day|date|week|jahr|monat|tag|datum|annee|mois|ano|mes|dia)"
    r"(?:[_-]\w*)?=\d",
    re.IGNORECASE,
)


def is_dated(target: Target) -> bool:
    """Return True if the URL ends in a day or a month, as the pages of calendars do.

    A page below a date (``/2026/11/the-title``) is an article, not a calendar.
    """
    place = target.url[len(target.origin) :]
    return _YEAR_AND_MONTH.search(place) is not None or _DATE_NAME.search(place) is not None


def precision(target: Target) -> int:
    """Count the numbers in a URL that ends in a day or a month; 0 for others.

    A day has more numbers than its month, whatever surrounds them.
    """
    return len(_DIGIT_RUN.findall(target.url, len(target.origin))) if is_dated(target) else 0


def only_number(target: Target) -> int | None:
    """Return the number in a URL that has a single one, of at most nine digits; None for others."""
    found = _DIGIT_RUN.findall(target.url, len(target.origin))
    return int(found[0]) if len(found) == 1 and len(found[0]) <= MAX_DIGITS else None


def family(target: Target) -> str:
    """Return the name of a URL's series: its constant parts; "" if no part of the URL varies.

    Numbers and opaque tokens are removed. Neighbouring numeric segments become one (years, months
    and days of a calendar are one family), and so do parameters with numbers, whatever their
    names.
    """
    if not _COUNTABLE.search(target.url, len(target.origin)):
        return ""
    path = _path_family(target.parts.path)
    query = _query_family(target.parts.query) if target.parts.query else ""
    if NUMBER not in path + query and TOKEN not in path + query:
        return ""
    return f"{target.origin}{path}?{query}"


def _path_family(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        shape = _shape(segment)
        if shape != NUMBER or segments[-1:] != [NUMBER]:
            segments.append(shape)
    return "/".join(segments).rstrip("/")


def _shape(text: str) -> str:
    if not text or text.isalpha():
        return text
    if _NUMERIC.fullmatch(text) or _names_a_month(text):
        return NUMBER
    return TOKEN if is_opaque(text) else _DIGIT_RUN.sub(NUMBER, text)


def _names_a_month(text: str) -> bool:
    return all(part.isdecimal() or part.lower() in _MONTHS for part in text.split("-"))


def _query_family(query: str) -> str:
    shapes = set()
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        shape = _shape(value)
        shapes.add(shape if shape in {NUMBER, TOKEN} else f"{name}={shape}")
    return "&".join(sorted(shapes))


REMEMBERED_TEXTS = 32
REMEMBERED_SERIES = 20_000
# Measured on the trap site of tests/policy (1,976 real pages, 2,503 requests) and on chains of
# 300 photos: the first four may be lower without losing a page, and save at most 4 % of the
# requests (docs/decisions.md).
MIN_HOPS = 5
"""Number of links from the beginning of a series before which it is not closed, unless it is a
calendar: it may be real, with short texts."""
STREAK_FACTOR = 10
"""Multiple of ``max_barren_pages`` at which an unproductive streak closes a series at any hop."""
COPIES_FACTOR = 2
"""Multiple of ``max_barren_pages`` of literally equal pages that closes a series to all links."""
MAX_TOKEN_COPIES = 3
"""Number of literally equal pages that close a series whose URLs differ in opaque tokens."""
MAX_HOPS = 20_000
"""Number of links followed beyond the beginning of a series, or its last exit to new URLs: the last
resort against series whose every page invents new text. An archive reached over next links alone
looks the same."""
NARROW_RANGE = 1000
"""Maximum difference of the numbers of a series whose pages link to each other back and forth."""
ENDLESS_SERIES = RefusalReason(
    "endless_series",
    "a numbered series without new content (`max_barren_pages`)",
    options=("max_barren_pages",),
)


@dataclass(slots=True)
class SeriesState:
    """The depth at which one series began, and its unproductive streak.

    ``unproductive`` counts the consecutive pages that brought nothing new,
    ``unproductive_by_precision`` those among dated pages of the same precision. ``exits`` counts
    the new URLs of other series on its pages; ``last_exit_depth`` is the depth of the last page
    with a new URL of a series not seen before, or of none. ``repeats``: the text of the last page
    was seen before, and the page has not continued the series yet. ``first`` and ``last`` bound
    the numbers of the known URLs, if each has a single number.
    """

    since: int
    last_exit_depth: int = 0
    unproductive: int = 0
    copies: int = 0
    repeats: bool = False
    first: int | None = None
    last: int = 0
    skeletons: RecentHashes = field(default_factory=lambda: RecentHashes(REMEMBERED_TEXTS))
    texts: RecentHashes = field(default_factory=lambda: RecentHashes(REMEMBERED_TEXTS))
    numbers: RecentNumbers = field(default_factory=RecentNumbers)
    exits: Counter[str] = field(default_factory=Counter)
    unproductive_by_precision: Counter[int] = field(default_factory=Counter)

    def extend(self, number: int | None) -> bool:
        """Add the number of a URL that is not known yet; return False if it lies between known ones.

        Links back and forth within a few hundred numbers are not an endless series.
        """
        if number is None:
            return True
        if self.first is None:
            self.first = self.last = number
            return True
        within = self.first <= number <= self.last and self.last - self.first <= NARROW_RANGE
        self.first, self.last = min(self.first, number), max(self.last, number)
        return not within


class Member(NamedTuple):
    """A URL's place in a series; ``dated`` is the precision of a day or month, else 0.

    ``number`` is the only number of the URL; None if it has several or none.
    """

    family: str
    depth: int
    dated: int
    level: int
    number: int | None = None

    def continues(self, other: Member) -> bool:
        """Return True if a link from ``other`` to this URL stays within one series."""
        return bool(self.family) and (
            self.family == other.family or bool(self.dated and other.dated)
        )

    def narrows(self, other: Member) -> bool:
        """Return True if this is a day or month within ``other``, which is less precise."""
        return self.dated > other.dated


def member(target: Target, depth: int) -> Member:
    """Return the place of a URL that is ``depth`` links from a start."""
    name = family(target)
    level = target.parts.path.count("/")
    if not name:
        return Member(name, depth, 0, level)
    return Member(name, depth, precision(target), level, only_number(target))


@dataclass(slots=True)
class EndlessSeries(TrapLimit):
    """All series of a crawl, by family."""

    patience: int
    setting: str
    _series: dict[str, SeriesState] = field(default_factory=dict, init=False)
    reasons = (ENDLESS_SERIES,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limit."""
        return cls(options.value("max_barren_pages"), ENDLESS_SERIES.setting(options))

    def record_page(self, page: Member, text: str) -> None:
        """Record the text of a page that was fetched for the first time."""
        series = self._series.get(page.family)
        if series is None:
            return
        new = series.skeletons.add(skeleton(text, dated=page.dated > 0))
        if not new:  # tables of measurements differ only in their numbers
            new = series.numbers.add(text) >= MIN_NEW_NUMBERS
        if new:
            series.unproductive = series.unproductive_by_precision[page.dated] = 0
        elif page.dated:
            series.unproductive += 1
            series.unproductive_by_precision[page.dated] += 1
        series.repeats = not new and not page.dated
        copied = bool(text) and not series.texts.add(hash(text))
        series.copies = series.copies + 1 if copied else 0

    def admit_link(self, page: Member, link: Member) -> Decision:
        """Decide on a link to a URL that is not known yet."""
        if not link.family or not page.family:
            return ALLOWED
        series = self._state(page.family, page.depth)
        following = self._state(link.family, link.depth)
        extends = following.extend(link.number)
        if series.repeats and extends and self._keeps_within(link, page):
            series.repeats = False
            series.unproductive += 1
        return self._decide(link, page)

    def record_followed(self, page: Member, link: Member) -> None:
        """Record a new link that is followed; a link out of the series counts as new content.

        Exceptions are links to mere copies, back and forth between two series, or from one opaque
        token to another. Within a series of dates, a link to a day or month within the page's own
        year or month counts as new too, until such links have proved to be unproductive.
        """
        series = self._series.get(page.family)
        if series is None:
            return
        if link.continues(page):
            if not link.narrows(page) or self._is_unproductive(link):
                return
        elif link.family:
            series.exits[link.family] += 1
            copied = self._is_copied(self._state(link.family, link.depth), link.family)
            tokens = TOKEN in page.family and TOKEN in link.family
            if copied or tokens or self._alternate(page, link):
                return
        series.unproductive = series.copies = series.unproductive_by_precision[page.dated] = 0
        series.repeats = False
        if not link.family or series.exits[link.family] == 1:
            series.last_exit_depth = max(series.last_exit_depth, page.depth)

    def admit_fetch(self, link: Member, referrer: Member) -> Decision:
        """Decide on the first fetch of a URL that was found on ``referrer``.

        Days and months listed on one undated page, such as those of a year, are a finite list.
        """
        if link.narrows(referrer) and not referrer.dated:
            return ALLOWED
        return self._decide(link, referrer)

    def _decide(self, link: Member, referrer: Member) -> Decision:
        series = self._series.get(link.family)
        if series is None or not self.patience:
            return ALLOWED
        closed = self._keeps_within(link, referrer) and self._is_closed(series, link, referrer)
        copied = self._is_copied(series, link.family)
        if not closed and not copied:
            return ALLOWED
        pages = max(
            series.unproductive, series.copies, series.unproductive_by_precision[link.dated]
        )
        words = f"brought nothing new {pages} times"
        if not copied and pages < self.patience:
            words = f"goes on for more than {MAX_HOPS} links and leads nowhere else"
        return ENDLESS_SERIES.refuse(f"{self.setting}: {link.family} {words}")

    def _is_closed(self, series: SeriesState, link: Member, referrer: Member) -> bool:
        hops = link.depth - series.since
        if series.unproductive >= self.patience * STREAK_FACTOR:
            return True
        if hops > MAX_HOPS and link.depth - series.last_exit_depth > MAX_HOPS:
            return True
        if link.dated and link.narrows(referrer):
            return self._is_unproductive(link)
        if series.unproductive < self.patience or link.dated:
            return series.unproductive >= self.patience
        # Trees of numbered directories are finite, or end at max_growing_path.
        return hops >= MIN_HOPS and link.level <= referrer.level

    def _is_unproductive(self, link: Member) -> bool:
        """Return True if days, or months, have brought nothing new for long."""
        series = self._series.get(link.family)
        return series is not None and series.unproductive_by_precision[link.dated] >= self.patience

    def _keeps_within(self, link: Member, page: Member) -> bool:
        """Return True if a link continues its page's series, or one that alternates with it."""
        return link.continues(page) or self._alternate(link, page)

    def _alternate(self, one: Member, other: Member) -> bool:
        """Return True if two series link to each other about as often, and so are one."""
        here, there = self._series.get(one.family), self._series.get(other.family)
        if here is None or there is None:
            return False
        few, many = sorted((here.exits[other.family], there.exits[one.family]))
        return few >= self.patience and few * 2 >= many

    def _is_copied(self, series: SeriesState, name: str) -> bool:
        return series.copies >= (
            MAX_TOKEN_COPIES if TOKEN in name else self.patience * COPIES_FACTOR
        )

    def _state(self, name: str, depth: int) -> SeriesState:
        series = self._series.get(name)
        if series is None:
            if len(self._series) >= REMEMBERED_SERIES:
                del self._series[next(iter(self._series))]
            series = self._series[name] = SeriesState(depth)
        return series
