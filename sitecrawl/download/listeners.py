"""Whether anybody listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydispatch.dispatcher import getAllReceivers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def is_heard(signal: object, crawler: Crawler) -> bool:
    """Whether a signal has a receiver; sending it takes longer than this look, even if not."""
    return next(getAllReceivers(crawler.signals.sender, signal), None) is not None
