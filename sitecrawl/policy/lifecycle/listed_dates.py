"""Reliability of the dates in an origin's sitemaps, from what visits found at the listed pages."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400.0
MIN_RIGHT = 3
"""Number of announced changes that were real before dates are believed."""
MIN_QUIET = 20
"""Number of pages without an announced change that had none, before such pages are not visited."""
TRUSTED = 0.8
"""Share of announced changes that must be real, for dates to be believed."""
MAX_MISSED = 0.02
"""Share of pages with a change that no date announced, above which every page is visited."""
REMEMBERED = 1000
"""Number of visits after which the counts are halved, so that a sitemap may improve."""


def is_after(date: float, visited_at: float) -> bool:
    """Return True if a date announces a change after a visit. A date without a time is a whole day."""
    return (date + DAY if date % DAY == 0 else date) > visited_at


@dataclass(slots=True)
class ListedDates:
    """Counts of visits of listed pages that were known before.

    ``right`` and ``wrong`` count the announced changes that were real and that were not, ``missed``
    changes that were not announced, ``quiet`` pages without either.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    quiet: int = 0

    def observe(self, *, announced: bool, changed: bool) -> None:
        """Count a visit."""
        if announced:
            self.right += changed
            self.wrong += not changed
        else:
            self.missed += changed
            self.quiet += not changed
        if self.right + self.wrong + self.missed + self.quiet > REMEMBERED:
            self.right, self.wrong = self.right // 2, self.wrong // 2
            self.missed, self.quiet = self.missed // 2, self.quiet // 2

    @property
    def announce_changes(self) -> bool:
        """True if a page is due as soon as its date says that it has changed."""
        return self.right >= MIN_RIGHT and self.right >= TRUSTED * (self.right + self.wrong)

    @property
    def rule_out_changes(self) -> bool:
        """True if a page whose date says that it has not changed need not be visited."""
        enough = self.announce_changes and self.quiet >= MIN_QUIET
        return enough and self.missed <= MAX_MISSED * (self.missed + self.quiet)
