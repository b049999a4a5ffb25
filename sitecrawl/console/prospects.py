"""Whether the next run comes to a URL that its rules admit, by what that run considers."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.states import UrlState
from sitecrawl.params.crawl import CrawlParams
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.ruleset.citations import Citations


@dataclass(frozen=True, slots=True)
class Prospects:
    """What mode, activity, force and reading make of one URL; ``start``: it is a start.

    ``read_before`` is the reading of the last run (None: not known).
    """

    params: CrawlParams
    cite: Citations
    start: bool
    read_before: str | None = None

    @property
    def follows(self) -> bool:
        """Whether a page's link may bring it in."""
        return self.params.follows

    @property
    def findable(self) -> bool:
        """Whether there is a way on which a URL that is not stored yet comes into the crawl."""
        if self.params.lists_pages:
            return self.params.activity != "refresh"
        return self.start or self.follows

    def unknown(self) -> str:
        """How a URL that is not stored yet comes into the crawl."""
        params = self.params
        listed = params.lists_pages
        if listed and params.activity == "refresh":
            return f"would not be found: {self.cite.setting('activity')} reads no {listed}"
        if listed:
            also = " or a page links to it" if self.follows else ""
            once = f"would be crawled once a {listed} names it{also}"
            return f"would be read as a {listed}: it is a start" if self.start else once
        if self.start:
            return "would be crawled: it is a start"
        if not self.follows:
            return f"would not be found: no links are followed by {self._stops_following()}"
        if params.considers in ("starts", "refresh"):
            return f"would wait once a page links to it: {self._considers()}"
        return "would be crawled once a page links to it"

    def left_alone(self, stored: UrlState) -> str:
        """Why a run passes over a stored URL, due or not; empty if it does not."""
        considers = self.params.considers
        if considers == "starts" and not self.start:
            return self._considers()
        if considers == "refresh" and stored.outcome is None:
            return self._considers()
        if considers == "discover" and not (self.start or stored.waiting):
            return f"{self.cite.setting('activity')} visits starts and what was never visited"
        return ""

    def hurried(self, stored: UrlState) -> str:
        """Why a run visits a stored URL that it considers before its time; empty if not."""
        params = self.params
        if self.start and stored.outcome is not Outcome.FILE_GONE:
            if params.considers == "discover":
                return f"{self.cite.setting('activity')} visits starts"
            if params.mode == "page":
                return f"{self.cite.setting('mode')} visits starts"
        if stored.due is None:
            return ""
        if params.force or params.mode == "check":
            return self.cite.setting("force") if params.force else self.cite.setting("mode")
        if params.considers != "starts" and self._reread(stored):
            return "it was read with other options"
        return ""

    def _reread(self, stored: UrlState) -> bool:
        reading = self.params.reading
        unlike = stored.reading is not None and stored.reading != reading
        return unlike and not stored.failures and self.read_before != reading

    def _considers(self) -> str:
        if self.params.considers == "starts":
            return f"{self.cite.setting('mode')} visits starts alone"
        return f"{self.cite.setting('activity')} visits what was visited before"

    def _stops_following(self) -> str:
        return self.cite.setting("mode" if self.params.discover is None else "discover")
