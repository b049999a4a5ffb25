"""Downloads by HTTP/1.1, with bounds on what a server may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available

from sitecrawl.download.answer import Answer
from sitecrawl.download.certificates import Certificates
from sitecrawl.download.connection import Connection
from sitecrawl.download.dialing import Dialer
from sitecrawl.download.exchange import Exchange
from sitecrawl.download.failures import UnansweredError
from sitecrawl.download.limits import fetch_params, limits_of
from sitecrawl.download.pool import Pool, most_resting
from sitecrawl.download.routes import route_of
from sitecrawl.download.stopping import Stopping
from sitecrawl.download.writing import request_bytes
from sitecrawl.policy.addresses import AddressRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.params.fetch import FetchParams


IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods of requests that may be sent once more by themselves (RFC 9110, 9.2.2)."""


class BoundedDownloadHandler(BaseDownloadHandler):
    """Downloads within the limits that the crawl's options set.

    It decompresses too, so that HttpCompressionMiddleware is not needed. Where the server closed a
    connection that was kept, the request is sent once more on a new one (RFC 9112, 9.3.1); every
    other failure is the scheduler's to try again. ``headers_received`` is sent to those
    who listen, and may stop a download; ``bytes_received`` is not. ``meta[WIRE_BYTES]`` holds
    how many bytes came over the connection for the request.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not is_asyncio_available():
            raise NotConfigured(f"{type(self).__name__} needs the asyncio reactor")
        super().__init__(crawler)
        params = fetch_params(crawler)
        self._limits = limits_of(params)
        self._bind = crawler.settings.get("DOWNLOAD_BIND_ADDRESS")
        self._pool = Pool(
            crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            most_resting(crawler.settings.getint("CONCURRENT_REQUESTS")),
        )
        self._dialer = _dialer(params)
        self._stopping = Stopping(crawler)

    async def download_request(self, request: Request) -> Response:
        """Download; raises one of Scrapy's download exceptions or of ``failures``."""
        route = route_of(request, self._bind)
        reused = self._pool.take(route)
        if reused is not None:
            try:
                return await self._ask(request, reused)
            except UnansweredError:
                if request.body or request.method not in IDEMPOTENT:
                    raise
        return await self._ask(request, await self._dialer.dial(route, self._pool))

    async def close(self) -> None:
        """End the connections."""
        await self._pool.close()

    async def _ask(self, request: Request, connection: Connection) -> Response:
        answer = Answer(request, self._limits.body, self._stopping)
        exchange = Exchange(answer, self._limits.header)
        body = await connection.ask(request_bytes(request, connection.route), exchange)
        return answer.response(body, exchange.received, connection)


def _dialer(params: FetchParams) -> Dialer:
    """Connects as a crawl's options say."""
    starts: Sequence[str] = getattr(params, "start", ())
    hosts = [urlsplit(start).hostname or "" for start in starts]
    return Dialer(
        AddressRule(hosts, allow_private=params.allow_private),
        Certificates(verify=params.verify_tls, exempt=params.unverified_origins),
        limits_of(params),
    )
