"""Downloads by HTTP/1.1, with bounds on what a server may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import is_asyncio_available

from sitecrawl.download.answer import Answer
from sitecrawl.download.certificates import Certificates
from sitecrawl.download.dialing import Dialer
from sitecrawl.download.exchange import Exchange
from sitecrawl.download.failures import names_of
from sitecrawl.download.limits import fetch_params, limits_of
from sitecrawl.download.pool import Pool, most_resting
from sitecrawl.download.routes import route_of
from sitecrawl.download.stopping import Stopping
from sitecrawl.download.writing import request_bytes
from sitecrawl.policy.addresses import AddressRule
from sitecrawl.policy.answers import answer_of_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.params.fetch import FetchParams


class BoundedDownloadHandler(BaseDownloadHandler):
    """Downloads within the limits that the crawl's options set.

    It decompresses too, so that HttpCompressionMiddleware is not needed, and makes the one
    immediate second attempt after what may be a fluke. ``headers_received`` is sent to those
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
        try:
            return await self._attempt(request)
        except Exception as error:
            if request.body or not answer_of_failure(names_of(error)).fluke:
                raise
        # RFC 9112, 9.3.1: a connection that was kept too long is no failure either
        return await self._attempt(request, anew=True)

    async def close(self) -> None:
        """End the connections."""
        await self._pool.close()

    async def _attempt(self, request: Request, *, anew: bool = False) -> Response:
        answer = Answer(request, self._limits.body, self._stopping)
        route = route_of(request, self._bind)
        written = request_bytes(request, route)
        connection = None if anew else self._pool.take(route)
        if connection is None:
            connection = await self._dialer.dial(route, self._pool)
        exchange = Exchange(answer, self._limits.header)
        body = await connection.ask(written, exchange)
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
