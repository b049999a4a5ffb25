"""Forecast of the next visit of a URL, by the selection that the frontier applies."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import Citations
from sitecrawl.frontier.records import UrlState
from sitecrawl.policy.lifecycle.selection import SELECTIONS, EarlyVisit, StoredVisit, early_visit
from sitecrawl.web.feeds.listings import FORMATS


@dataclass(frozen=True, slots=True)
class ScheduleForecast:
    """The schedule of one URL under mode, activity, force and reading; ``start``: it is a start.

    ``read_before`` is the reading of the last run; None if it is not known. ``spent`` describes the
    budget of the origin if it is spent for today.
    """

    params: CrawlParams
    cite: Citations
    start: bool
    read_before: str | None = None
    spent: str = ""

    @property
    def follows(self) -> bool:
        """True if a link can bring the URL into the crawl."""
        return self.params.follows

    @property
    def findable(self) -> bool:
        """True if a URL that is not stored yet can come into the crawl."""
        if self.params.lists_pages:
            return self.params.activity != "refresh"
        return self.start or self.follows

    def unknown(self) -> str:
        """Describe how a URL that is not stored yet can come into the crawl."""
        params = self.params
        listed = params.lists_pages
        if listed and params.activity == "refresh":
            return f"would not be found: {self.cite.setting('activity')} reads no {listed}"
        if listed:
            also = " or a page links to it" if self.follows else ""
            one = FORMATS[listed].one
            once = f"would be crawled once {one} names it{also}"
            return f"would be read as {one}: it is a start" if self.start else once
        if self.start:
            return "would be crawled: it is a start"
        if not self.follows:
            return f"would not be found: no links are followed by {self._stops_following()}"
        if SELECTIONS[params.considers].defers_found_links:
            return f"would wait once a page links to it: {self._considers()}"
        return "would be crawled once a page links to it"

    def skip_reason(self, stored: UrlState) -> str:
        """Return the option by which a run skips a stored URL, due or not; empty if it does not."""
        selected = SELECTIONS[self.params.considers].includes(
            start=self.start, visited=stored.outcome is not None, waiting=stored.waiting
        )
        return "" if selected else self._considers()

    def early_reason(self, stored: UrlState) -> str:
        """Return the cause of a visit to a selected URL before it is due; empty if none."""
        params = self.params
        reading = params.reading
        otherwise = stored.reading is not None and stored.reading != reading
        cause = early_visit(
            SELECTIONS[params.considers],
            StoredVisit(
                stored.outcome,
                stored.due is not None,
                otherwise and not stored.failures and self.read_before != reading,
            ),
            asked_start=self.start and params.revisits_starts,
            force=params.force or params.mode == "check",
        )
        if cause is EarlyVisit.START:
            option = "activity" if params.considers == "discover" else "mode"
            return f"{self.cite.setting(option)} visits starts"
        if cause is EarlyVisit.FORCED:
            return self.cite.setting("force" if params.force else "mode")
        return cause.value if cause else ""

    def _considers(self) -> str:
        if self.params.considers == "starts":
            return f"{self.cite.setting('mode')} visits only starts"
        activity = self.cite.setting("activity")
        if self.params.considers == "discover":
            return f"{activity} visits starts and URLs never visited"
        return f"{activity} visits only URLs visited before"

    def _stops_following(self) -> str:
        return self.cite.setting("mode" if self.params.discover is None else "discover")
