"""Texts reduced to what tells one page of a series from the next."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.urls.url_rules import Target

SIZE = 20_000  # characters of a page that are compared
# So many numbers that were not met lately are content: a calendar's month brings its year and
# five weeks at most, a clock and a counter three.
NEW_NUMBERS = 8
REMEMBERED_NUMBERS, NUMBER_SLOTS = 512, 4096

_DIGITS = b"0123456789"
# 12, 3.14, 9:45: days of a date stay apart from its year. Not the digits of names and ids.
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?:[.,:]\d+)?(?![\w-])")
# Compiled where a dated page first comes: 3 ms.
_NAMES = (
    r"\b(?:jan|feb|f[eé]v|mar|m[aä]r|apr|avr|abr|ma[iyjg]|jui?n|giu|jui?l|lug|ag[ou]|aug|ao[uû]|"
    r"sep|set|o[ckt]t|out|nov|de[czs]|di[ce]|[eg]en|"
    r"mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mer|jeu|ven|dim|gio|dom|"
    r"mi[eé]|jue|vie|seg|ter|qua|qui|sex|s[aá]b|maa|din|woe|vri|zat|zon)[\w.]*"
)


def skeleton(text: str, *, dated: bool) -> int:
    """A hash of ``text`` without digits and, for dated pages, without names of days and months.

    Good within one process only.
    """
    bare = without_digits(as_bytes(text[:SIZE]))
    if dated:
        return hash(re.sub(_NAMES, "", bare.decode("utf-8", "surrogatepass"), flags=re.IGNORECASE))
    return hash(bare)


def as_bytes(text: str) -> bytes:
    """``text`` in UTF-8; surrogates of broken pages too."""
    return text.encode("utf-8", "surrogatepass")


def without_digits(text: bytes) -> bytes:
    """``text`` without its digits."""
    # Bytes: 10 µs for 20,000 characters against 600 µs for str.translate.
    return text.translate(None, _DIGITS)


class Seen:
    """The last few hashes that were met, oldest forgotten first."""

    __slots__ = ("_hashes", "_size")

    def __init__(self, size: int) -> None:
        self._hashes: dict[int, None] = {}
        self._size = size

    def add(self, value: int) -> bool:
        """Note a hash; whether it is new."""
        if value in self._hashes:
            return False
        if len(self._hashes) >= self._size:
            del self._hashes[next(iter(self._hashes))]
        self._hashes[value] = None
        return True


class SeenNumbers:
    """The numbers met lately in texts, about ``REMEMBERED_NUMBERS`` of them, in half a kilobyte."""

    __slots__ = ("_count", "_slots")

    def __init__(self) -> None:
        self._slots = 0
        self._count = 0

    def add(self, text: str) -> int:
        """Note the numbers of a text; how many of them are new."""
        slots = 0
        for number in _NUMBER.findall(text[:SIZE]):
            slots |= 1 << hash(number) % NUMBER_SLOTS
        new = (slots & ~self._slots).bit_count()
        self._count += new
        self._slots |= slots
        if self._count > REMEMBERED_NUMBERS:
            self._slots, self._count = slots, slots.bit_count()
        return new


NUMBER, TOKEN = "#", "*"
MAX_DIGITS = 9

_FAMILIES_DIGITS = re.compile(r"\d+")
# Where nothing of this stands, no shape below is a number's or a token's.
_COUNTABLE = re.compile(r"[\d#*]|[a-fA-F]{16}")
# Numbers alone, with what stands between them in dates, offsets and versions.
_NUMERIC = re.compile(r"[-+.,_:TZW]*\d[-+.,_:\dTZW]*")
# No person typed it: long, with letters and digits by turns, or a very long number.
_LONG = re.compile(r"[\w~-]{12,}")
_LONG_NUMBER = re.compile(r"[0-9a-fA-F]{16,}|\d{10,}")
_TURN = re.compile(r"[a-zA-Z](?=\d)|\d(?=[a-zA-Z])")
_TURNS = 3
# Months as calendars write them between numbers: 20-november-2026. A path of its own
# (2026/november) may be an archive's.
_FAMILIES_NAMES = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "januar februar maerz mai juni juli oktober dezember "
    "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "januari februari maart mei augustus "
    "janeiro fevereiro junho julho setembro outubro novembro dezembro"
)
_MONTHS = frozenset(_FAMILIES_NAMES.split())
_YEAR_AND_MONTH = re.compile(
    r"(?<!\d)(?:19|2[0-2])\d\d(?:[-/._](?:0?[1-9]|1[0-2])(?:[-/._]\d\d?)?|"
    r"(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?:\.\w+)?/?(?:[?&]|$)"
)
_DATE_NAME = re.compile(
    r"[?&](?:\w*[_-])?(?:year|month|day|date|week|jahr|monat|tag|datum|annee|mois|ano|mes|dia)"
    r"(?:[_-]\w*)?=\d",
    re.IGNORECASE,
)


def is_opaque(value: str) -> bool:
    """Whether a value looks like an id that a machine made up."""
    if _LONG_NUMBER.fullmatch(value):
        return True
    return _LONG.fullmatch(value) is not None and len(_TURN.findall(value)) >= _TURNS


def is_dated(target: Target) -> bool:
    """Whether the URL ends in a day or a month, as the pages of calendars do.

    What stands below a date (``/2026/11/the-title``) is an article, not a calendar.
    """
    place = target.url[len(target.origin) :]
    return _YEAR_AND_MONTH.search(place) is not None or _DATE_NAME.search(place) is not None


def precision(target: Target) -> int:
    """How many numbers a URL has that ends in a day or a month, 0 for others.

    A day has more than its month, whatever stands before and between.
    """
    return len(_FAMILIES_DIGITS.findall(target.url, len(target.origin))) if is_dated(target) else 0


def only_number(target: Target) -> int | None:
    """The number in a URL that has a single one, of at most nine digits."""
    found = _FAMILIES_DIGITS.findall(target.url, len(target.origin))
    return int(found[0]) if len(found) == 1 and len(found[0]) <= MAX_DIGITS else None


def family(target: Target) -> str:
    """What the URLs of one series have in common; "" if nothing in the URL counts.

    Numbers and opaque tokens are taken out, neighbouring segments of numbers become one
    (years, months and days of a calendar are one family), and so do parameters with
    numbers, whatever their names.
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
    return TOKEN if is_opaque(text) else _FAMILIES_DIGITS.sub(NUMBER, text)


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
# A series that is not a calendar may be real and small texts its way: it is only closed
# this many links from where it began, or when it was barren this many times longer...
NEAR, WIDE = 5, 10
# ...but to links from anywhere, when its pages are the same to the letter for twice as long;
# or, where opaque tokens tell its URLs apart, this many times.
COPIED, COPIED_TOKENS = 2, 3
# The last resort against series whose every page invents new text: so many links beyond where
# it began, or where its last page was that led out of it to something new.
FARTHEST = 1000


