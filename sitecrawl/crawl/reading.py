"""Hands answers to the spider, and sees to it that every visit ends."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from scrapy.utils.spider import iterate_spider_output

from sitecrawl.frontier.base import Outcome
from sitecrawl.items import Document
from sitecrawl.reqmeta import visit_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.http import Response

    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Visit


class Reading:
    """The callback of pages: the spider's ``parse``, whatever it yields or raises.

    A visit ends with its document's row; where there is no document, because the spider
    made none, a pipeline dropped it or something failed, it ends here.
    """

    def __init__(self, parse: Callable[[Response], Any], recorder: Recorder) -> None:
        self.callback = self._read_async if inspect.isasyncgenfunction(parse) else self._read
        self._parse = parse
        self._recorder = recorder

    def dropped(self, item: Any) -> None:
        """A pipeline dropped a document before it was recorded."""
        if isinstance(item, Document) and not item.recorded:
            self._record(item.visit, Outcome.UNWANTED_TYPE, "dropped")

    def broken(self, item: Any) -> None:
        """A pipeline failed on a document; the page stays due, the crawl goes on."""
        if isinstance(item, Document) and not item.recorded:
            self._record(item.visit, Outcome.CANCELLED, "pipeline_error")

    def _read(self, response: Response) -> Iterator[Any]:
        written = False
        try:
            for result in iterate_spider_output(self._parse(response)):
                written = written or isinstance(result, Document)
                yield result
        except Exception:
            self._end(response, Outcome.CANCELLED, "spider_error", written=written)
            raise
        self._end(response, Outcome.NO_CONTENT, "no_document", written=written)

    async def _read_async(self, response: Response) -> AsyncIterator[Any]:
        written = False
        try:
            async for result in self._parse(response):
                written = written or isinstance(result, Document)
                yield result
        except Exception:
            self._end(response, Outcome.CANCELLED, "spider_error", written=written)
            raise
        self._end(response, Outcome.NO_CONTENT, "no_document", written=written)

    def _end(self, response: Response, outcome: Outcome, reason: str, *, written: bool) -> None:
        visit = visit_of(response.request) if response.request is not None else None
        if visit is not None and not written:
            self._record(visit, outcome, reason)

    def _record(self, visit: Visit, outcome: Outcome, reason: str) -> None:
        """Record the visit with what it has come to so far, or else with ``outcome``."""
        if visit.outcome is None:
            visit.outcome, visit.reason = outcome, reason
        self._recorder.record(visit)
