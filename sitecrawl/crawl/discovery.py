"""Turns the links of a page into candidates: checked, counted, each only once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sitecrawl.frontier.base import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.statscollectors import StatsCollector

    from sitecrawl.frontier.base import Visit
    from sitecrawl.policy.admission import Admission
    from sitecrawl.policy.engine import Rules
    from sitecrawl.web.page import Page

logger = logging.getLogger(__name__)

NO_RELATION: frozenset[str] = frozenset()
SEED_PRIORITY = 1


class Discovery:
    """Asks the rules about each link, and remembers in this process which were seen.

    Links never become Request objects: what is admitted and new becomes a Candidate of
    the visit that found it, and is stored together with that visit's outcome.
    """

    def __init__(self, rules: Rules, stats: StatsCollector, *, follow: bool) -> None:
        self.rules = rules
        self._stats = stats
        self._follow = follow
        self._seen: set[int] = set()

    def seeds(self, starts: Iterable[str]) -> tuple[list[Candidate], list[Admission]]:
        """The starts as candidates, and those that the rules refuse."""
        admissions = [self.rules.admit(start, depth=0, via="seed") for start in starts]
        refused = [each for each in admissions if not each.decision.allowed]
        admitted = [each for each in admissions if each.decision.allowed]
        return [self._candidate(each, 0, "seed", None) for each in admitted], refused

    def found(self, page: Page, visit: Visit) -> None:
        """Add the page's links to the visit's candidates."""
        if not self._follow or page.directives.nofollow:
            return
        depth = visit.due.depth + 1
        for link in page.links:
            self._consider(visit, link.url, depth, "link", link.rel)

    def named(self, visit: Visit, canonical: str) -> Admission:
        """Add the URL that a page calls its canonical one; the verdict on it."""
        return self._consider(visit, canonical, visit.due.depth, "canonical")

    def redirected(self, visit: Visit, target: str) -> Admission:
        """Add where a visit was sent; a start may bring its new origin into scope."""
        if visit.due.via == "seed":
            notice = self.rules.admit_redirect(visit.due.url, target)
            if notice:
                logger.info("%s", notice)
        return self._consider(visit, target, visit.due.depth, "redirect")

    def _consider(
        self, visit: Visit, url: str, depth: int, via: str, rel: frozenset[str] = NO_RELATION
    ) -> Admission:
        admission = self.rules.admit(url, depth=depth, via=via, rel=rel)
        if not admission.decision.allowed:
            self._stats.inc_value(f"sitecrawl/rules/{admission.decision.reason}")
        elif admission.fingerprint not in self._seen:
            self._seen.add(admission.fingerprint)
            visit.candidates.append(self._candidate(admission, depth, via, visit.due.url))
        return admission

    def _candidate(
        self, admission: Admission, depth: int, via: str, referrer: str | None
    ) -> Candidate:
        return Candidate(
            admission.origin,
            admission.fingerprint,
            admission.url,
            depth,
            via,
            referrer,
            SEED_PRIORITY if via == "seed" else 0,
        )
