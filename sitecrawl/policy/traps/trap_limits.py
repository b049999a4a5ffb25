"""All trap limits, in the order in which a crawl applies them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self, get_type_hints

from sitecrawl.policy.decision import Decision, OptionValues
from sitecrawl.policy.traps.path_limits import (
    DirectoryCounts,
    LinksPerPage,
    PageCopies,
    PathGrowth,
)
from sitecrawl.policy.traps.query_variants import QueryVariants
from sitecrawl.policy.traps.series import EndlessSeries, Member, member
from sitecrawl.policy.traps.session_tokens import SessionTokens
from sitecrawl.policy.traps.trap_limit import TrapLimit
from sitecrawl.policy.urls.url_rules import Target, read_target


@dataclass(slots=True)
class TrapLimits:
    """The limits that depend on earlier pages of the run; each is registered as a field, in order.

    Call ``page`` for each page that was read and ``PageLinks.admit`` for each of its links
    that the rules admit; call ``fetch`` before each fetch. Results depend on the order of
    the calls, which is the order of the crawl.
    """

    links_per_page: LinksPerPage
    growth: PathGrowth
    copies: PageCopies
    series: EndlessSeries
    tokens: SessionTokens
    variants: QueryVariants
    directories: DirectoryCounts

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the limits under these options, empty as at the start of a run."""
        limits: dict[str, Any] = {
            name: limit.build(options) for name, limit in LIMITS_BY_FIELD.items()
        }
        return cls(**limits)

    def page(self, url: str, *, depth: int, text: str, new: bool, title: str = "") -> PageLinks:
        """Return the links of a page that was read; ``new`` if it was never fetched before.

        Only new pages are evidence: a known page has no new links.
        """
        page = read_target(url)
        place = member(page, depth)
        copies = 0
        if new:
            self.series.record_page(place, text)
            self.variants.record_page(page, text)
            copies = self.copies.record_page(page, title, text)
        else:
            self.variants.record_revisit(page)
        return PageLinks(self, page, place, copies)

    def fetch(self, url: str, *, depth: int, referrer: str | None, new: bool) -> Decision:
        """Decide on a fetch; an allowed one counts for its top directory."""
        link = read_target(url)
        if new and referrer:
            decision = self._admit_fetch(link, depth, referrer)
            if not decision.allowed:
                return decision
        return self.directories.fetch(link, new=new)

    def comes_last(self, url: str) -> bool:
        """Return True for a URL that is to be fetched after all others of its origin."""
        return "&" in url and self.variants.is_unproven(read_target(url))

    def _admit_fetch(self, link: Target, depth: int, referrer: str) -> Decision:
        place = member(link, depth)
        if place.family:
            source = member(read_target(referrer), depth - 1)
            decision = self.series.admit_fetch(place, source)
            if not decision.allowed:
                return decision
        return self.variants.admit_fetch(link)


LIMITS_BY_FIELD: dict[str, type[TrapLimit]] = get_type_hints(TrapLimits)
TRAP_LIMITS = tuple(LIMITS_BY_FIELD.values())
"""The kinds of trap limits, in their order."""


@dataclass(slots=True)
class PageLinks:
    """The links of one page, in document order."""

    limits: TrapLimits
    page: Target
    place: Member
    copies: int
    _followed: set[str] = field(default_factory=set, init=False)

    def admit(self, url: str, *, depth: int, known: bool) -> Decision:
        """Decide on a link that the rules admit; ``known`` URLs change nothing."""
        decision = self.limits.links_per_page.admit_link(self._followed, url)
        if known or not decision.allowed:
            return decision
        link = read_target(url)
        place = member(link, depth)
        decision = self._admit_new(link, place)
        if decision.allowed:
            self.limits.series.record_followed(self.place, place)
            self.limits.variants.record_followed(self.page, link)
        return decision

    def _admit_new(self, link: Target, place: Member) -> Decision:
        limits = self.limits
        decision = limits.growth.admit_link(self.page, link)
        if decision.allowed:
            decision = limits.copies.admit_link(self.page, self.copies, link)
        if decision.allowed:
            decision = limits.series.admit_link(self.place, place)
        if decision.allowed:
            decision = limits.tokens.admit_link(self.page, link)
        return limits.variants.admit_link(link) if decision.allowed else decision