@dataclass(slots=True)
class Standing:
    """What is known of one series: since which depth, and how long nothing new came.

    ``led_to`` counts the new URLs of other series that its pages brought, ``led_out`` is the
    depth of the last page that brought one of a series not met before, or of none. ``idle`` is
    ``barren`` among dated pages of the same precision. ``repeats``: the page that was read last
    has a text that was met before, and has not continued the series yet. ``first`` and ``last``
    bound the numbers of the URLs known, where those have one number each.
    """

    since: int
    led_out: int = 0
    barren: int = 0
    copies: int = 0
    repeats: bool = False
    first: int | None = None
    last: int = 0
    skeletons: Seen = field(default_factory=lambda: Seen(REMEMBERED_TEXTS))
    texts: Seen = field(default_factory=lambda: Seen(REMEMBERED_TEXTS))
    numbers: SeenNumbers = field(default_factory=SeenNumbers)
    led_to: Counter[str] = field(default_factory=Counter)
    idle: Counter[int] = field(default_factory=Counter)

    def extend(self, number: int | None) -> bool:
        """Note the number of a URL that is not known yet; False if it lies between known ones.

        Links back and forth within a few hundred numbers are no endless series.
        """
        if number is None:
            return True
        if self.first is None:
            self.first = self.last = number
            return True
        within = self.first <= number <= self.last and self.last - self.first <= FARTHEST
        self.first, self.last = min(self.first, number), max(self.last, number)
        return not within


class Member(NamedTuple):
    """A URL's place in a series; ``dated`` is the precision of a day or month, 0 of others.

    ``number`` is the only number of the URL, None if it has more or none.
    """

    family: str
    depth: int
    dated: int
    level: int
    number: int | None = None

    def continues(self, other: Member) -> bool:
        """Whether a link from ``other`` to this keeps within one series."""
        return bool(self.family) and (
            self.family == other.family or bool(self.dated and other.dated)
        )

    def narrows(self, other: Member) -> bool:
        """Whether this is a day or month within ``other``, which is less precise."""
        return self.dated > other.dated


def member(target: Target, depth: int) -> Member:
    """The place of a URL that is ``depth`` links from a start."""
    name = family(target)
    level = target.parts.path.count("/")
    if not name:
        return Member(name, depth, 0, level)
    return Member(name, depth, precision(target), level, only_number(target))


