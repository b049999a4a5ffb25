"""Ends series of numbered pages that bring nothing new: calendars, pagination, mazes.

A series goes on for as long as its pages bring something: a text that differs in more
than a few numbers from those before it, or links to pages outside the series. After
``patience`` pages that bring neither but make a next page of their own, the links by which
it continues itself are refused. What other pages link to stays open, and so does a list
that is known already: a page that names no further page is no evidence, whatever its text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.limits.families import TOKEN, family, only_number, precision
from sitecrawl.policy.limits.texts import NEW_NUMBERS, Seen, SeenNumbers, skeleton
from sitecrawl.policy.target import Target

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
