"""Begin the crawl before the requests of a spider's own ``start``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sitecrawl.components import Component, params_of
from sitecrawl.extensions.crawl import crawl_of


class StartMiddleware(Component):
    """Middleware that adds the starts, and delivers what an earlier run left undelivered."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Begin the crawl, then continue with the requests that the spider adds."""
        crawl = crawl_of(self._crawler)
        await crawl.delivery.resume()
        await crawl.begin(params_of(self._crawler).start)
        await crawl.delivery.collect()
        async for each in start:
            yield each