@dataclass(slots=True)
class Series:
    """All series of a crawl, by family."""

    patience: int
    setting: str
    _standings: dict[str, Standing] = field(default_factory=dict, init=False)

    def visited(self, page: Member, text: str) -> None:
        """Note the text of a page that was fetched for the first time."""
        standing = self._standings.get(page.family)
        if standing is None:
            return
        new = standing.skeletons.add(skeleton(text, dated=page.dated > 0))
        if not new:  # tables of measurements differ in their numbers alone
            new = standing.numbers.add(text) >= NEW_NUMBERS
        if new:
            standing.barren = standing.idle[page.dated] = 0
        elif page.dated:
            standing.barren += 1
            standing.idle[page.dated] += 1
        standing.repeats = not new and not page.dated
        copied = bool(text) and not standing.texts.add(hash(text))
        standing.copies = standing.copies + 1 if copied else 0

    def offered(self, page: Member, link: Member) -> Decision:
        """Whether a link to a URL that is not known yet may be followed."""
        if not link.family or not page.family:
            return ALLOWED
        standing = self._standing(page.family, page.depth)
        following = self._standing(link.family, link.depth)
        extends = following.extend(link.number)
        if standing.repeats and extends and self._keeps_within(link, page):
            standing.repeats = False
            standing.barren += 1
        return self._decide(link, page)

    def credit(self, page: Member, link: Member) -> None:
        """Note a new link that is followed: out of the series it is something new.

        Unless it leads to mere copies, back and forth between two series, or only from
        one opaque token to another. Within a series of dates, so is one to a day or month
        within the page's own year or month, until such have proved to be barren.
        """
        standing = self._standings.get(page.family)
        if standing is None:
            return
        if link.continues(page):
            if not link.narrows(page) or self._is_idle(link):
                return
        elif link.family:
            standing.led_to[link.family] += 1
            copied = self._is_copied(self._standing(link.family, link.depth), link.family)
            tokens = TOKEN in page.family and TOKEN in link.family
            if copied or tokens or self._alternate(page, link):
                return
        standing.barren = standing.copies = standing.idle[page.dated] = 0
        standing.repeats = False
        if not link.family or standing.led_to[link.family] == 1:
            standing.led_out = max(standing.led_out, page.depth)

    def due(self, link: Member, referrer: Member) -> Decision:
        """Whether a URL found on ``referrer`` is still worth its first fetch.

        Days and months that one page of no date lists, as of a year, are a list that is known.
        """
        if link.narrows(referrer) and not referrer.dated:
            return ALLOWED
        return self._decide(link, referrer)

    def _decide(self, link: Member, referrer: Member) -> Decision:
        standing = self._standings.get(link.family)
        if standing is None or not self.patience:
            return ALLOWED
        closed = self._keeps_within(link, referrer) and self._is_closed(standing, link, referrer)
        copied = self._is_copied(standing, link.family)
        if not closed and not copied:
            return ALLOWED
        pages = max(standing.barren, standing.copies, standing.idle[link.dated])
        words = f"brought nothing new {pages} times"
        if not copied and pages < self.patience:
            words = f"goes on for more than {FARTHEST} links and leads nowhere else"
        return refuse("endless_series", f"{self.setting}: {link.family} {words}")

    def _is_closed(self, standing: Standing, link: Member, referrer: Member) -> bool:
        hops = link.depth - standing.since
        if standing.barren >= self.patience * WIDE:
            return True
        if hops > FARTHEST and link.depth - standing.led_out > FARTHEST:
            return True
        if link.dated and link.narrows(referrer):
            return self._is_idle(link)
        if standing.barren < self.patience or link.dated:
            return standing.barren >= self.patience
        # Trees of numbered directories end by themselves, or at max_growing_path.
        return hops >= NEAR and link.level <= referrer.level

    def _is_idle(self, link: Member) -> bool:
        """Whether days, or months, have brought nothing new for long."""
        standing = self._standings.get(link.family)
        return standing is not None and standing.idle[link.dated] >= self.patience

    def _keeps_within(self, link: Member, page: Member) -> bool:
        """Whether a link continues its page's series, or one that is the same in effect."""
        return link.continues(page) or self._alternate(link, page)

    def _alternate(self, one: Member, other: Member) -> bool:
        """Whether two series lead to each other about as often, and so are one."""
        here, there = self._standings.get(one.family), self._standings.get(other.family)
        if here is None or there is None:
            return False
        few, many = sorted((here.led_to[other.family], there.led_to[one.family]))
        return few >= self.patience and few * 2 >= many

    def _is_copied(self, standing: Standing, name: str) -> bool:
        return standing.copies >= (COPIED_TOKENS if TOKEN in name else self.patience * COPIED)

    def _standing(self, name: str, depth: int) -> Standing:
        standing = self._standings.get(name)
        if standing is None:
            if len(self._standings) >= REMEMBERED_SERIES:
                del self._standings[next(iter(self._standings))]
            standing = self._standings[name] = Standing(depth)
        return standing
