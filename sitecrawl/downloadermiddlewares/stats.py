"""Count requests and responses under Scrapy's names."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.stats import DownloaderStats
from scrapy.http import Response
from typing_extensions import override

from sitecrawl.reqmeta import WIRE_BYTES


class StatsMiddleware(DownloaderStats):
    """Scrapy's counters, with the bytes as received: Scrapy serialises each message to count them.

    ``downloader/request_bytes`` is not counted.
    """

    @override
    def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Count a request that is sent."""
        self.stats.inc_value("downloader/request_count")

    @override
    def process_response(self, request: Request, response: Response) -> Response:  # type: ignore[override]
        """Count a response and its bytes, head included."""
        self.stats.inc_value("downloader/response_count")
        self.stats.inc_value(f"downloader/response_status_count/{response.status}")
        size = request.meta.get(WIRE_BYTES, len(response.body))
        self.stats.inc_value("downloader/response_bytes", size)
        return response
