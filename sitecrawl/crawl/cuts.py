"""Counts the pages of which something was left out while they were read, and warns of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from sitecrawl.web.page import Page

logger = logging.getLogger(__name__)

MEANINGS = {
    "unclosed_section": "a noindex section has no end, so the rest of the page is left out",
    "too_long": "it is too large to be read whole",
    "too_deep": "its elements are nested too deeply, some are left out",
    "attributes": "tags with hundreds of attributes lose them",
    "fragments": "scripts and noscript hold too much markup, some is left out",
    "too_many_elements": "it has too many elements, the rest of it is left out",
    "names": "elements and attributes of thousands of different names lose theirs",
    "too_many_headings": "it has too many headings, the last ones are only text",
    "too_many_metas": "it has too many metas or JSON-LD scripts, the last ones are left out",
    "too_many_images": "it has too many images, the addresses of the last ones are left out",
    "too_many_links": "it has too many links, the last ones are left out",
}
"""What is told of a cut; what is not named here, as one odd link, is only counted."""


class Cuts:
    """What reading left out: each kind is warned of once, by the first page that has it."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._told: set[str] = set()

    def note(self, page: Page) -> None:
        """Count the cuts of a page."""
        for cut in dict.fromkeys(page.cuts):
            self._stats.inc_value(f"sitecrawl/cuts/{cut}")
            if cut in MEANINGS and cut not in self._told:
                self._told.add(cut)
                logger.warning(
                    "%s: %s (others are counted as sitecrawl/cuts/%s)", page.url, MEANINGS[cut], cut
                )
