"""The counters of a crawl, incremented many times per page."""

from __future__ import annotations

from scrapy.statscollectors import MemoryStatsCollector


class Counters(MemoryStatsCollector):
    """Scrapy's stats collector without the search of each call for a deprecated argument.

    That search is most of the cost of counting: 0.05 ms of a page's 4.5.
    """

    __getattribute__ = object.__getattribute__
