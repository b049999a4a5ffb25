"""All limits with a memory, as a crawl asks them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.traps.path_limits import Copies, DirectoryCounts, Growth
from sitecrawl.policy.traps.query_variants import Variants
from sitecrawl.policy.traps.series import Member, Series, member
from sitecrawl.policy.traps.session_tokens import Tokens
from sitecrawl.policy.urls.url_rules import Target, read_target


@dataclass(slots=True)
class Limits:
    """What earlier pages of the run say about the next.

    Ask ``page`` for each page that was read and ``PageLinks.admit`` for each of its links
    that the rules admit; ask ``fetch`` before each fetch. Answers depend on the order of
    the calls, which is the order of the crawl.
    """

    series: Series
    copies: Copies
    growth: Growth
    variants: Variants
    tokens: Tokens
    directories: DirectoryCounts
    links_per_page: int
    links_setting: str

    def page(self, url: str, *, depth: int, text: str, new: bool, title: str = "") -> PageLinks:
        """The links of a page that was read; ``new`` if it was never fetched before.

        Only new pages are evidence: a page that is known has no new links to offer.
        """
        page = read_target(url)
        place = member(page, depth)
        copies = 0
        if new:
            self.series.visited(place, text)
            self.variants.visited(page, text)
            copies = self.copies.visited(page, title, text)
        else:
            self.variants.revisited(page)
        return PageLinks(self, page, place, copies)

    def fetch(self, url: str, *, depth: int, referrer: str | None, new: bool) -> Decision:
        """Whether a candidate is fetched now; counts it for its top directory if so."""
        link = read_target(url)
        if new and referrer:
            decision = self._due(link, depth, referrer)
            if not decision.allowed:
                return decision
        return self.directories.fetch(link, new=new)

    def _due(self, link: Target, depth: int, referrer: str) -> Decision:
        place = member(link, depth)
        if place.family:
            source = member(read_target(referrer), depth - 1)
            decision = self.series.due(place, source)
            if not decision.allowed:
                return decision
        return self.variants.due(link)


@dataclass(slots=True)
class PageLinks:
    """The links of one page, in document order."""

    limits: Limits
    page: Target
    place: Member
    copies: int
    _followed: set[str] = field(default_factory=set, init=False)

    def admit(self, url: str, *, depth: int, known: bool) -> Decision:
        """Whether a link that the rules admit is followed; ``known`` URLs change nothing."""
        if self.limits.links_per_page and not self._count(url):
            return refuse("links_per_page", self.limits.links_setting)
        if known:
            return ALLOWED
        link = read_target(url)
        place = member(link, depth)
        decision = self._decide(link, place)
        if decision.allowed:
            self.limits.series.credit(self.place, place)
            self.limits.variants.credit(self.page, link)
        return decision

    def _decide(self, link: Target, place: Member) -> Decision:
        limits = self.limits
        decision = limits.growth.offered(self.page, link)
        if decision.allowed:
            decision = limits.copies.offered(self.page, self.copies, link)
        if decision.allowed:
            decision = limits.series.offered(self.place, place)
        if decision.allowed:
            decision = limits.tokens.offered(self.page, link)
        return limits.variants.offered(link) if decision.allowed else decision

    def _count(self, url: str) -> bool:
        if url not in self._followed and len(self._followed) >= self.limits.links_per_page:
            return False
        self._followed.add(url)
        return True
