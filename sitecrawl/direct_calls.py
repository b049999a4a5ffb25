"""Calls of components in the task of their response, where Scrapy starts a task for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from pydispatch.dispatcher import getAllReceivers, liveReceivers
from scrapy.signalmanager import SignalManager
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import aiter_errback

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.scraper import Scraper
    from scrapy.http import Response
    from twisted.python.failure import Failure


def is_known(method: object) -> bool:
    """Return True for a method of our own or Scrapy's, whose result is what it should be."""
    return getattr(method, "__module__", "").startswith(("sitecrawl.", "scrapy."))


class DirectSignals(SignalManager):
    """Signals about items: 50 µs for each with Scrapy's tasks, which a project's receivers need."""

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Call the receivers, in tasks only if one of them may wait."""
        receivers = liveReceivers(getAllReceivers(self.sender, signal))
        if all(is_known(each) and not iscoroutinefunction(each) for each in receivers):
            return self.send_catch_log(signal, **kwargs)
        return await super().send_catch_log_async(signal, **kwargs)


def process_directly(scraper: Scraper) -> None:
    """Let a scraper process the results of a page in the page's own task."""
    scraper.signals = DirectSignals(scraper.signals.sender)
    if scraper.concurrent_items == 1:
        scraper.handle_spider_output_async = partial(  # type: ignore[method-assign]
            _process_in_order, scraper
        )


async def _process_in_order(
    scraper: Scraper,
    result: Iterable[Any] | AsyncIterator[Any],
    request: Request,
    response: Response | Failure,
) -> None:
    """Process the results of a callback one after the other."""
    results = as_async_generator(result)
    async for each in aiter_errback(results, scraper.handle_spider_error, request, response):
        await scraper._process_spidermw_output_async(each, response)
