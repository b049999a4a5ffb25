"""One answer, from its head to Scrapy's response."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import is_asyncio_available

from sitecrawl.http.connection import Connection
from sitecrawl.http.connection_pool import ConnectionPool, max_idle_connections
from sitecrawl.http.content_decoding import decode_body, decode_prefix
from sitecrawl.http.dialing import Certificates, Dialer
from sitecrawl.http.early_close import DownloadStopper
from sitecrawl.http.exchange import Exchange, fetch_params, limits_of
from sitecrawl.http.fetch_errors import BrokenEncodingError, DecodedTooLargeError, UnansweredError
from sitecrawl.http.messages import request_bytes, route_of
from sitecrawl.policy.http.network_addresses import AddressRule
from sitecrawl.reqmeta import WIRE_BYTES, robots_of
from sitecrawl.web.robots.robots_txt import SIZE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.exceptions import StopDownload
    from scrapy.http import Response

    from sitecrawl.config.options.fetching import FetchParams
    from sitecrawl.http.messages import ResponseHead


ROBOTS_SIZE = SIZE_LIMIT + 1  # so that its reader sees that the last line may be cut
# Between the two ends of a connection only (RFC 9110, 7.6.1), and undone with it.
HOP_BY_HOP = frozenset(
    {
        b"Connection",
        b"Content-Length",
        b"Keep-Alive",
        b"Proxy-Connection",
        b"Te",
        b"Trailers",
        b"Transfer-Encoding",
        b"Upgrade",
    }
)


class ResponseBuilder:
    """Reads the answer to a Scrapy request as ``exchange.BodyPolicy`` says."""

    def __init__(self, request: Request, limit: int, stopper: DownloadStopper) -> None:
        self.prefix = robots_of(request) is not None
        self.limit = ROBOTS_SIZE if self.prefix else limit
        self.to_head = request.method == "HEAD"
        self._request = request
        self._stopper = stopper
        self._began = monotonic()
        self._stopped: StopDownload | None = None

    def begun(self, head: ResponseHead, length: int | None) -> bool:
        """Take the head; whether the body is wanted."""
        self._request.meta["download_latency"] = monotonic() - self._began
        self._head, self._length = head, length
        self._headers = _headers(head, length, to_head=self.to_head)
        self._stopped = self._stopper.decide(self._request, self._headers, length)
        return self._stopped is None

    def is_whole(self, body: bytes) -> bool:
        """Whether the length announced was that of the page before it was packed.

        Browsers read such a page too. What is cut does not unpack.
        """
        names = self._encodings()
        try:
            return bool(names) and len(decode_body(body, names, self.limit)) == self._length
        except (BrokenEncodingError, DecodedTooLargeError):
            return False

    def response(self, body: bytes, received: int, connection: Connection) -> Response:
        """Scrapy's response. Raises BrokenEncodingError, DecodedTooLargeError, StopDownload."""
        url = self._request.url.partition("#")[0]
        body = self._decoded(body)
        kind = responsetypes.from_args(headers=self._headers, url=url, body=body)
        response = kind(
            url=url,
            status=self._head.status,
            body=body,
            certificate=connection.certificate,
            ip_address=connection.address,
            protocol=self._head.version,
        )
        response.headers = self._headers  # given to the class, they would be copied
        if self._stopped is None:
            self._request.meta[WIRE_BYTES] = received
            return response
        response.flags.append("download_stopped")
        if self._stopped.fail:
            self._stopped.response = response
            raise self._stopped
        return response

    def _decoded(self, body: bytes) -> bytes:
        """The body without its encodings; of a robots.txt, or where none is read, what can be had."""
        names = self._encodings()
        if not body or not names:
            return body
        decode = decode_prefix if self.prefix or self._head.status >= 300 else decode_body
        del self._headers["Content-Encoding"]
        return decode(body, names, self.limit)

    def _encodings(self) -> list[str]:
        """The values of Content-Encoding."""
        return [name.decode("latin-1") for name in self._headers.getlist("Content-Encoding")]


def _headers(head: ResponseHead, length: int | None, *, to_head: bool) -> Headers:
    """The fields as Scrapy has them."""
    headers = Headers()
    if length is not None:
        headers[b"Content-Length"] = str(length)
    for name, value in head.fields:
        if name not in HOP_BY_HOP:
            dict.setdefault(headers, name, []).append(value)  # what Headers.update() does
        elif to_head and name == b"Content-Length":
            headers[name] = value  # of the body that a GET would bring
    return headers


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
        self._pool = ConnectionPool(
            crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            max_idle_connections(crawler.settings.getint("CONCURRENT_REQUESTS")),
        )
        self._dialer = _dialer(params)
        self._stopper = DownloadStopper(crawler)

    async def download_request(self, request: Request) -> Response:
        """Download; raises one of Scrapy's download exceptions or of ``failures``."""
        route = route_of(request, self._bind)
        reused = self._pool.take(route)
        if reused is not None:
            try:
                return await self._send(request, reused)
            except UnansweredError:
                if request.body or request.method not in IDEMPOTENT:
                    raise
        return await self._send(request, await self._dialer.dial(route, self._pool))

    async def close(self) -> None:
        """End the connections."""
        await self._pool.close()

    async def _send(self, request: Request, connection: Connection) -> Response:
        answer = ResponseBuilder(request, self._limits.body, self._stopper)
        exchange = Exchange(answer, self._limits.header)
        body = await connection.send_request(request_bytes(request, connection.route), exchange)
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
