"""Read files (PDF, Office and the like) in processes of their own, before pages are parsed."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.components import Component, params_of
from sitecrawl.crawl.reader_processes import FileReaders, ReadersError, ReadFile
from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import FILE, media_type_of, visit_of
from sitecrawl.scheduling.fetch_outcomes import ResponseWithoutContent
from sitecrawl.web.files.formats import FORMAT_OF_TYPE, is_file_type, wanted_formats

STOP_SECONDS = 0.5  # until a stop of the crawl is noticed
FAILED = FetchResult(Outcome.CANCELLED, "reader_failed")
STOPPED = FetchResult(Outcome.CANCELLED, "shutdown")


class FilesMiddleware(Component):
    """Convert files to HTML, which the meta-robots middleware reads like any page.

    The origin's slot is already free: the next request does not wait for the file. Neither does a
    crawl that is stopped; the file stays due.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        names = [each.name for each in wanted_formats(params_of(crawler).content_types)]
        self._stats = crawler.stats
        self._readers = FileReaders(names)
        crawler.signals.connect(self.close, signals.engine_stopped)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Attach the file's HTML, or its fault, to the request."""
        kind = media_type_of(request)
        if not is_file_type(kind) or response.status == 304:
            return response
        name = FORMAT_OF_TYPE[kind]
        found = ReadFile(fault="file_unsupported", detail=f"{name.title} is not read")
        if name.readable:
            found = await self._read(request, response.body, kind)
        request.meta[FILE] = found
        self._stats.inc_value(f"sitecrawl/files/{found.fault or 'read'}")
        self._stats.inc_value("sitecrawl/files/milliseconds", round(found.cpu * 1000))
        return response

    async def close(self) -> None:
        """End the processes."""
        await self._readers.close()

    async def _read(self, request: Request, body: bytes, kind: str) -> ReadFile:
        downloader: Any = self._crawler.engine.downloader
        reading = asyncio.ensure_future(self._readers.read(body, kind))
        downloader.held_bytes += len(body)
        try:
            while not (await asyncio.wait([reading], timeout=STOP_SECONDS))[0]:
                engine = self._crawler.engine  # a crawl that ends by itself reads on
                if engine is not None and not engine.running:
                    raise ResponseWithoutContent(STOPPED)
            return reading.result()
        except ReadersError as error:
            visit = visit_of(request)
            if visit is not None:
                visit.detail = str(error)
            raise ResponseWithoutContent(FAILED) from error
        finally:
            downloader.held_bytes -= len(body)
            reading.cancel()
