"""Wake Scrapy's engine when there may be a request for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.core.engine import _Slot
    from scrapy.crawler import Crawler


class EngineWaker:
    """Waker of the engine, which then asks the scheduler; no effect while no spider is open."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def schedule(self) -> None:
        """Make the engine ask in the next iteration of the event loop."""
        slot = self._slot
        if slot is not None:
            slot.nextcall.schedule()

    def call_now(self) -> None:
        """Make the engine ask at once."""
        slot = self._slot
        if slot is not None:
            slot.nextcall()

    @property
    def _slot(self) -> _Slot | None:
        try:
            engine = self._crawler.engine
        except RuntimeError:  # newer versions of Scrapy raise it before the crawl starts
            return None
        return engine._slot if engine is not None else None
