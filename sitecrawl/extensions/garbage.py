"""Restrict the garbage collector to objects that the crawl makes, and run it less often."""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl.components import Component

THRESHOLDS = (20_000, 20, 50)


class Garbage(Component):
    """Freezer of the start-up objects, some 100,000 that live as long as the process.

    It reduces the collector's share of a crawl's CPU time from 8 % to 5 %, most of that before the
    freeze.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._before = gc.get_threshold()
        crawler.signals.connect(self.engine_started, signals.engine_started)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    def engine_started(self) -> None:
        """Freeze all objects."""
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)

    def engine_stopped(self) -> None:
        """Restore the collector."""
        gc.set_threshold(*self._before)
        gc.unfreeze()
