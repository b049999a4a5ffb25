"""Wrapper of the spider's callback that ends every visit."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from typing import Any

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.spider import iterate_spider_output

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.items import Document, DropDocument
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import carries_nothing, visit_of
from sitecrawl.responses import request_of


class PageCallback:
    """Callback of pages, around the spider's ``parse``.

    The output pipeline ends the visits of documents. This class ends those without: if the spider
    yielded none, a pipeline dropped it, or something failed. A request that only follows a link
    becomes a candidate of the visit; documents are yielded after all other results, so that both
    are written together.
    """

    def __init__(self, parse: Callable[..., Any], recorder: Recorder, discovery: Discovery) -> None:
        self._parse = parse
        self._recorder = recorder
        self._discovery = discovery
        self.callback = self._wrap(parse)

    def _wrap(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callback with the signature of ``parse``, which may take page objects."""
        read = self._read_async if inspect.isasyncgenfunction(parse) else self._read

        @wraps(parse)
        def callback(response: Response, **arguments: Any) -> Any:
            return read(response, arguments)

        return callback

    def is_link(self, request: Request) -> bool:
        """Return True if a request only follows a link, to be parsed like any other page."""
        return request.callback in (None, self._parse) and carries_nothing(request)

    def dropped(self, item: Any, exception: DropItem) -> None:
        """Record the visit of a document that a pipeline dropped."""
        if not isinstance(item, Document) or item.visit.has_ended:
            return
        if isinstance(exception, DropDocument):
            reason, detail = exception.reason, exception.detail or None
            result = item.visit.end(exception.outcome, reason, detail)
        else:
            result = item.visit.end(Outcome.DROPPED, "dropped", str(exception))
        self._recorder.record(result)

    def broken(self, item: Any) -> None:
        """Record the visit of a document on which a pipeline failed; the page stays due."""
        if isinstance(item, Document) and not item.visit.has_ended:
            self._recorder.record(item.visit.end(Outcome.CANCELLED, "pipeline_error"))

    def _read(self, response: Response, arguments: dict[str, Any]) -> Iterator[Any]:
        documents: list[Document] = []
        try:
            for result in iterate_spider_output(self._parse(response, **arguments)):
                if not self._keep(result, response, documents):
                    yield result
        except Exception:
            yield from self._end(response, Outcome.CANCELLED, "spider_error", documents)
            raise
        yield from self._end(response, Outcome.NO_CONTENT, "no_document", documents)

    async def _read_async(
        self, response: Response, arguments: dict[str, Any]
    ) -> AsyncIterator[Any]:
        documents: list[Document] = []
        try:
            async for result in self._parse(response, **arguments):
                if not self._keep(result, response, documents):
                    yield result
        except Exception:
            for document in self._end(response, Outcome.CANCELLED, "spider_error", documents):
                yield document
            raise
        for document in self._end(response, Outcome.NO_CONTENT, "no_document", documents):
            yield document

    def _keep(self, result: Any, response: Response, documents: list[Document]) -> bool:
        """Collect a document or a followed link; return False for any other result."""
        if isinstance(result, Document):
            documents.append(result)
            return True
        visit = visit_of(request_of(response))
        if visit is None or not isinstance(result, Request) or not self.is_link(result):
            return False
        candidate = self._discovery.follow(result.url, visit.due)
        if candidate is not None:
            visit.candidates.append(candidate)
        return True

    def _end(
        self, response: Response, outcome: Outcome, reason: str, documents: list[Document]
    ) -> list[Document]:
        """Return the documents of a page; record the visit of one without any."""
        visit = visit_of(request_of(response))
        if visit is not None and not documents:
            self._recorder.record(visit.end_concluded(outcome, reason))
        return documents
